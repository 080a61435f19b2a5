# What topoplan needs from outside, found with find_package, and the Debian package that holds it. Installed too: the package
# config uses the same list.

set(topoplan_Boost_VERSION 1.74)
set(topoplan_Boost_DEBIAN libboost-dev)
set(topoplan_range-v3_VERSION 0.12)
set(topoplan_range-v3_DEBIAN librange-v3-dev)
set(topoplan_nlohmann_json_VERSION 3.11)
set(topoplan_nlohmann_json_DEBIAN nlohmann-json3-dev)
set(topoplan_pugixml_VERSION 1.12)
set(topoplan_pugixml_DEBIAN libpugixml-dev)
set(topoplan_yaml-cpp_VERSION 0.7)
set(topoplan_yaml-cpp_DEBIAN libyaml-cpp-dev)
set(topoplan_doctest_VERSION 2.4)
set(topoplan_doctest_DEBIAN doctest-dev)
set(topoplan_CLI11_VERSION 2.1)
set(topoplan_CLI11_DEBIAN libcli11-dev)

# topoplan_find_dependency(PACKAGE): sets topoplan_PACKAGE_FOUND, and where that is false topoplan_PACKAGE_MISSING, a sentence.
# The version is compared here, since range-v3's package accepts no version but its own.
macro(topoplan_find_dependency package)
  find_package(${package} QUIET)
  set(topoplan_${package}_FOUND FALSE)
  if(NOT ${package}_FOUND)
    set(topoplan_${package}_MISSING "${package} wasn't found")
  elseif(${package}_VERSION VERSION_LESS topoplan_${package}_VERSION)
    set(topoplan_${package}_MISSING
      "${package} ${${package}_VERSION} was found, ${topoplan_${package}_VERSION} or newer is needed")
  else()
    set(topoplan_${package}_FOUND TRUE)
  endif()
  string(APPEND topoplan_${package}_MISSING " (Debian: apt-get install ${topoplan_${package}_DEBIAN})")
endmacro()

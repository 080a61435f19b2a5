# Install rules: headers, one targets file for each component, the package config.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Headers only: no library folder of an architecture in the path.
set(topoplan_config_dir "${CMAKE_INSTALL_DATADIR}/cmake/topoplan")

foreach(target IN LISTS topoplan_targets)
  get_target_property(component ${target} EXPORT_NAME)
  install(TARGETS ${target} EXPORT topoplan-${component}-targets COMPONENT topoplan_headers
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT topoplan-${component}-targets NAMESPACE topoplan:: DESTINATION "${topoplan_config_dir}"
    COMPONENT topoplan_headers)
endforeach()

# What the package config must know of each component, in order of need.
set(topoplan_components "")
set(topoplan_component_table "")
foreach(target IN LISTS topoplan_all_targets)
  get_property(needs GLOBAL PROPERTY ${target}_NEEDS)
  get_property(packages GLOBAL PROPERTY ${target}_PACKAGES)
  string(REPLACE "topoplan-" "" component "${target}")
  list(APPEND topoplan_components ${component})
  string(REPLACE ";" " " needs "${needs}")
  string(REPLACE ";" " " packages "${packages}")
  string(APPEND topoplan_component_table "set(topoplan_${component}_NEEDS ${needs})\n")
  string(APPEND topoplan_component_table "set(topoplan_${component}_PACKAGES ${packages})\n")
endforeach()

configure_package_config_file(cmake/topoplan-config.cmake.in "${PROJECT_BINARY_DIR}/topoplan-config.cmake"
  INSTALL_DESTINATION "${topoplan_config_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/topoplan-config-version.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  "${PROJECT_BINARY_DIR}/topoplan-config.cmake"
  "${PROJECT_BINARY_DIR}/topoplan-config-version.cmake"
  cmake/topoplan_dependencies.cmake
  DESTINATION "${topoplan_config_dir}" COMPONENT topoplan_headers)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT topoplan_headers)

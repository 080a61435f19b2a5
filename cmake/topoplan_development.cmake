# Warnings and sanitizers for this repository's own programs: a private target, linked by tests, examples and benchmarks only.

set_property(CACHE TOPOPLAN_SANITIZE PROPERTY STRINGS "" "address;undefined" "thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(topoplan_dev INTERFACE)
target_compile_features(topoplan_dev INTERFACE cxx_std_20)
target_compile_options(topoplan_dev INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  $<$<BOOL:${TOPOPLAN_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns of overlapping copies inside std::string's own operator+ (gcc.gnu.org/PR105651).
  target_compile_options(topoplan_dev INTERFACE -Wno-restrict)
endif()
if(TOPOPLAN_SANITIZE)
  list(JOIN TOPOPLAN_SANITIZE "," sanitizers)
  target_compile_options(topoplan_dev INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(topoplan_dev INTERFACE -fsanitize=${sanitizers})
endif()

# topoplan_add_program(NAME source...): a program of this repository, with everything it may include.
function(topoplan_add_program name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE topoplan::topoplan topoplan::xml topoplan::yaml topoplan_dev)
endfunction()

# topoplan_add_children([folder...]): every subfolder that brings a CMakeLists.txt, but for those named.
macro(topoplan_add_children)
  file(GLOB children CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  set(left_out ${ARGN})
  foreach(child IN LISTS children)
    get_filename_component(child "${child}" DIRECTORY)
    if(NOT "${child}" IN_LIST left_out)
      add_subdirectory("${child}")
    endif()
  endforeach()
endmacro()

# The repository's own programs use all of the library.
if((TOPOPLAN_BUILD_TESTS OR TOPOPLAN_BUILD_EXAMPLES OR TOPOPLAN_BUILD_BENCHMARKS OR TOPOPLAN_FUZZ)
    AND NOT (TARGET topoplan::topoplan AND TARGET topoplan::xml AND TARGET topoplan::yaml))
  message(FATAL_ERROR "topoplan's tests, examples and benchmarks use the parts of the library that are left out above. "
    "Install what is missing, or configure with -DTOPOPLAN_BUILD_TESTS=OFF -DTOPOPLAN_BUILD_EXAMPLES=OFF "
    "-DTOPOPLAN_BUILD_BENCHMARKS=OFF.")
endif()
if(TOPOPLAN_BUILD_TESTS)
  topoplan_find_dependency(doctest)
  if(NOT topoplan_doctest_FOUND)
    message(FATAL_ERROR "The tests need doctest: ${topoplan_doctest_MISSING}")
  endif()
endif()

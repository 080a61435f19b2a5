# The exported targets: one INTERFACE library for each row group of the layer table, and nothing on it but its headers
# and the libraries that those headers include.
#
#   topoplan::core      core, layout, rank_map (not groups), cluster, plan      no dependency
#   topoplan::groups    rank_map/groups                                         range-v3
#   topoplan::import    import, text formats                                    no dependency
#   topoplan::graph     graph, and what of import makes a graph                 Boost (headers)
#   topoplan::solve     solve                                                   graph, groups
#   topoplan::json      import, JSON formats                                    nlohmann-json
#   topoplan::xml       import, XML formats                                     pugixml
#   topoplan::yaml      import, YAML formats                                    yaml-cpp
#   topoplan::emit      emit                                                    no dependency
#   topoplan::topoplan  everything but xml and yaml, and the umbrella header
#
# A target whose dependency isn't installed is left out, with a message that names the Debian package.

include(topoplan_dependencies)

set(topoplan_all_targets "")  # in order of need
set(topoplan_targets "")      # those that exist here

# topoplan_add_library(NAME [HEADERS file...] [NEEDS name...] [PACKAGES name...] [LINKS target...])
# Makes the target topoplan-NAME, alias and exported name topoplan::NAME. NEEDS are other NAMEs of topoplan, PACKAGES what
# find_package must find, LINKS the targets of those packages.
function(topoplan_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;NEEDS;PACKAGES;LINKS")
  set(topoplan_all_targets ${topoplan_all_targets} topoplan-${name} PARENT_SCOPE)
  set_property(GLOBAL PROPERTY topoplan-${name}_NEEDS "${arg_NEEDS}")
  set_property(GLOBAL PROPERTY topoplan-${name}_PACKAGES "${arg_PACKAGES}")
  set_property(GLOBAL PROPERTY topoplan-${name}_HEADERS "${arg_HEADERS}")
  foreach(package IN LISTS arg_PACKAGES)
    topoplan_find_dependency(${package})
    if(NOT topoplan_${package}_FOUND)
      message(STATUS "topoplan::${name} is left out: ${topoplan_${package}_MISSING}")
      return()
    endif()
  endforeach()
  foreach(needed IN LISTS arg_NEEDS)
    if(NOT TARGET topoplan::${needed})
      message(STATUS "topoplan::${name} is left out: it needs topoplan::${needed}")
      return()
    endif()
  endforeach()

  add_library(topoplan-${name} INTERFACE)
  add_library(topoplan::${name} ALIAS topoplan-${name})
  set_target_properties(topoplan-${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(topoplan-${name} INTERFACE cxx_std_20)
  target_sources(topoplan-${name} INTERFACE
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${arg_HEADERS})
  list(TRANSFORM arg_NEEDS PREPEND topoplan::)
  target_link_libraries(topoplan-${name} INTERFACE ${arg_NEEDS} ${arg_LINKS})
  set(topoplan_targets ${topoplan_targets} topoplan-${name} PARENT_SCOPE)
endfunction()

# topoplan_module_headers(VARIABLE module...): the headers of whole module folders.
function(topoplan_module_headers variable)
  set(found "")
  foreach(module IN LISTS ARGN)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/topoplan/${module}/*.hpp")
    list(APPEND found ${headers})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

topoplan_module_headers(core_headers core layout rank_map cluster plan)
set(groups_headers ${core_headers})
list(FILTER core_headers EXCLUDE REGEX "/rank_map/groups\\.hpp$")
list(FILTER groups_headers INCLUDE REGEX "/rank_map/groups\\.hpp$")
topoplan_module_headers(cost_headers workload cost)
topoplan_module_headers(graph_headers graph)
topoplan_module_headers(solve_headers solve)
topoplan_module_headers(import_headers import)
set(json_headers ${import_headers})
set(json_names
  "/(json|json_place|json_events|json_document|json_documents|gathered_json|cluster_file|rank_map_file|calibration_file|hf_config)\\.hpp$")
list(FILTER import_headers EXCLUDE REGEX "${json_names}")
list(FILTER json_headers INCLUDE REGEX "${json_names}")
set(xml_headers ${import_headers})
set(xml_names "/([a-z0-9_]+_)?xml\\.hpp$")
list(FILTER import_headers EXCLUDE REGEX "${xml_names}")
list(FILTER xml_headers INCLUDE REGEX "${xml_names}")
set(yaml_headers ${import_headers})
set(yaml_names "/(yaml|yaml_[a-z0-9_]+|[a-z0-9_]+_yaml)\\.hpp$")
list(FILTER import_headers EXCLUDE REGEX "${yaml_names}")
list(FILTER yaml_headers INCLUDE REGEX "${yaml_names}")
topoplan_module_headers(emit_headers emit)
foreach(header IN LISTS import_headers)
  file(STRINGS "${header}" yields_graph REGEX "#include <topoplan/graph/" LIMIT_COUNT 1)
  if(yields_graph)
    list(REMOVE_ITEM import_headers "${header}")
    list(APPEND graph_headers "${header}")
  endif()
endforeach()

topoplan_add_library(core HEADERS ${core_headers})
topoplan_add_library(groups HEADERS ${groups_headers} NEEDS core PACKAGES range-v3 LINKS range-v3::range-v3)
topoplan_add_library(cost HEADERS ${cost_headers} NEEDS core)
topoplan_add_library(import HEADERS ${import_headers} NEEDS cost)
topoplan_add_library(graph HEADERS ${graph_headers} NEEDS import PACKAGES Boost LINKS Boost::headers)
topoplan_add_library(solve HEADERS ${solve_headers} NEEDS graph groups)
topoplan_add_library(json HEADERS ${json_headers} NEEDS import PACKAGES nlohmann_json LINKS nlohmann_json::nlohmann_json)
topoplan_add_library(xml HEADERS ${xml_headers} NEEDS import PACKAGES pugixml LINKS pugixml::pugixml)
# yaml-cpp 0.7 exports its target without a namespace.
topoplan_add_library(yaml HEADERS ${yaml_headers} NEEDS import PACKAGES yaml-cpp
  LINKS $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)
topoplan_add_library(emit HEADERS ${emit_headers} NEEDS cost)
topoplan_add_library(topoplan HEADERS "${PROJECT_SOURCE_DIR}/include/topoplan/topoplan.hpp"
  NEEDS core groups cost graph solve import json emit)

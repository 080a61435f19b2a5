// error: no matching function for call to .*widest_paths
#include <topoplan/graph/paths.hpp>
#include <topoplan/graph/regular_fabric.hpp>

using namespace topoplan;

auto right(const regular_fabric& g) { return widest_paths(g, 0, get(&fabric_edge::rate, g)); }

#ifndef TOPOPLAN_COMPILES
auto wrong(const regular_fabric& g) {
  return widest_paths(g, 0, [](const fabric_arc&) { return 400.0; });
}
#endif

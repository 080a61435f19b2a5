// error: no matching function for call to .*nvlink_domains
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/nvlink.hpp>
#include <topoplan/graph/regular_fabric.hpp>

using namespace topoplan;

auto right(const regular_fabric& g) {
  return nvlink_domains(g, get(&fabric_vertex::kind, g), get(&fabric_edge::kind, g), get(&fabric_edge::rate, g));
}

#ifndef TOPOPLAN_COMPILES
auto wrong(const regular_fabric& g, const fabric_graph& other) {
  return nvlink_domains(g, get(&fabric_vertex::kind, g), get(&fabric_edge::kind, other), get(&fabric_edge::rate, g));
}
#endif

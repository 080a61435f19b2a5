// error: use of deleted function .*layout.*mesh_order|call to deleted constructor of 'layout'
#include <topoplan/layout/layout.hpp>

using namespace topoplan;

layout right(const resolved_degrees& d) { return {d, to_fastest_first(mesh_order("pp-dp-cp-tp"))}; }

#ifndef TOPOPLAN_COMPILES
layout wrong(const resolved_degrees& d) { return layout(d, mesh_order("pp-dp-cp-tp")); }
#endif

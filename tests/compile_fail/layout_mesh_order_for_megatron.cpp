// error: no match for .operator=.*mesh_order|no viable overloaded '='
#include <topoplan/layout/megatron_options.hpp>

using namespace topoplan;

void right(megatron::options& o) { o.order = to_fastest_first(mesh_order("pp-dp-cp-tp")); }

#ifndef TOPOPLAN_COMPILES
void wrong(megatron::options& o) { o.order = mesh_order("pp-dp-cp-tp"); }
#endif

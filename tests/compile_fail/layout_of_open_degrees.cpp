// error: no matching function for call to .*layout.*degrees|no matching constructor for initialization of 'layout'
#include <topoplan/layout/layout.hpp>

using namespace topoplan;

layout right(const degrees& d) { return layout(resolve(d, 64), orders::megatron); }

#ifndef TOPOPLAN_COMPILES
layout wrong(const degrees& d) { return layout(d, orders::megatron); }
#endif

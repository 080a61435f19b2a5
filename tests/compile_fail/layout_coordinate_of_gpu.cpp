// error: cannot convert .*gpu_tag.* to .*rank_tag|no viable conversion from .*gpu_.* to .*rank_
#include <topoplan/layout/layout.hpp>

using namespace topoplan;

coordinate right(const layout& l, rank_id r) { return l.coordinate(r); }

#ifndef TOPOPLAN_COMPILES
coordinate wrong(const layout& l, gpu_id g) { return l.coordinate(g); }
#endif

// error: cannot convert .int. to .*rank_id|no viable conversion from 'int' to 'rank_id'
#include <topoplan/layout/layout.hpp>

using namespace topoplan;

unsigned right(const layout& l) { return l.position(rank_id{5}, axis::tp); }

#ifndef TOPOPLAN_COMPILES
unsigned wrong(const layout& l) { return l.position(5, axis::tp); }
#endif

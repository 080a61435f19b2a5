// error: no match for .operator=.|no viable overloaded .=.
#include <topoplan/core/ids.hpp>

using namespace topoplan;

inline void keep(domain_id& to, domain_id from) { to = from; }

#ifndef TOPOPLAN_COMPILES
inline void wrong(domain_id& to, host_id from) { to = from; }
#endif

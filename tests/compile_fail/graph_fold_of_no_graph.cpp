// error: no matching function for call to .*fold
#include <topoplan/graph/fold.hpp>

#include <vector>

constexpr auto kind = [](int) { return topoplan::vertex_kind::gpu; };
constexpr auto host = [](int) { return 0U; };
constexpr auto kind_of_link = [](int) { return topoplan::link_kind::nvlink; };
constexpr auto rate = [](int) { return topoplan::bytes_per_second{1}; };

#ifndef TOPOPLAN_COMPILES
topoplan::cluster wrong(const std::vector<int>& g) { return topoplan::fold(g, kind, host, kind_of_link, rate); }
#endif

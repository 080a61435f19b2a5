// error: no match for .operator==.|invalid operands to binary expression
#include <topoplan/core/ids.hpp>

using namespace topoplan;

constexpr bool same = rank_id{3} == rank_id{3};

#ifndef TOPOPLAN_COMPILES
constexpr bool wrong = rank_id{3} == gpu_id{3};
#endif

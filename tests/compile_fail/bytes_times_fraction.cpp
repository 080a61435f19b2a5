// error: no match for .operator\*.|invalid operands to binary expression
#include <topoplan/core/units.hpp>

using namespace topoplan;

constexpr bytes twice = 2 * bytes{1};

#ifndef TOPOPLAN_COMPILES
constexpr auto wrong = 1.5 * bytes{1};
#endif

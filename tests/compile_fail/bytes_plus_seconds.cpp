// error: no match for .operator\+.|invalid operands to binary expression
#include <topoplan/core/units.hpp>

using namespace topoplan;

constexpr bytes sum = bytes{1} + bytes{2};

#ifndef TOPOPLAN_COMPILES
constexpr auto wrong = bytes{1} + seconds{2};
#endif

// error: no match for .operator<.|invalid operands to binary expression
#include <topoplan/core/units.hpp>

using namespace topoplan;

constexpr bool faster = gigabytes_per_second(400) < gigabytes_per_second(450);

#ifndef TOPOPLAN_COMPILES
constexpr bool wrong = seconds{1} < gigabytes_per_second(450);
#endif

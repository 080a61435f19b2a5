// The other of two translation units that include the whole library.
#include <topoplan/topoplan.hpp>

const char* other_unit();

const char* other_unit() { return "linked"; }

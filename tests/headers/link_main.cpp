// One of two translation units that include the whole library.
#include <topoplan/topoplan.hpp>

const char* other_unit();

int main() { return other_unit() != nullptr ? 0 : 1; }

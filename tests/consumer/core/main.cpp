// A launcher that takes only the core component.
#include <topoplan/core/ids.hpp>

#include <cstdio>

int main() {
  unsigned last = 0;
  for (const topoplan::rank_id r : topoplan::id_range<topoplan::rank_id>(0, 8)) last = r.value;
  std::printf("ranks 0 to %u\n", last);
}

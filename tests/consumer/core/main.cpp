// A launcher that takes only the core component: it looks up who runs where.
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <cstdio>

using namespace topoplan;

int main() {
  rank_columns columns;
  for (std::uint32_t r = 0; r < 8; ++r) {
    columns.host.push_back(r / 4);
    columns.gpu.push_back(static_cast<std::uint16_t>(r % 4));
    columns.domain.push_back(r / 4);
  }
  const rank_map map(layout(resolve({.tp = 4, .pp = 2}, 8), orders::megatron), {"gpu-b", "gpu-a"}, columns);
  for (const rank_id r : map.ranks_on(host_id{1})) {
    const coordinate at = map.coordinate(r);
    std::printf("rank %u: tp %u pp %u\n", r.value, at[axis::tp], at[axis::pp]);
  }
}

// A planner that takes everything.
#include <topoplan/topoplan.hpp>

#include <cstdio>

int main() {
  const auto cluster = topoplan::presets::dgx_h100(4);
  const auto plan = topoplan::place(cluster, {.tp = 8, .dp = 2, .pp = 2}, topoplan::orders::megatron);
  if (!plan) return 1;
  std::printf("%u ranks on %u hosts\n", plan->rank_map.world(), plan->rank_map.hosts());
}

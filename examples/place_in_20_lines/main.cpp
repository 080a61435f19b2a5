// A job of 256 ranks on four NVL72 racks: 64 GPUs of each rack take one expert-parallel group, the others stay spare.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/emit/torchrun.hpp>
#include <topoplan/solve/lint.hpp>
#include <topoplan/solve/place.hpp>

#include <iostream>

int main() {
  using namespace topoplan;
  const cluster racks = presets::gb200_nvl72(4);
  const place_options options{.confine = {rules::tp_in_domain, rules::ep_in_domain}};
  const placement plan = place(racks, {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32}, orders::megatron, options);
  if (!plan) return std::cerr << plan.why() << '\n', 1;
  for (const finding& f : plan->verdict.findings) std::cerr << f.rule << ": " << f.text << '\n';
  std::cerr << "cost " << plan->cost.cost << ", " << to_string(plan->optimality) << ", spare hosts "
            << plan->rank_map.spares().size() << '\n';
  emit::torchrun(std::cout, *plan, racks);
  return lint(racks, plan->rank_map).keeps(rules::ep_in_domain) ? 0 : 1;
}

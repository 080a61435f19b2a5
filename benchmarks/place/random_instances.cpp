#include "random_instances.hpp"

#include <topoplan/solve/detail/random.hpp>

#include <algorithm>
#include <utility>

namespace topoplan_bench {

using namespace topoplan;

instance random_instance(std::uint64_t n) {
  detail::random_source random(0x5eed0000 + n);
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random.below(high - low + 1));
  };
  for (;;) {
    instance made;
    made.price = empty_price();
    const std::uint32_t axes = between(1, 3);
    made.d.tp = 8;
    made.d.dp = between(2, 32);
    if (axes > 1) made.d.pp = between(2, 16);
    if (axes > 2) made.d.cp = between(2, 4);
    const std::uint32_t units = made.d.dp * made.d.pp * made.d.cp;
    if (units < 16 || units > 512) continue;
    const std::uint32_t hosts = units + (random.below(3) == 0 ? between(1, std::max(2U, units / 12)) : 0);
    const std::uint32_t most = between(4, 32);
    const std::uint32_t pods = between(1, 4);
    const std::uint32_t kind = between(0, 2);  // leaf groups of any size, of two sizes, of one size but the last
    std::vector<std::vector<std::uint32_t>> leaves(pods);
    std::uint32_t left = hosts;
    for (std::uint32_t i = 0; left > 0; ++i) {
      const std::uint32_t size = kind == 0 ? between(1, most) : kind == 1 && random.below(4) == 0 ? std::max(1U, most - 3) : most;
      leaves[(i * pods / std::max(1U, hosts / ((kind == 0 ? most / 2 : most) + 1) + 1)) % pods].push_back(std::min(size, left));
      left -= std::min(size, left);
    }
    std::erase_if(leaves, [](const auto& pod) { return pod.empty(); });
    made.c = uneven(leaves);
    made.c = shuffled(made.c, n);  // listed in an order that has nothing to do with the network
    made.price.name = "random";
    const auto set = [&](axis a, std::int64_t weight, edge_pattern pattern) {
      made.price.weights[static_cast<std::size_t>(a)] = weight;
      made.price.patterns[static_cast<std::size_t>(a)] = pattern;
    };
    const std::int64_t weights[] = {10, 20, 50, 100};
    set(axis::dp, weights[random.below(4)], random.below(8) == 0 ? edge_pattern::all_to_all : edge_pattern::ring);
    set(axis::pp, weights[random.below(4)], random.below(3) == 0 ? edge_pattern::ring : edge_pattern::chain);
    set(axis::cp, weights[random.below(4)], edge_pattern::ring);
    made.options.launcher = launchers::free;
    made.name = "random-" + std::to_string(n);
    made.origin = "seeded";
    return made;
  }
}

}  // namespace topoplan_bench

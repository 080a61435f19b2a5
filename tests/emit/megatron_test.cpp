// Tests of emit/megatron.hpp: the options make Megatron-LM's own rule give the map's groups, and unreachable orders are refused.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/emit/megatron.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "emit/support.hpp"
#include "support/random.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::contains;
using topoplan_test::regular_parts;
using topoplan_test::text_of;

// One rank a host: options depend on the layout only.
rank_map map_of(const layout& l) {
  rank_columns c;
  std::vector<std::string> hosts;
  for (std::uint32_t r = 0; r < l.world(); ++r) {
    hosts.push_back("h" + std::to_string(r));
    c.host.push_back(r);
    c.gpu.push_back(0);
    c.domain.push_back(r / 8);
  }
  return {l, hosts, c};
}
rank_map map_of(const degrees& d, std::uint32_t world, const char* order_text = "tp-cp-ep-dp-pp") {
  return map_of(layout(resolve(d, world), order(order_text)));
}
std::string options_of(const rank_map& map) {
  return text_of([&](std::ostream& out) { emit::megatron_options(out, map); });
}

// What Megatron-LM's argument parser makes of the text.
megatron::options parsed(const std::string& text, std::uint64_t world) {
  megatron::options o;
  o.world_size = world;
  std::istringstream in(text);
  const std::map<std::string, std::uint32_t megatron::options::*> sizes{
      {"--tensor-model-parallel-size", &megatron::options::tp},
      {"--context-parallel-size", &megatron::options::cp},
      {"--pipeline-model-parallel-size", &megatron::options::pp},
      {"--expert-model-parallel-size", &megatron::options::ep},
      {"--expert-tensor-parallel-size", &megatron::options::expert_tp}};
  for (std::string word; in >> word;) {
    if (word == "--use-tp-pp-dp-mapping") {
      o.order = orders::megatron_tp_pp_dp;
      continue;
    }
    REQUIRE_MESSAGE(sizes.contains(word), word);
    in >> o.*sizes.at(word);
  }
  return o;
}

// post: with the options written, Megatron-LM accepts the sizes and gives every rank the map's coordinates.
void check_options(const rank_map& map) {
  const megatron::group_set set(parsed(options_of(map), map.world()));
  for (std::uint32_t r = 0; r < map.world(); ++r)
    for (const axis a : all_axes) REQUIRE(set.position(rank_id{r}, a) == map.coordinate(rank_id{r})[a]);
}

TEST_CASE("the default order") {
  CHECK(options_of(map_of({.tp = 8, .pp = 4}, 64)) ==
        "--tensor-model-parallel-size 8\n--context-parallel-size 1\n--pipeline-model-parallel-size 4\n");
  CHECK(options_of(map_of({.tp = 2, .cp = 2, .ep = 4, .expert_tp = 1, .pp = 2}, 32)) ==
        "--tensor-model-parallel-size 2\n--context-parallel-size 2\n--pipeline-model-parallel-size 2\n"
        "--expert-model-parallel-size 4\n--expert-tensor-parallel-size 1\n");
}

TEST_CASE("the mapping option stands only where it is needed and taken") {
  CHECK(contains(options_of(map_of({.tp = 2, .pp = 2}, 16, "tp-cp-ep-pp-dp")), "--use-tp-pp-dp-mapping\n"));
  CHECK(contains(options_of(map_of({.tp = 2, .cp = 2, .ep = 4, .expert_tp = 1, .pp = 2}, 32, "tp-cp-ep-pp-dp")),
                 "--use-tp-pp-dp-mapping\n"));
  CHECK(!contains(options_of(map_of({.tp = 2, .cp = 2}, 16, "tp-cp-ep-pp-dp")), "mapping"));  // pp is 1: no difference
  CHECK(!contains(options_of(map_of({.tp = 2, .pp = 4}, 8, "tp-cp-ep-pp-dp")), "mapping"));   // dp is 1
  CHECK(!contains(options_of(map_of({.tp = 2, .pp = 4}, 16, "tp-dp-pp")), "mapping"));        // the same numbering
}

TEST_CASE("orders that no option reaches are refused, with the two that are") {
  const std::vector<rank_map> unreachable{map_of({.tp = 2}, 16, "dp-tp-pp"), map_of({.tp = 2, .pp = 2}, 16, "pp-dp-tp"),
                                          map_of({.tp = 2, .cp = 2}, 16, "tp-dp-cp-pp"),
                                          map_of({.tp = 2, .cp = 2}, 16, "cp-tp-dp-pp")};
  for (const rank_map& map : unreachable) {
    try {
      (void)options_of(map);
      FAIL_CHECK(to_string(map.order()));
    } catch (const invalid_argument& e) {
      CHECK(contains(e.what(), "order " + to_string(map.order())));
      CHECK(contains(e.what(), "tp-cp-ep-dp-pp and, with --use-tp-pp-dp-mapping, tp-cp-ep-pp-dp"));
    }
  }
}

TEST_CASE("all orders and seeded degrees: what is written is right, what is refused can't be written") {
  topoplan_test::random numbers(51);
  const std::vector<std::string> all_orders = [] {
    std::vector<std::string> names{"tp", "cp", "ep", "dp", "pp"};
    std::sort(names.begin(), names.end());
    std::vector<std::string> found;
    do {
      found.push_back(names[0] + "-" + names[1] + "-" + names[2] + "-" + names[3] + "-" + names[4]);
    } while (std::next_permutation(names.begin(), names.end()));
    return found;
  }();
  int written = 0;
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto size = [&] { return 1U << numbers.below(3); };
    const degrees d{.tp = size(), .cp = size(), .ep = size(), .expert_tp = size(), .pp = size()};
    const order o(all_orders[static_cast<std::size_t>(numbers.below(all_orders.size()))]);
    try {
      const rank_map map = map_of(layout(resolve(d, 64), o));
      try {
        check_options(map);
        ++written;
      } catch (const invalid_argument&) {
        ++refused;
        for (const order& reachable : {orders::megatron, orders::megatron_tp_pp_dp}) {
          megatron::options theirs = megatron::options_for(map.layout());
          theirs.order = reachable;
          try {
            const megatron::group_set set(theirs);
            bool same = true;
            for (std::uint32_t r = 0; r < map.world(); ++r)
              for (const axis a : all_axes) same = same && set.position(rank_id{r}, a) == map.coordinate(rank_id{r})[a];
            CHECK(!same);
          } catch (const invalid_argument&) {
          }
        }
      }
    } catch (const invalid_argument&) {
    }
  }
  CHECK(written > 30);
  CHECK(refused > 300);
}

std::string environment_of(const rank_map& map, const cluster& c) {
  return text_of([&](std::ostream& out) { emit::megatron_environment(out, map, c); });
}

// A map of whole hosts of a cluster, in its order, with the first `used` GPUs of each domain.
rank_map map_on(const cluster& c, const degrees& d, std::uint32_t used) {
  std::vector<std::string> hosts;
  rank_columns columns;
  std::vector<std::uint32_t> taken(c.domains, 0);
  for (const host_id h : c.all_hosts()) {
    bool listed = false;
    for (const gpu_id g : c.gpus_of(h)) {
      if (taken[c.at(g).domain.value]++ >= used) continue;
      if (!listed) hosts.push_back(c.at(h).name);
      listed = true;
      columns.host.push_back(static_cast<std::uint32_t>(hosts.size() - 1));
      columns.gpu.push_back(c.at(g).index);
      columns.domain.push_back(c.at(g).domain.value);
    }
  }
  return {layout(resolve(d, columns.host.size()), orders::megatron), hosts, columns};
}

TEST_CASE("the environment of expert dispatchers agrees with the map") {
  const cluster rack = make_cluster("gb200-nvl72:4");
  const std::string wide = environment_of(map_on(rack, {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32}, 64), rack);
  CHECK(contains(wide, "export NVLINK_DOMAIN_SIZE=72\n"));
  CHECK(contains(wide, "export NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=64\n"));
  CHECK(contains(wide, "export USE_MNNVL=1\n"));
  const cluster boxes = make_cluster("dgx-h100:4");
  const std::string split = environment_of(map_on(boxes, {.tp = 1, .ep = 16}, 8), boxes);
  CHECK(contains(split, "export NVLINK_DOMAIN_SIZE=8\n"));
  CHECK(contains(split, "export NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=8\n"));
  CHECK(contains(split, "export USE_MNNVL=0\n"));
  const std::string uneven = environment_of(map_on(rack, {.tp = 8, .ep = 32, .expert_tp = 1, .dp = 36}, 72), rack);
  CHECK(contains(uneven, "# NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN is not set"));
  CHECK(!contains(uneven, "export NUM_OF"));
  CHECK(!contains(environment_of(map_on(boxes, {.tp = 8}, 8), boxes), "export"));
  for (const std::string& text : {wide, split, uneven}) {
    const topoplan_test::temporary_folder folder;
    const std::string file = folder.write("env.sh", text);
    CHECK(topoplan_test::run({"bash", "-c", "set -eu; . \"$1\"; test -n \"$NVLINK_DOMAIN_SIZE\"", "_", file}).status == 0);
  }
}

TEST_CASE("a plan's are its map's") {
  const rank_map map = regular_parts({.tp = 2, .ep = 2, .expert_tp = 1}, 1, 8).build();
  const plan p = topoplan_test::bare_plan(map, launchers::torchrun);
  CHECK(text_of([&](std::ostream& out) { emit::megatron_options(out, p); }) == options_of(map));
  const cluster c = make_cluster("dgx-h100:1");
  CHECK(text_of([&](std::ostream& out) { emit::megatron_environment(out, p, c); }) == environment_of(map, c));
}

}  // namespace

// Jobs on clusters that the placing benchmark runs, and the files that hold them.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan_bench {

struct instance {
  std::string name;
  topoplan::cluster c;
  topoplan::degrees d;
  topoplan::place_options options;
  topoplan::custom_objective price;
  std::string origin;
};

// The instances of a file; instances/named.txt explains the form. errors: parse_error that names file and line.
[[nodiscard]] std::vector<instance> read_instances(const std::string& path);

// No weights, distances 1 1 10 30 60.
[[nodiscard]] topoplan::custom_objective empty_price();
// Pods of leaf groups of hosts with that many GPUs each; hosts are listed leaf by leaf.
[[nodiscard]] topoplan::cluster uneven(const std::vector<std::vector<std::uint32_t>>& pods, std::uint16_t gpus = 8);
// The same hosts listed in another order.
[[nodiscard]] topoplan::cluster shuffled(const topoplan::cluster& c, std::uint64_t seed);

}  // namespace topoplan_bench

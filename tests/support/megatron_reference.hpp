// Reads tests/data/megatron_groups.json: what Megatron-LM creates and refuses, recorded from its own code.
#pragma once

#include <topoplan/layout/megatron_options.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace topoplan_test {

inline const nlohmann::json& megatron_reference() {
  static const nlohmann::json data = [] {
    std::ifstream in(std::string(TOPOPLAN_TEST_DATA) + "/megatron_groups.json");
    if (!in) throw std::runtime_error("can't read megatron_groups.json in " TOPOPLAN_TEST_DATA);
    return nlohmann::json::parse(in);
  }();
  return data;
}

// errors: topoplan::invalid_argument for an order with repeated or unknown tokens.
inline topoplan::megatron::options megatron_options(const nlohmann::json& args) {
  topoplan::megatron::options o;
  o.world_size = args.at("world_size").get<std::uint64_t>();
  o.tp = args.at("tp").get<std::uint32_t>();
  o.cp = args.at("cp").get<std::uint32_t>();
  o.ep = args.at("ep").get<std::uint32_t>();
  o.pp = args.at("pp").get<std::uint32_t>();
  if (!args.at("expt_tp").is_null()) o.expert_tp = args.at("expt_tp").get<std::uint32_t>();
  o.order = topoplan::order(args.at("order").get<std::string>());
  o.dist_opt_instances = args.at("num_distributed_optimizer_instances").get<std::uint32_t>();
  if (const auto& sizes = args.at("hierarchical_context_parallel_sizes"); !sizes.is_null())
    o.hierarchical_cp = sizes.get<std::vector<std::uint32_t>>();
  if (!args.at("virtual_pp").is_null()) o.vpp = args.at("virtual_pp").get<std::uint32_t>();
  o.gtp_remat = args.at("gtp_remat").get<std::uint32_t>();
  o.expert_gtp_remat = args.at("expt_gtp_remat").get<std::uint32_t>();
  o.hybrid_cp = args.at("hybrid_context_parallel").get<bool>();
  o.rank_offset = args.at("rank_offset").get<std::uint64_t>();
  return o;
}

}  // namespace topoplan_test

// What Megatron-LM takes to build its process groups, and what it refuses.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/grid.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::megatron {

// The arguments of initialize_model_parallel() that decide about groups, named as topoplan's options.
struct options {
  std::uint64_t world_size = 1;
  std::uint32_t tp = 1;
  std::uint32_t cp = 1;
  std::uint32_t ep = 1;
  std::uint32_t expert_tp = 0;  // 0: as tp
  std::uint32_t pp = 1;
  topoplan::order order = orders::megatron;
  std::uint32_t dist_opt_instances = 1;
  std::vector<std::uint32_t> hierarchical_cp;  // sizes of the levels, innermost first; empty: not hierarchical
  std::optional<std::uint32_t> vpp;            // virtual pipeline stages; makes no group, but Megatron refuses it without pp
  std::uint32_t gtp_remat = 1;
  std::uint32_t expert_gtp_remat = 1;
  bool hybrid_cp = false;
  std::uint64_t rank_offset = 0;  // number of the first rank
};

// What follows from the options.
struct derived_degrees {
  std::uint32_t dp = 1;
  std::uint32_t expert_tp = 1;
  std::uint32_t expert_dp = 1;

  friend constexpr bool operator==(const derived_degrees&, const derived_degrees&) = default;
};

// The options that make Megatron-LM lay out ranks as `l` does; where layout allows more than Megatron-LM does, derive() says so.
// complexity: O(1). errors: none.
[[nodiscard]] inline options options_for(const layout& l) {
  options o;
  o.world_size = l.world();
  o.tp = l.degrees().tp;
  o.cp = l.degrees().cp;
  o.ep = l.degrees().ep;
  o.expert_tp = l.degrees().expert_tp;
  o.pp = l.degrees().pp;
  o.order = l.order();
  return o;
}

namespace detail {
using topoplan::detail::capped_product;
using factor = std::pair<std::string_view, std::uint64_t>;

// "tp*cp*pp = 4*2*2 = 16"; factors called *gtp_remat are left out where they are 1.
[[nodiscard]] inline std::string product_text(std::initializer_list<factor> factors) {
  std::string names;
  std::string values;
  std::uint64_t product = 1;
  for (const auto& [name, value] : factors) {
    product = capped_product(product, value);
    if (value == 1 && name.ends_with("gtp_remat")) continue;
    (names += names.empty() ? "" : "*") += name;
    (values += values.empty() ? "" : "*") += std::to_string(value);
  }
  return names + " = " + values +
         (names.find('*') == std::string::npos ? ""
          : product > max_world                ? " = more than " + std::to_string(max_world)
                                               : " = " + std::to_string(product));
}

// The quotient. errors: invalid_argument if there is a remainder.
[[nodiscard]] inline std::uint32_t share_of_world(std::uint64_t world, std::initializer_list<factor> factors) {
  std::uint64_t product = 1;
  for (const auto& [name, value] : factors) {
    if (value == 0) throw invalid_argument(std::string(name) + " is 0; a degree is at least 1");
    product = capped_product(product, value);
  }
  if (world % product != 0)
    throw invalid_argument("world size " + std::to_string(world) + " isn't divisible by " + product_text(factors));
  return static_cast<std::uint32_t>(world / product);
}

// Megatron-LM looks for tp in every order, at size 1 too, and for every other axis whose size is above 1.
inline void require_named(const topoplan::order& o, std::initializer_list<std::pair<axis, factor>> sizes) {
  if (!o.contains(axis::tp))
    throw invalid_argument("order " + to_string(o) + " doesn't name tp, which Megatron-LM needs in every order");
  for (const auto& [a, size] : sizes)
    if (size.second > 1 && !o.contains(a))
      throw invalid_argument("order " + to_string(o) + " doesn't name " + std::string(to_string(a)) + ", and " +
                             std::string(size.first) + " is " + std::to_string(size.second));
}

// The digits of a rank in order: each axis becomes the dimension of its name, gtp_remat follows the axis `after`, or tp where
// the order doesn't name that.
[[nodiscard]] inline rank_grid grid_in_order(const options& o, std::initializer_list<std::pair<axis, factor>> sizes,
                                             const factor& gtp_remat, axis after) {
  const axis anchor = o.order.contains(after) ? after : axis::tp;
  std::vector<grid_dim> dims;
  for (const axis a : o.order) {
    for (const auto& [of, size] : sizes)
      if (of == a) dims.push_back({std::string(size.first), static_cast<std::uint32_t>(size.second)});
    if (a == anchor) dims.push_back({std::string(gtp_remat.first), static_cast<std::uint32_t>(gtp_remat.second)});
  }
  for (const auto& [of, size] : sizes)
    if (!o.order.contains(of)) dims.push_back({std::string(size.first), 1});
  return rank_grid(std::move(dims), o.rank_offset);
}
}  // namespace detail

// The two mixed-radix numbers that a rank is: dimensions tp, gtp_remat, cp, dp, pp of dense layers, and expert_tp, ep,
// expert_gtp_remat, expert_dp, pp of experts. pre: `d` comes from derive(o). complexity: O(1). errors: none.
[[nodiscard]] inline rank_grid dense_grid(const options& o, const derived_degrees& d) {
  return detail::grid_in_order(
      o, {{axis::tp, {"tp", o.tp}}, {axis::cp, {"cp", o.cp}}, {axis::dp, {"dp", d.dp}}, {axis::pp, {"pp", o.pp}}},
      {"gtp_remat", o.gtp_remat}, axis::tp);
}
[[nodiscard]] inline rank_grid expert_grid(const options& o, const derived_degrees& d) {
  return detail::grid_in_order(o,
                               {{axis::tp, {"expert_tp", d.expert_tp}},
                                {axis::ep, {"ep", o.ep}},
                                {axis::dp, {"expert_dp", d.expert_dp}},
                                {axis::pp, {"pp", o.pp}}},
                               {"expert_gtp_remat", o.expert_gtp_remat}, axis::ep);
}

namespace detail {
inline void require_same_stages(const options& o, const derived_degrees& d) {
  if (o.pp == 1) return;
  const bool pp_last = o.order[o.order.size() - 1] == axis::pp;
  if (!pp_last && d.dp != d.expert_dp)
    throw invalid_argument("order " + to_string(o.order) + " doesn't end in pp, and then Megatron-LM wants dp " +
                           std::to_string(d.dp) + " and expert_dp " + std::to_string(d.expert_dp) + " to be equal: make " +
                           product_text({{"tp", o.tp}, {"cp", o.cp}, {"gtp_remat", o.gtp_remat}}) + " and " +
                           product_text({{"expert_tp", d.expert_tp}, {"ep", o.ep}, {"expert_gtp_remat", o.expert_gtp_remat}}) +
                           " equal, or let the order end in pp");
  const std::uint64_t dense = dense_grid(o, d).mode_of("pp").stride;
  const std::uint64_t expert = expert_grid(o, d).mode_of("pp").stride;
  if (dense != expert)
    throw invalid_argument("order " + to_string(o.order) + " puts pipeline stages " + std::to_string(dense) +
                           " ranks apart for dense layers and " + std::to_string(expert) +
                           " for experts, and Megatron-LM wants the same pipeline groups; let the order end in pp");
}

inline void require_divisible(std::string_view what, std::uint64_t value, std::uint32_t instances) {
  if (value % instances != 0)
    throw invalid_argument(std::string(what) + " = " + std::to_string(value) + " isn't divisible by " +
                           std::to_string(instances) + " distributed-optimizer instances");
}

inline void require_legal_extras(const options& o, const derived_degrees& d) {
  const std::uint64_t dp_cp = std::uint64_t{d.dp} * o.cp;
  if (o.vpp && o.pp == 1)
    throw invalid_argument("vpp is " + std::to_string(*o.vpp) + " and pp is 1; an interleaved schedule needs a pp above 1");
  if (o.vpp && *o.vpp == 0) throw invalid_argument("vpp is 0; leave it out for a schedule without virtual stages");
  if (o.dist_opt_instances == 0) throw invalid_argument("there are 0 distributed-optimizer instances; there is at least 1");
  if (o.dist_opt_instances > 1 && (o.gtp_remat > 1 || o.expert_gtp_remat > 1))
    throw invalid_argument("gtp_remat " + std::to_string(o.gtp_remat) + " and expert_gtp_remat " +
                           std::to_string(o.expert_gtp_remat) + " don't go with " + std::to_string(o.dist_opt_instances) +
                           " distributed-optimizer instances: Megatron-LM wants either the sizes or the instances to be 1");
  require_divisible("dp*cp", dp_cp, o.dist_opt_instances);
  require_divisible("expert_dp", d.expert_dp, o.dist_opt_instances);
  if (o.hybrid_cp && dp_cp % 2 != 0)
    throw invalid_argument("hybrid context parallelism needs an even dp*cp, and dp*cp = " + std::to_string(d.dp) + "*" +
                           std::to_string(o.cp) + " = " + std::to_string(dp_cp));
  if (o.hierarchical_cp.empty()) return;
  std::uint64_t product = 1;
  std::string sizes;
  for (const std::uint32_t size : o.hierarchical_cp) {
    product = capped_product(product, size);
    (sizes += sizes.empty() ? "" : "*") += std::to_string(size);
  }
  if (product != o.cp)
    throw invalid_argument("the sizes of hierarchical context parallelism multiply to " + sizes + " = " +
                           std::to_string(product) + ", and cp is " + std::to_string(o.cp));
}
}  // namespace detail

// Checks the options as initialize_model_parallel() does and derives the remaining degrees.
// post: tp*cp*gtp_remat*dp*pp == expert_tp*ep*expert_gtp_remat*expert_dp*pp == world_size. complexity: O(1).
// errors: invalid_argument, with the rule and the numbers, for everything that Megatron-LM refuses; also for what it takes and
// then gets wrong: sizes of 0, ranks beyond max_world. (Repeated and unknown tokens of an order are refused by `order`.)
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py, initialize_model_parallel() and RankGenerator.
[[nodiscard]] inline derived_degrees derive(const options& o) {
  if (o.world_size == 0 || o.world_size > max_world || o.rank_offset > max_world - o.world_size)
    throw invalid_argument("world size " + std::to_string(o.world_size) + " from rank " + std::to_string(o.rank_offset) +
                           " on is outside 1 ... " + std::to_string(max_world) + " ranks");
  derived_degrees d;
  d.expert_tp = o.expert_tp == 0 ? o.tp : o.expert_tp;
  d.dp = detail::share_of_world(o.world_size, {{"tp", o.tp}, {"gtp_remat", o.gtp_remat}, {"cp", o.cp}, {"pp", o.pp}});
  detail::require_named(o.order,
                        {{axis::tp, {"tp", o.tp}}, {axis::cp, {"cp", o.cp}}, {axis::dp, {"dp", d.dp}}, {axis::pp, {"pp", o.pp}}});
  d.expert_dp = detail::share_of_world(
      o.world_size, {{"expert_tp", d.expert_tp}, {"ep", o.ep}, {"expert_gtp_remat", o.expert_gtp_remat}, {"pp", o.pp}});
  detail::require_named(o.order, {{axis::ep, {"ep", o.ep}}, {axis::dp, {"expert_dp", d.expert_dp}}});
  detail::require_same_stages(o, d);
  detail::require_legal_extras(o, d);
  return d;
}

}  // namespace topoplan::inline v1::megatron

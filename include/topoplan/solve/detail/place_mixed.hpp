// Places a job on several GPU models where the axes that may mix them are named.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/arrange.hpp>
#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/mixed_models.hpp>
#include <topoplan/solve/detail/place_units.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// The pools below the root that has the most usable GPUs, as one. post: hosts in the order of the cluster.
// pre: there is a pool. complexity: O(hosts log hosts).
[[nodiscard]] inline std::pair<pool, std::vector<pool>> merged_pool(const cluster& c, const std::vector<pool>& pools) {
  std::vector<std::uint64_t> usable;
  for (const pool& p : pools) {
    if (usable.size() <= p.root) usable.resize(p.root + 1, 0);
    usable[p.root] += p.usable;
  }
  const auto root = static_cast<std::uint32_t>(std::max_element(usable.begin(), usable.end()) - usable.begin());
  pool all;
  all.root = root;
  std::vector<pool> parts;
  for (const pool& p : pools) {
    if (p.root != root) continue;
    all.hosts.insert(all.hosts.end(), p.hosts.begin(), p.hosts.end());
    all.usable += p.usable;
    parts.push_back(p);
  }
  std::sort(all.hosts.begin(), all.hosts.end());
  all.model = parts.front().model;
  return {std::move(all), by_model(c, std::move(parts))};
}

// Gives the sets of ranks that share a model to models in the order of their ranks, the fastest model first, each as many as it
// has room for; by unit, the part that it goes to. `slots`: by part, room for units.
// post: none if sets differ in size, a unit lies in two, or there are more sets than room for them. complexity: O(ranks).
[[nodiscard]] inline std::optional<std::vector<std::uint32_t>> share_out(const layout& l, const unit_scheme& s, axis_set mix,
                                                                         const std::vector<std::uint64_t>& slots) {
  const std::vector<std::uint32_t> root = one_model_roots(l, mix);
  std::vector<std::uint32_t> set_of(root.size());
  std::vector<std::uint32_t> size;
  for (std::uint32_t r = 0; r < root.size(); ++r) {
    if (root[r] == r) {
      set_of[r] = static_cast<std::uint32_t>(size.size());
      size.push_back(0);
    }
    set_of[r] = set_of[root[r]];
    ++size[set_of[r]];
  }
  for (const std::uint32_t n : size)
    if (n != size.front() || n % s.size != 0) return std::nullopt;
  const std::uint32_t units = size.front() / s.size;
  std::vector<std::uint32_t> model_of_set;
  for (std::uint32_t m = 0; m < slots.size(); ++m) {
    const auto taken = std::min<std::uint64_t>(slots[m] / units, size.size() - model_of_set.size());
    model_of_set.insert(model_of_set.end(), taken, m);
  }
  if (model_of_set.size() < size.size()) return std::nullopt;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> model_of_unit(s.units, none);
  for (std::uint32_t r = 0; r < root.size(); ++r) {
    std::uint32_t& m = model_of_unit[s.unit_of[r]];
    if (m == none) m = model_of_set[set_of[r]];
    else if (m != model_of_set[set_of[r]]) return std::nullopt;
  }
  return model_of_unit;
}

// Units on slots of their models, improved by exchanges within a model. pre: a slot for every unit of every model.
[[nodiscard]] inline arrangement arrange_models(const unit_graph& graph, const slot_tree& tree, const slot_kinds& kinds,
                                                const std::vector<std::uint32_t>& model_of_unit, const place_options& o) {
  arrangement slot_of(model_of_unit.size());
  std::vector<std::uint32_t> next;
  for (std::uint32_t u = 0; u < slot_of.size(); ++u) {
    const std::uint32_t m = model_of_unit[u];
    if (next.size() <= m) next.resize(m + 1, 0);
    while (kinds[next[m]] != m) ++next[m];
    slot_of[u] = next[m]++;
  }
  if (graph.arcs.empty() || graph.arcs.size() > effort::largest_search) return slot_of;
  exchange changed(graph, tree, std::move(slot_of), kinds);
  changed.descend(8);
  const std::uint64_t moves = effort::moves_for(graph.units(), o.moves);
  if (moves == 0 || tree.levels() < 2) return changed.slots();
  const weight_scale s = scale_of(graph, tree);
  exchange warmed(graph, tree, changed.slots(), kinds);
  random_source random(o.seed);
  warmed.anneal(random, moves, s.heaviest * s.step / 2, s.lightest * s.step / 10);
  warmed.descend(8);
  return cost_of(graph, tree, warmed.slots()) < cost_of(graph, tree, changed.slots()) ? warmed.slots() : changed.slots();
}

// Places units of one scheme; none if a model lacks slots. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline std::optional<pool_answer> place_models(const bound_problem& b, const std::vector<pool>& parts,
                                                             const unit_scheme& s) {
  for (const cutting how : {cutting::aligned, cutting::any}) {
    std::vector<container> all;
    std::vector<std::uint32_t> make;  // by container: its model
    std::vector<std::uint64_t> room;
    for (std::uint32_t m = 0; m < parts.size(); ++m) {
      pool part = parts[m];
      part.nest = b.p.nest;
      part.domain_is_host = b.p.domain_is_host;
      const std::vector<container> slots = slots_of(b.c, part, s, how);
      room.push_back(slot_count(slots, s));
      all.insert(all.end(), slots.begin(), slots.end());
      make.insert(make.end(), slots.size(), m);
    }
    const std::optional<std::vector<std::uint32_t>> model_of_unit = share_out(b.l, s, b.options.mix, room);
    if (!model_of_unit) continue;
    std::vector<std::uint32_t> makes;  // by model and size
    for (std::size_t i = 0; i < all.size(); ++i)
      makes.push_back(static_cast<std::uint32_t>(all[i].gpus.size()) * static_cast<std::uint32_t>(parts.size()) + make[i]);
    const slot_tree tree =
        make_slot_tree(b.c, b.p, b.price, all, s.size, s.one_domain ? container_kind::domain : container_kind::split_host, makes);
    slot_kinds kinds;
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) {
      const std::uint16_t model = b.c.host_of(gpu_id{tree.gpus[std::size_t{slot} * s.size]}).model;
      const auto at = std::find_if(parts.begin(), parts.end(), [&](const pool& p) { return p.model == model; });
      kinds.push_back(static_cast<std::uint32_t>(at - parts.begin()));
    }
    const unit_graph graph = make_unit_graph(b.l, edge_axes(b.l, b.price), s);
    pool_answer answer;
    settle(b, seated(b, s, tree, arrange_models(graph, tree, kinds, *model_of_unit, b.options)), answer);
    return answer;
  }
  return std::nullopt;
}

// pre: no part alone holds the job, all together do. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline pool_answer solve_mixed(const bound_problem& b, const std::vector<pool>& parts) {
  const confined_axes confined(b.options.confine, b.p);
  std::uint32_t most = 0;
  for (const std::uint32_t h : b.p.hosts) most = std::max(most, usable_on(b.c, h));
  if (b.options.launcher.contiguous) {
    for (std::uint32_t run = std::min(most, b.l.world()); run > 0; --run) {
      if (b.l.world() % run != 0) continue;
      if (const std::optional<unit_scheme> s = run_units(b.l, confined, b.p.nest, run))
        if (std::optional<pool_answer> answer = place_models(b, parts, *s)) return std::move(*answer);
    }
  } else if (const std::optional<unit_scheme> s = free_units(b.l, confined, b.p.nest)) {
    if (std::optional<pool_answer> answer = place_models(b, parts, *s)) return std::move(*answer);
  }
  pool_answer none;
  std::vector<std::string> have;
  for (const pool& p : parts) have.push_back(std::to_string(p.usable) + " of " + b.c.gpu_models[p.model]);
  const std::vector<std::uint32_t> root = one_model_roots(b.l, b.options.mix);
  const auto size = static_cast<std::uint64_t>(std::count(root.begin(), root.end(), 0U));
  none.why = {"one GPU model but across " + to_string(b.options.mix),
              "ranks that must share a model come in sets of " + std::to_string(size) + ", and the models, with what " +
                  std::string(b.options.launcher.name) + " can express, don't have room for " +
                  count_of(b.l.world() / size, "set"),
              "usable GPUs: " + list_of(have, 8), "another axis to mix, smaller sets, or a smaller dp", false};
  return none;
}

}  // namespace topoplan::inline v1::detail

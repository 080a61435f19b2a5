// Exact search over the order of a few hosts and the consecutive ranks of each.
#pragma once

#include <topoplan/solve/detail/host_domains.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/runs.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace topoplan::inline v1::detail {

// What a run costs inside its host beyond distances that depend on hosts only: nothing where a host has one domain.
class run_costs {
 public:
  run_costs(const cluster& c, const layout& l, const prices& price, const pool& p, axis_set in_domain, const run_problem& runs)
      : runs_(runs), near_(price.distance[meeting::domain]), far_(runs.tree.distance[0]) {
    if (p.nest == nesting::domain_in_host) inside_.emplace(c, l, price, in_domain);
  }

  // The least distance of two ranks.
  [[nodiscard]] std::int64_t nearest() const noexcept { return near_; }
  // For a run whose atoms talk to each other with weight `own`. complexity: O(log runs), the first time a search of the host.
  [[nodiscard]] std::int64_t extra(std::uint32_t k, std::uint32_t atom, std::uint32_t atoms, std::int64_t own) {
    if (!inside_) return 0;
    const auto [found, fresh] = known_.try_emplace({runs_.tree.shape[0][k], atom, atoms});
    if (fresh) {
      const std::uint32_t run = runs_.tree.unit_size;
      std::vector<std::uint32_t> ranks(std::size_t{atoms} * run);
      std::iota(ranks.begin(), ranks.end(), atom * run);
      const host_domains::seated best = inside_->seat(runs_.host_of[k], ranks);
      exact_ = exact_ && best.exact;
      found->second = best.cost - near_ * (best.weight - own) - far_ * own;
    }
    return found->second;
  }
  [[nodiscard]] bool exact() const noexcept { return exact_; }

 private:
  const run_problem& runs_;
  std::int64_t near_;
  std::int64_t far_;
  std::optional<host_domains> inside_;
  std::map<std::array<std::uint32_t, 3>, std::int64_t> known_;
  bool exact_ = true;
};

// Branch and bound over the hosts in launch order and the atoms of each. Of several untouched subtrees of one shape only the
// first is tried.
class run_search {
 public:
  // Looks for runs that cost less than `limit`, in edges between atoms and what `inside` adds.
  run_search(const run_problem& p, run_costs& inside, std::int64_t limit, std::uint64_t budget)
      : p_(p),
        inside_(inside),
        best_cost_(limit),
        budget_(budget),
        slot_of_(p.together.size()),
        domain_(p.together.size(), none) {
    for (std::size_t l = 0; l < p.tree.levels(); ++l) touched_.emplace_back(p.tree.nodes(l), 0);
    const bool shared = p.tree.nodes(0) < p.tree.slots();
    const std::int64_t least = shared || p.tree.levels() == 1 ? inside.nearest() : p.tree.distance[1];
    const std::size_t atoms = p.together.size();
    rest_.assign(atoms + 1, 0);
    for (std::size_t a = atoms; a-- > 0;) {
      rest_[a] = rest_[a + 1];
      for (const unit_graph::arc& arc : p.graph.of(static_cast<std::uint32_t>(a)))
        if (arc.to < a) rest_[a] += arc.weight * least;
    }
  }

  // post: true if every choice was compared or excluded. complexity: O(budget * atoms of a host * degree).
  [[nodiscard]] bool run() {
    next_host(0, 0, p_.tree.slots());
    return budget_ > 0 && inside_.exact();
  }
  // The best runs cheaper than the limit; empty if there are none.
  [[nodiscard]] const std::vector<host_run>& best() const noexcept { return best_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void next_host(std::uint32_t atom, std::int64_t cost, std::uint32_t room) {
    if (budget_ == 0) return;
    --budget_;
    const auto atoms = static_cast<std::uint32_t>(slot_of_.size());
    if (cost + rest_[atom] >= best_cost_ || room < atoms - atom) return;
    if (atom == atoms) {
      best_ = runs_;
      best_cost_ = cost;
      return;
    }
    choose(p_.tree.levels() - 1, 0, atom, cost, room);
  }

  void choose(std::size_t level, std::uint32_t node, std::uint32_t atom, std::int64_t cost, std::uint32_t room) {
    if (level == 0) return take(node, atom, cost, room);
    ++touched_[level][node];
    std::uint32_t untouched = none;
    for (std::uint32_t slot = p_.tree.begin[level][node]; slot < p_.tree.begin[level][node + 1];) {
      const std::uint32_t child = p_.tree.node_of(slot, level - 1);
      slot = p_.tree.begin[level - 1][child + 1];
      if (touched_[level - 1][child] == 0) {
        if (untouched == p_.tree.shape[level - 1][child]) continue;
        untouched = p_.tree.shape[level - 1][child];
      } else if (level == 1) {
        continue;  // the host has its run
      }
      choose(level - 1, child, atom, cost, room);
    }
    --touched_[level][node];
  }

  // Gives the host one atom more and more, and goes on from each, the longest run first.
  void take(std::uint32_t k, std::uint32_t atom, std::int64_t cost, std::uint32_t room) {
    if (touched_[0][k] != 0) return;
    const std::uint32_t first = p_.tree.begin[0][k];
    const std::uint32_t capacity = p_.tree.begin[0][k + 1] - first;
    const auto most = std::min(capacity, static_cast<std::uint32_t>(slot_of_.size()) - atom);
    std::vector<std::int64_t> costs;  // after 1, 2, ... atoms
    std::vector<std::uint32_t> claimed;
    std::int64_t own = 0;
    for (std::uint32_t n = 0; n < most; ++n) {
      std::uint32_t& domain = domain_[p_.together[atom + n]];
      if (domain != none && domain != p_.domain_of[k]) break;
      if (domain == none) claimed.push_back(atom + n);
      domain = p_.domain_of[k];
      slot_of_[atom + n] = first + n;
      for (const unit_graph::arc& a : p_.graph.of(atom + n))
        if (a.to < atom + n) {
          cost += a.weight * p_.tree.distance[p_.tree.meet(first + n, slot_of_[a.to])];
          own += a.to >= atom ? a.weight : 0;
        }
      costs.push_back(cost + inside_.extra(k, atom, n + 1, own));
    }
    touched_[0][k] = 1;
    for (auto n = static_cast<std::uint32_t>(costs.size()); n > 0; --n) {
      if (!claimed.empty() && claimed.back() == atom + n) {
        domain_[p_.together[claimed.back()]] = none;
        claimed.pop_back();
      }
      runs_.push_back({k, n});
      next_host(atom + n, costs[n - 1], room - capacity);
      runs_.pop_back();
    }
    touched_[0][k] = 0;
    for (const std::uint32_t a : claimed) domain_[p_.together[a]] = none;
  }

  const run_problem& p_;
  run_costs& inside_;
  std::int64_t best_cost_;
  std::uint64_t budget_;
  arrangement slot_of_;
  std::vector<std::uint32_t> domain_;  // by set: the domain that holds it
  std::vector<std::vector<std::uint32_t>> touched_;
  std::vector<std::int64_t> rest_;  // [a]: least cost that atoms a ... still add
  std::vector<host_run> runs_;
  std::vector<host_run> best_;
};

}  // namespace topoplan::inline v1::detail

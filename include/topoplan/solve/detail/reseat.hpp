// Moves the ranks of lost GPUs to free ones, as few as the rules allow.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// A placement under repair. Pieces are the ranks that must share a host: with a launcher that wants consecutive ranks all that
// sit on one now, else what rules keep together; bundles are the pieces that must share a domain.
class reseating {
 public:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  reseating(const cluster& c, const network& net, const layout& l, const prices& price, const place_options& o,
            std::vector<std::uint32_t> gpu_of_rank)
      : c_(c),
        net_(net),
        price_(price),
        contiguous_(o.launcher.contiguous),
        gpu_of_(std::move(gpu_of_rank)),
        rank_on_(c.gpus.size(), nobody),
        edges_(edge_axes(l, price)) {
    for (std::uint32_t r = 0; r < gpu_of_.size(); ++r) rank_on_[gpu_of_[r]] = r;
    axis_set host;
    axis_set domain;
    for (const confinement& rule : o.confine)
      (rule.within == scope::host ? host : domain) = (rule.within == scope::host ? host : domain) | rule.axes;
    confined_to_host_ = !host.empty();
    components pieces(l.world());
    pieces.join_groups(l, host);
    components bundles(l.world());
    bundles.join_groups(l, host | domain);
    if (contiguous_) {
      std::map<std::uint32_t, std::uint32_t> first;
      for (std::uint32_t r = 0; r < gpu_of_.size(); ++r) {
        const auto at = first.emplace(c.gpus[gpu_of_[r]].host.value, r).first;
        pieces.join(at->second, r);
        bundles.join(at->second, r);
      }
    }
    piece_ = std::move(pieces).roots();
    bundle_ = std::move(bundles).roots();
    members_.resize(l.world());
    bundled_.resize(l.world());
    for (std::uint32_t r = 0; r < l.world(); ++r) {
      members_[piece_[r]].push_back(r);
      if (piece_[r] == r) bundled_[bundle_[r]].push_back(r);
    }
    for (std::uint32_t g = 0; g < c.gpus.size(); ++g)
      if (rank_on_[g] == nobody && c.usable(gpu_id{g})) free_.push_back(g);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& gpus() const noexcept { return gpu_of_; }

  // Gives every rank on an unusable GPU another one: of its host and domain where one is free, else its piece another host, else
  // its bundle another domain; each time where the edges cost least. post: false if a bundle finds no room; what then moved is
  // undefined. complexity: O(lost ranks * free GPUs * axes).
  [[nodiscard]] bool repair() {
    std::vector<std::uint32_t> broken;  // bundles, by their first rank
    for (std::uint32_t r = 0; r < gpu_of_.size(); ++r)
      if (!c_.usable(gpu_id{gpu_of_[r]}) &&
          (broken.empty() || std::find(broken.begin(), broken.end(), bundle_[r]) == broken.end()))
        broken.push_back(bundle_[r]);
    // What moves least goes first, so that it keeps the few spares it can use.
    std::vector<std::uint32_t> left;
    for (const std::uint32_t b : broken)
      if (!within(b)) left.push_back(b);
    std::vector<std::uint32_t> far;
    for (const std::uint32_t b : left)
      if (!by_pieces(b)) far.push_back(b);
    for (const std::uint32_t b : far)
      if (!whole(b)) return false;
    return true;
  }

  // One piece that has moved changes places with one that hasn't, where that saves most. post: false if nothing saves.
  // pre: `moved` holds the first ranks of pieces that have moved. complexity: O(ranks * axes * moved).
  [[nodiscard]] bool chain(const std::vector<std::uint32_t>& moved) {
    std::int64_t best = 0;
    std::pair<std::uint32_t, std::uint32_t> pick{nobody, nobody};
    for (const std::uint32_t a : moved) {
      if (bundled_[bundle_[a]].size() > 1) continue;
      for (std::uint32_t b = 0; b < members_.size(); ++b) {
        if (members_[b].size() != members_[a].size() || piece_[b] != b || bundled_[bundle_[b]].size() > 1) continue;
        if (std::find(moved.begin(), moved.end(), b) != moved.end()) continue;
        const std::int64_t before = cost_of(members_[a]) + cost_of(members_[b]);
        swap(a, b);
        const std::int64_t change = cost_of(members_[a]) + cost_of(members_[b]) - before;
        swap(a, b);
        if (change < best) {
          best = change;
          pick = {a, b};
        }
      }
    }
    if (best == 0) return false;
    swap(pick.first, pick.second);
    return true;
  }

  // The first ranks of the pieces of which a rank has moved from where it was. complexity: O(ranks).
  [[nodiscard]] std::vector<std::uint32_t> moved_from(const std::vector<std::uint32_t>& before) const {
    std::vector<std::uint32_t> moved;
    for (std::uint32_t r = 0; r < gpu_of_.size(); ++r)
      if (gpu_of_[r] != before[r] && (moved.empty() || moved.back() != piece_[r]) &&
          std::find(moved.begin(), moved.end(), piece_[r]) == moved.end())
        moved.push_back(piece_[r]);
    return moved;
  }

 private:
  [[nodiscard]] std::int64_t cost_of(const std::vector<std::uint32_t>& ranks) const {
    std::int64_t sum = 0;
    for (const std::uint32_t r : ranks)
      for (const edge_axis& a : edges_)
        for_each_neighbour(a, r, [&](std::uint32_t other) {
          // Neighbours that are about to move count as where they were: all candidates alike.
          sum += a.weight * price_.distance[net_.level(seat_of(c_, gpu_of_[r]), seat_of(c_, gpu_of_[other]))];
        });
    return sum;
  }

  void put(std::uint32_t rank, std::uint32_t gpu) {
    const std::uint32_t from = gpu_of_[rank];
    if (rank_on_[from] == rank) {
      rank_on_[from] = nobody;
      if (c_.usable(gpu_id{from})) free_.push_back(from);
    }
    std::erase(free_, gpu);
    gpu_of_[rank] = gpu;
    rank_on_[gpu] = rank;
  }
  void swap(std::uint32_t a, std::uint32_t b) {
    for (std::size_t i = 0; i < members_[a].size(); ++i) {
      std::swap(gpu_of_[members_[a][i]], gpu_of_[members_[b][i]]);
      rank_on_[gpu_of_[members_[a][i]]] = members_[a][i];
      rank_on_[gpu_of_[members_[b][i]]] = members_[b][i];
    }
  }

  // Lost ranks of a piece go to free GPUs of the same host and domain; a rank that no rule ties to its host, to any of its
  // domain. post: false, and nothing moved, if some find none.
  [[nodiscard]] bool within(std::uint32_t bundle) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> done;  // rank, where it was
    const bool loose = !contiguous_ && !confined_to_host_;
    for (const std::uint32_t p : bundled_[bundle])
      for (const std::uint32_t r : members_[p]) {
        const gpu& at = c_.gpus[gpu_of_[r]];
        if (c_.usable(gpu_id{gpu_of_[r]})) continue;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::uint32_t chosen = nobody;
        for (const std::uint32_t g : std::vector<std::uint32_t>(free_)) {
          const gpu& to = c_.gpus[g];
          if (to.domain.value != at.domain.value || (!loose && to.host.value != at.host.value)) continue;
          const std::int64_t cost = cost_at({r}, {g});
          if (cost < least || (cost == least && g < chosen)) {
            least = cost;
            chosen = g;
          }
        }
        if (chosen == nobody) {
          for (const auto& [rank, was] : done) unput(rank, was);
          return false;
        }
        done.emplace_back(r, gpu_of_[r]);
        put(r, chosen);
      }
    return true;
  }
  void unput(std::uint32_t rank, std::uint32_t was) {
    const std::uint32_t now = gpu_of_[rank];
    rank_on_[now] = nobody;
    free_.push_back(now);
    gpu_of_[rank] = was;
    rank_on_[was] = rank;
  }

  // Free GPUs of a host and domain, ascending.
  [[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> free_places() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> places;
    for (const std::uint32_t g : free_) places[{c_.gpus[g].host.value, c_.gpus[g].domain.value}].push_back(g);
    for (auto& [at, gpus] : places) std::sort(gpus.begin(), gpus.end());
    return places;
  }
  [[nodiscard]] bool empty_host(std::uint32_t h) const {
    for (const gpu_id g : c_.gpus_of(host_id{h}))
      if (rank_on_[g.value] != nobody && c_.usable(g)) return false;
    return true;
  }
  // Of free GPUs those of the same local indices first, so that rails stay.
  [[nodiscard]] std::vector<std::uint32_t> seats_for(const std::vector<std::uint32_t>& ranks,
                                                     std::vector<std::uint32_t> free) const {
    std::vector<std::uint32_t> seats(ranks.size(), nobody);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for (std::uint32_t& g : free)
        if (g != nobody && c_.gpus[g].index == c_.gpus[gpu_of_[ranks[i]]].index) {
          seats[i] = std::exchange(g, nobody);
          break;
        }
    std::erase(free, nobody);
    std::size_t next = 0;
    for (std::uint32_t& s : seats)
      if (s == nobody) s = free[next++];
    if (contiguous_) std::sort(seats.begin(), seats.end());  // LOCAL_RANK rises with RANK
    return seats;
  }
  [[nodiscard]] std::int64_t cost_at(const std::vector<std::uint32_t>& ranks, const std::vector<std::uint32_t>& gpus) {
    std::vector<std::uint32_t> was;
    for (std::size_t i = 0; i < ranks.size(); ++i) was.push_back(std::exchange(gpu_of_[ranks[i]], gpus[i]));
    const std::int64_t cost = cost_of(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) gpu_of_[ranks[i]] = was[i];
    return cost;
  }

  // Moves one piece to the best host, in that domain if one is named. post: false if there is none.
  [[nodiscard]] bool move_piece(std::uint32_t p, std::optional<std::uint32_t> domain) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::vector<std::uint32_t> chosen;
    const std::uint32_t home = c_.gpus[gpu_of_[p]].host.value;
    for (const auto& [at, gpus] : free_places()) {
      if (gpus.size() < members_[p].size() || (domain && at.second != *domain)) continue;
      if (contiguous_ && at.first != home && !empty_host(at.first)) continue;
      if (net_.root(at.first) != net_.root(home) || c_.hosts[at.first].model != c_.hosts[home].model) continue;
      std::vector<std::uint32_t> seats = seats_for(members_[p], gpus);
      const std::int64_t cost = cost_at(members_[p], seats);
      if (cost < least) {
        least = cost;
        chosen = std::move(seats);
      }
    }
    if (chosen.empty()) return false;
    for (std::size_t i = 0; i < chosen.size(); ++i) put(members_[p][i], chosen[i]);
    return true;
  }

  // Pieces of a bundle that lost a GPU go to other hosts: of the domain, if the bundle has other pieces.
  [[nodiscard]] bool by_pieces(std::uint32_t bundle) {
    const std::vector<std::uint32_t> was = gpu_of_;
    const std::vector<std::uint32_t> free = free_;
    const bool alone = bundled_[bundle].size() == 1;
    for (const std::uint32_t p : bundled_[bundle]) {
      const bool lost =
          std::any_of(members_[p].begin(), members_[p].end(), [&](std::uint32_t r) { return !c_.usable(gpu_id{gpu_of_[r]}); });
      if (!lost) continue;
      const std::uint32_t domain = c_.gpus[gpu_of_[p]].domain.value;
      if (move_piece(p, alone ? std::nullopt : std::optional(domain))) continue;
      restore(was, free);
      return false;
    }
    return true;
  }
  // The whole bundle goes to another domain, the one where its edges cost least.
  [[nodiscard]] bool whole(std::uint32_t bundle) {
    const std::vector<std::uint32_t> was = gpu_of_;
    const std::vector<std::uint32_t> free = free_;
    std::vector<std::uint32_t> domains;
    for (const std::uint32_t g : free_) domains.push_back(c_.gpus[g].domain.value);
    std::sort(domains.begin(), domains.end());
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::vector<std::uint32_t> best;
    for (const std::uint32_t d : domains) {
      bool fits = true;
      for (const std::uint32_t p : bundled_[bundle]) fits = fits && move_piece(p, d);
      if (fits) {
        std::int64_t cost = 0;
        for (const std::uint32_t p : bundled_[bundle]) cost += cost_of(members_[p]);
        if (cost < least) {
          least = cost;
          best = gpu_of_;
        }
      }
      restore(was, free);
    }
    if (best.empty()) return false;
    for (const std::uint32_t p : bundled_[bundle])
      for (const std::uint32_t r : members_[p]) put(r, best[r]);
    return true;
  }
  void restore(const std::vector<std::uint32_t>& was, const std::vector<std::uint32_t>& free) {
    for (std::uint32_t r = 0; r < gpu_of_.size(); ++r)
      if (gpu_of_[r] != was[r]) rank_on_[gpu_of_[r]] = nobody;
    for (std::uint32_t r = 0; r < gpu_of_.size(); ++r) rank_on_[was[r]] = r;
    gpu_of_ = was;
    free_ = free;
  }

  const cluster& c_;
  const network& net_;
  const prices& price_;
  bool contiguous_;
  bool confined_to_host_ = false;
  std::vector<std::uint32_t> gpu_of_;
  std::vector<std::uint32_t> rank_on_;
  std::vector<edge_axis> edges_;
  std::vector<std::uint32_t> piece_;
  std::vector<std::uint32_t> bundle_;
  std::vector<std::vector<std::uint32_t>> members_;  // of a piece, by its first rank
  std::vector<std::vector<std::uint32_t>> bundled_;  // pieces of a bundle, by its first rank
  std::vector<std::uint32_t> free_;
};

}  // namespace topoplan::inline v1::detail

// Mixed-radix layout of ranks: coordinate to rank and back, and the groups of any set of axes as strides.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/order.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace topoplan::inline v1 {

// One digit of a mixed-radix number.
struct mode {
  axis of = axis::tp;
  std::uint32_t extent = 1;
  std::uint32_t stride = 1;

  friend constexpr bool operator==(const mode&, const mode&) = default;
};

// A rank's position on each axis of both decompositions.
struct coordinate {
  std::uint32_t at[axis_count] = {};  // not std::array, whose operators a kernel can't call

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t operator[](axis a) const noexcept {
    return at[static_cast<std::size_t>(a)];
  }
  TOPOPLAN_HOST_DEVICE constexpr std::uint32_t& operator[](axis a) noexcept { return at[static_cast<std::size_t>(a)]; }
  friend constexpr bool operator==(const coordinate&, const coordinate&) = default;
};

// The groups of one axis set: the ranks that differ on those axes only. Groups are numbered over the other axes, members
// over the set's own, fastest axis first in both, so members ascend. Trivially copyable.
class group_family {
 public:
  static constexpr std::size_t capacity = basic_order<direction::fastest_first>::capacity;

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t size() const noexcept { return groups_; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t group_size() const noexcept { return members_; }
  // The i-th member of a group. pre: group < size(), i < group_size(). complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr rank_id member(std::uint32_t group, std::uint32_t i) const noexcept {
    return rank_id{spread(group, false) + spread(i, true)};
  }
  // The group that holds a rank. pre: rank < world. complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t group_of(rank_id r) const noexcept { return gather(r.value, false); }
  // The rank's place in its group. pre: rank < world. post: member(group_of(r), index_in_group(r)) == r. complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t index_in_group(rank_id r) const noexcept {
    return gather(r.value, true);
  }

 private:
  friend class layout;

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t spread(std::uint32_t number, bool inside) const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      if (inside_[i] != inside) continue;
      sum += number % modes_[i].extent * modes_[i].stride;
      number /= modes_[i].extent;
    }
    return sum;
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t gather(std::uint32_t rank, bool inside) const noexcept {
    std::uint32_t number = 0;
    std::uint32_t radix = 1;
    for (std::size_t i = 0; i < used_; ++i) {
      if (inside_[i] != inside) continue;
      number += rank / modes_[i].stride % modes_[i].extent * radix;
      radix *= modes_[i].extent;
    }
    return number;
  }

  mode modes_[capacity] = {};
  bool inside_[capacity] = {};
  std::uint8_t used_ = 0;
  std::uint32_t groups_ = 1;
  std::uint32_t members_ = 1;
};

// The layout of a job: its degrees and order as two mixed-radix numbers over the same ranks, the dense one (tp, cp, dp, pp)
// and the expert one (expert_tp, ep, expert_dp, pp). Trivially copyable, usable in a kernel.
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py, RankGenerator.
class layout {
 public:
  static constexpr std::size_t capacity = group_family::capacity;

  // pre: `d` comes from resolve(). post: world() == d.world(); both decompositions are bijections onto 0 ... world()-1.
  // complexity: O(axes). errors: invalid_argument if an axis of degree above 1 is missing from the order, or if the two
  // decompositions would put a rank into different pipeline stages (dense and expert pp groups must be the same).
  constexpr layout(const resolved_degrees& d, const topoplan::order& o)
      : degrees_(d), order_(o), world_(static_cast<std::uint32_t>(d.world())) {
    for (const axis a : {axis::tp, axis::cp, axis::ep, axis::dp, axis::pp})
      for (const axis read_as : {a, in_expert(a)})
        if (d.of(read_as) > 1 && !o.contains(a))
          throw invalid_argument("order " + to_string(o) + " doesn't name " + std::string(to_string(a)) + ", and " +
                                 std::string(to_string(read_as)) + " is " + std::to_string(d.of(read_as)));
    if (d.world() > max_world)
      throw invalid_argument("a world of " + std::to_string(d.world()) + " ranks exceeds the limit of " +
                             std::to_string(max_world));
    std::uint32_t dense_stride = 1;
    std::uint32_t expert_stride = 1;
    for (const axis a : o) {
      if (a != axis::ep) push(dense_, dense_used_, a, d.of(a), dense_stride);
      const axis e = in_expert(a);
      if (a != axis::cp) push(expert_, expert_used_, e, d.of(e), expert_stride);
    }
    require_whole(dense_stride, "dense");
    require_whole(expert_stride, "expert");
    if (stride(axis::pp) != expert_mode(axis::pp).stride && d.pp > 1)
      throw invalid_argument(
          "order " + to_string(o) + " puts pp at stride " + std::to_string(stride(axis::pp)) +
          " in the dense decomposition and at " + std::to_string(expert_mode(axis::pp).stride) +
          " in the expert one, so the two would disagree about pipeline stages; let the order end in pp, or make the "
          "products of the axes before pp equal (dense against expert)");
  }

  layout(const resolved_degrees&, const mesh_order&) = delete;  // convert it: to_fastest_first(order)

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t world() const noexcept { return world_; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr const resolved_degrees& degrees() const noexcept { return degrees_; }
  [[nodiscard]] constexpr const topoplan::order& order() const noexcept { return order_; }
  // Ranks between neighbours on an axis (1 for an axis that the order leaves out). complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t stride(axis a) const noexcept { return find(a).stride; }
  // The rank's position on one axis. pre: r < world(). complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t position(rank_id r, axis a) const noexcept {
    const mode m = find(a);
    return r.value / m.stride % m.extent;
  }
  // The rank's position on every axis. pre: r < world(). post: rank_at(result) == r. complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr topoplan::coordinate coordinate(rank_id r) const noexcept {
    topoplan::coordinate c;
    for (std::size_t i = 0; i < dense_used_; ++i) c[dense_[i].of] = r.value / dense_[i].stride % dense_[i].extent;
    for (std::size_t i = 0; i < expert_used_; ++i) c[expert_[i].of] = r.value / expert_[i].stride % expert_[i].extent;
    return c;
  }
  // The rank at a dense coordinate; the expert axes of `c` aren't read.
  // pre: c[a] < degree of a on tp, cp, dp and pp. complexity: O(axes).
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr rank_id rank_at(const topoplan::coordinate& c) const noexcept {
    std::uint32_t r = 0;
    for (std::size_t i = 0; i < dense_used_; ++i) r += c[dense_[i].of] * dense_[i].stride;
    return rank_id{r};
  }
  // The groups of a set of axes of one decomposition (pp belongs to both).
  // post: the groups partition 0 ... world()-1; size() * group_size() == world(). complexity: O(axes).
  // errors: invalid_argument if the set is empty or mixes dense and expert axes.
  [[nodiscard]] constexpr group_family groups(axis_set set) const {
    if (set.empty()) throw invalid_argument("the groups of no axis were asked for");
    const bool dense = set.within(dense_axes);
    if (!dense && !set.within(expert_axes))
      throw invalid_argument("axes " + to_string(set) +
                             " mix the dense decomposition (tp, cp, dp, pp) with the expert one (expert_tp, ep, expert_dp, pp)");
    group_family f;
    const mode* const digits = dense ? dense_ : expert_;
    f.used_ = dense ? dense_used_ : expert_used_;
    for (std::size_t i = 0; i < f.used_; ++i) {
      f.modes_[i] = digits[i];
      f.inside_[i] = set.contains(digits[i].of);
      (f.inside_[i] ? f.members_ : f.groups_) *= digits[i].extent;
    }
    return f;
  }

  friend constexpr bool operator==(const layout& a, const layout& b) { return a.degrees_ == b.degrees_ && a.order_ == b.order_; }

 private:
  // What the expert decomposition reads an axis of the order as.
  static constexpr axis in_expert(axis a) noexcept {
    return a == axis::tp ? axis::expert_tp : a == axis::dp ? axis::expert_dp : a;
  }
  static constexpr void push(mode* into, std::uint8_t& used, axis a, std::uint32_t extent, std::uint32_t& stride) {
    into[used++] = {a, extent, stride};
    stride *= extent;
  }
  constexpr void require_whole(std::uint32_t product, const char* which) const {
    if (product != world_)
      throw invalid_argument(std::string("the ") + which + " degrees multiply to " + std::to_string(product) +
                             " and the world has " + std::to_string(world_) + " ranks");
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr mode expert_mode(axis a) const noexcept {
    for (std::size_t i = 0; i < expert_used_; ++i)
      if (expert_[i].of == a) return expert_[i];
    return {a, 1, 1};
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr mode find(axis a) const noexcept {
    for (std::size_t i = 0; i < dense_used_; ++i)
      if (dense_[i].of == a) return dense_[i];
    return expert_mode(a);
  }

  resolved_degrees degrees_;
  topoplan::order order_;
  mode dense_[capacity] = {};
  mode expert_[capacity] = {};
  std::uint8_t dense_used_ = 0;
  std::uint8_t expert_used_ = 0;
  std::uint32_t world_ = 0;
};

}  // namespace topoplan::inline v1

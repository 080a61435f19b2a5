// A grid of ranks with named dimensions, as Megatron-LM's HyperCommGrid lays them out: groups of any dimensions, and views.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/algebra.hpp>
#include <topoplan/layout/degrees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// One dimension of a grid.
struct grid_dim {
  std::string name;
  std::uint32_t extent = 1;

  friend bool operator==(const grid_dim&, const grid_dim&) = default;
};

// The groups of some dimensions of a grid: the ranks that differ in those only. Groups are numbered over the other
// dimensions, members over the chosen ones, fastest dimension first in both, so members ascend.
class grid_groups {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return groups_; }
  [[nodiscard]] std::uint32_t group_size() const noexcept { return members_; }
  // The i-th member of a group. pre: group < size(), i < group_size(). complexity: O(dimensions).
  [[nodiscard]] rank_id member(std::uint32_t group, std::uint32_t i) const noexcept {
    return rank_id{rank_offset_ + spread(group, false) + spread(i, true)};
  }
  // The group that holds a rank. pre: the grid holds the rank. complexity: O(dimensions).
  [[nodiscard]] std::uint32_t group_of(rank_id r) const noexcept { return gather(r.value - rank_offset_, false); }
  // The rank's place in its group. pre: the grid holds the rank. post: member(group_of(r), index_in_group(r)) == r.
  // complexity: O(dimensions).
  [[nodiscard]] std::uint32_t index_in_group(rank_id r) const noexcept { return gather(r.value - rank_offset_, true); }
  // The same as strides: member(g, i) is rank_offset + outer(g) + inner(i). complexity: O(dimensions).
  [[nodiscard]] division strides() const {
    std::vector<strided_mode> inner;
    std::vector<strided_mode> outer;
    for (const digit& d : digits_) (d.inside ? inner : outer).push_back({d.extent, d.stride});
    return {coalesce(strided_layout(std::move(inner))), coalesce(strided_layout(std::move(outer)))};
  }

 private:
  friend class rank_grid;
  struct digit {
    std::uint32_t extent;
    std::uint32_t stride;
    bool inside;
  };

  [[nodiscard]] std::uint32_t spread(std::uint32_t number, bool inside) const noexcept {
    std::uint32_t sum = 0;
    for (const digit& d : digits_) {
      if (d.inside != inside) continue;
      sum += number % d.extent * d.stride;
      number /= d.extent;
    }
    return sum;
  }
  [[nodiscard]] std::uint32_t gather(std::uint32_t rank, bool inside) const noexcept {
    std::uint32_t number = 0;
    std::uint32_t radix = 1;
    for (const digit& d : digits_) {
      if (d.inside != inside) continue;
      number += rank / d.stride % d.extent * radix;
      radix *= d.extent;
    }
    return number;
  }

  std::vector<digit> digits_;
  std::uint32_t rank_offset_ = 0;
  std::uint32_t groups_ = 1;
  std::uint32_t members_ = 1;
};

// Ranks rank_offset ... rank_offset+size()-1 as a mixed-radix number whose digits are the dimensions, fastest first.
// source: Megatron-LM d98e8a64, megatron/core/hyper_comm_grid.py (and parallel_state.py, RankGenerator: the same enumeration).
class rank_grid {
 public:
  // post: dims() as given. complexity: O(dimensions^2).
  // errors: invalid_argument for an empty or repeated name, an extent of 0, and a grid that reaches beyond max_world or, where
  // `world_size` isn't 0, beyond that many ranks.
  explicit rank_grid(std::vector<grid_dim> dims, std::uint64_t rank_offset = 0, std::uint64_t world_size = 0)
      : dims_(std::move(dims)) {
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      const auto& [name, extent] = dims_[i];
      if (name.empty()) throw invalid_argument("dimension " + std::to_string(i) + " of a grid has no name");
      if (extent == 0) throw invalid_argument("dimension " + name + " of grid " + str() + " has extent 0");
      for (std::size_t j = 0; j < i; ++j)
        if (dims_[j].name == name) throw invalid_argument("grid " + str() + " names dimension " + name + " twice");
      product = detail::capped_product(product, extent);
    }
    const std::uint64_t limit = world_size == 0 ? max_world : std::min(world_size, max_world);
    if (product > limit || rank_offset > limit - product)
      throw invalid_argument("grid " + str() + " holds " +
                             (product > max_world ? "more than " + std::to_string(max_world) : std::to_string(product)) +
                             " ranks from rank " + std::to_string(rank_offset) + " on; the limit is " + std::to_string(limit));
    size_ = static_cast<std::uint32_t>(product);
    rank_offset_ = static_cast<std::uint32_t>(rank_offset);
  }

  [[nodiscard]] const std::vector<grid_dim>& dims() const noexcept { return dims_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t rank_offset() const noexcept { return rank_offset_; }
  [[nodiscard]] bool holds(rank_id r) const noexcept { return r.value >= rank_offset_ && r.value - rank_offset_ < size_; }
  // Extent and stride of a dimension. complexity: O(dimensions). errors: invalid_argument for an unknown name.
  [[nodiscard]] strided_mode mode_of(std::string_view name) const {
    std::uint64_t stride = 1;
    for (const grid_dim& d : dims_) {
      if (d.name == name) return {d.extent, stride};
      stride *= d.extent;
    }
    throw invalid_argument("grid " + str() + " has no dimension " + quoted(name));
  }
  // The rank's position in a dimension. pre: holds(r). complexity: O(dimensions). errors: as mode_of().
  [[nodiscard]] std::uint32_t position(rank_id r, std::string_view name) const {
    const auto [extent, stride] = mode_of(name);
    return static_cast<std::uint32_t>((r.value - rank_offset_) / stride % extent);
  }

  // The groups of some dimensions, named in any order.
  // post: the groups partition the ranks of the grid. complexity: O(dimensions * names).
  // errors: invalid_argument if a name is unknown or repeated, or if there is none.
  [[nodiscard]] grid_groups groups(const std::vector<std::string>& names) const {
    if (names.empty()) throw invalid_argument("the groups of no dimension of grid " + str() + " were asked for");
    for (std::size_t i = 0; i < names.size(); ++i) {
      static_cast<void>(mode_of(names[i]));
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<std::ptrdiff_t>(i))
        throw invalid_argument("the groups of dimension " + names[i] + " were asked for twice in one set");
    }
    grid_groups g;
    g.rank_offset_ = rank_offset_;
    std::uint32_t stride = 1;
    for (const grid_dim& d : dims_) {
      const bool inside = std::find(names.begin(), names.end(), d.name) != names.end();
      g.digits_.push_back({d.extent, stride, inside});
      (inside ? g.members_ : g.groups_) *= d.extent;
      stride *= d.extent;
    }
    return g;
  }

  // Another factorisation of the same ranks, such as the expert one beside the dense one.
  // post: result covers the ranks of this grid; the dimensions in `shared` have the same groups in both, each alone and
  // together. complexity: O(dimensions^2).
  // errors: invalid_argument as the constructor does, and if the sizes differ, or a shared dimension is missing in one of the
  // two, is repeated or would have other groups.
  [[nodiscard]] rank_grid view(std::vector<grid_dim> dims, const std::vector<std::string>& shared = {}) const {
    rank_grid other(std::move(dims), rank_offset_);
    if (other.size_ != size_)
      throw invalid_argument("view " + other.str() + " has " + std::to_string(other.size_) + " ranks, grid " + str() + " has " +
                             std::to_string(size_));
    if (!shared.empty()) static_cast<void>(groups(shared));  // refuses unknown and repeated names
    for (const std::string& name : shared)
      if (mode_of(name).extent != other.mode_of(name).extent ||
          (mode_of(name).extent > 1 && mode_of(name).stride != other.mode_of(name).stride))
        throw invalid_argument("dimension " + name + " has other groups in view " + other.str() + " than in grid " + str());
    return other;
  }

  // "tp 4 x cp 2 x dp 8", fastest first. complexity: O(dimensions). errors: none.
  [[nodiscard]] std::string str() const {
    std::string text;
    for (const grid_dim& d : dims_) (text += text.empty() ? "" : " x ") += d.name + ' ' + std::to_string(d.extent);
    return text.empty() ? "of no dimension" : text;
  }

 private:
  std::vector<grid_dim> dims_;
  std::uint32_t size_ = 1;
  std::uint32_t rank_offset_ = 0;
};

}  // namespace topoplan::inline v1

// One family of Megatron-LM's process groups: its groups and members in order, as a function of their numbers.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/layout/algebra.hpp>
#include <topoplan/layout/grid.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::megatron {

// How the groups of a family follow from the groups of some dimensions.
enum class derivation : std::uint8_t {
  whole,   // they are those groups
  slices,  // runs of `count` members of each; the last run of a group may be shorter
  level,   // `count` members of each that are `step` places apart: a level of a hierarchy
  ends,    // the first and the last member of each
  first,   // the first member of each
  joined   // the members of `count` consecutive groups, one after another
};

// A place in a family: which group, and which member of it.
struct membership {
  std::uint32_t group = 0;
  std::uint32_t index = 0;

  friend constexpr bool operator==(const membership&, const membership&) = default;
};

// All groups of one name. Groups and members are numbered as Megatron-LM creates and lists them.
class group_family {
 public:
  // pre: the grid has the dimensions; count is above 0, slices apart count and step divide the groups that they cut.
  // complexity: O(dimensions). errors: invalid_argument for dimensions that the grid lacks.
  group_family(std::string name, const rank_grid& grid, std::vector<std::string> dims, derivation how = derivation::whole,
               std::uint32_t count = 1, std::uint32_t step = 1, std::string source = {})
      : name_(std::move(name)),
        source_(std::move(source)),
        dims_(std::move(dims)),
        groups_(grid.groups(dims_)),
        first_rank_(grid.rank_offset()),
        world_(grid.size()),
        how_(how),
        count_(count),
        step_(step) {}

  // Megatron-LM's description of the groups, such as "TENSOR_MODEL_PARALLEL_GROUP".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The dimensions whose groups these are or come from, which derivation, and its numbers.
  [[nodiscard]] const std::vector<std::string>& dims() const noexcept { return dims_; }
  [[nodiscard]] derivation how() const noexcept { return how_; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t step() const noexcept { return step_; }
  // The family that it is derived from; empty for derivation::whole.
  [[nodiscard]] const std::string& source() const noexcept { return source_; }

  // The number of groups. complexity: O(1).
  [[nodiscard]] std::uint32_t size() const noexcept {
    const std::uint32_t whole = groups_.group_size();
    switch (how_) {
      case derivation::slices: return groups_.size() * slices();
      case derivation::level: return groups_.size() * (whole / count_);
      case derivation::joined: return groups_.size() / count_;
      default: return groups_.size();
    }
  }
  // The number of members. pre: group < size(). complexity: O(1).
  [[nodiscard]] std::uint32_t group_size(std::uint32_t group) const noexcept {
    const std::uint32_t whole = groups_.group_size();
    switch (how_) {
      case derivation::slices: return group % slices() == slices() - 1 ? whole - (slices() - 1) * count_ : count_;
      case derivation::level: return count_;
      case derivation::ends: return whole > 1 ? 2 : 1;
      case derivation::first: return 1;
      case derivation::joined: return whole * count_;
      default: return whole;
    }
  }
  // The i-th member. pre: group < size(), i < group_size(group). complexity: O(dimensions).
  [[nodiscard]] rank_id member(std::uint32_t group, std::uint32_t i) const noexcept {
    const std::uint32_t whole = groups_.group_size();
    switch (how_) {
      case derivation::slices: return groups_.member(group / slices(), group % slices() * count_ + i);
      case derivation::level: {
        const std::uint32_t at = group % (whole / count_);
        return groups_.member(group / (whole / count_), (at / step_ * count_ + i) * step_ + at % step_);
      }
      case derivation::ends: return groups_.member(group, i * (whole - 1));
      case derivation::joined: return groups_.member(group * count_ + i / whole, i % whole);
      default: return groups_.member(group, i);
    }
  }
  // Where a rank stands; nothing if it is in no group of the family, as inner pipeline stages and the embeddings.
  // post: member(result->group, result->index) == r. complexity: O(dimensions).
  [[nodiscard]] std::optional<membership> find(rank_id r) const noexcept {
    if (r.value < first_rank_ || r.value - first_rank_ >= world_) return std::nullopt;
    const std::uint32_t whole = groups_.group_size();
    const std::uint32_t group = groups_.group_of(r);
    const std::uint32_t at = groups_.index_in_group(r);
    switch (how_) {
      case derivation::slices: return membership{group * slices() + at / count_, at % count_};
      case derivation::level:
        return membership{group * (whole / count_) + at / (step_ * count_) * step_ + at % step_, at / step_ % count_};
      case derivation::ends:
        if (at != 0 && at != whole - 1) return std::nullopt;
        return membership{group, at == 0 ? 0U : 1U};
      case derivation::first:
        if (at != 0) return std::nullopt;
        return membership{group, 0};
      case derivation::joined: return membership{group / count_, group % count_ * whole + at};
      default: return membership{group, at};
    }
  }
  // How the members of every group advance, if all groups advance alike.
  // post: member(g, i) == member(g, 0) + (*result)(i) for every group and member. complexity: O(dimensions^2). errors: none.
  [[nodiscard]] std::optional<strided_layout> strides() const {
    const division of = groups_.strides();
    const auto part = [](const strided_layout& l, std::uint64_t extent, std::uint64_t stride) -> std::optional<strided_layout> {
      if (auto parts = topoplan::detail::try_divide(l, strided_layout({{extent, stride}}))) return std::move(parts->inner);
      return std::nullopt;
    };
    switch (how_) {
      case derivation::slices: return part(of.inner, count_, 1);
      case derivation::level: return part(of.inner, count_, step_);
      case derivation::ends: return coalesce(strided_layout({{group_size(0), of.inner(groups_.group_size() - 1)}}));
      case derivation::first: return strided_layout();
      case derivation::joined: {
        const auto groups = part(of.outer, count_, 1);
        if (!groups) return std::nullopt;
        std::vector<strided_mode> modes = of.inner.modes();
        modes.insert(modes.end(), groups->modes().begin(), groups->modes().end());
        return coalesce(strided_layout(std::move(modes)));
      }
      default: return of.inner;
    }
  }

 private:
  [[nodiscard]] std::uint32_t slices() const noexcept { return (groups_.group_size() - 1) / count_ + 1; }

  std::string name_;
  std::string source_;
  std::vector<std::string> dims_;
  grid_groups groups_;
  std::uint32_t first_rank_;
  std::uint32_t world_;
  derivation how_;
  std::uint32_t count_;
  std::uint32_t step_;
};

}  // namespace topoplan::inline v1::megatron

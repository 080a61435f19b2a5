// Shape:stride algebra of ranks: layouts that compose, divide and complement each other exactly, or are refused.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/degrees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// One mode of a layout: `extent` coordinates whose offsets lie `stride` apart.
struct strided_mode {
  std::uint64_t extent = 1;
  std::uint64_t stride = 0;

  friend constexpr bool operator==(const strided_mode&, const strided_mode&) = default;
};

// A function from 0 ... size()-1 to offsets: the index is read as a mixed-radix number, first mode fastest, and each digit
// counts its stride. The layout of no modes maps 0 to 0.
class strided_layout {
 public:
  strided_layout() = default;
  // post: modes() as given. complexity: O(modes). errors: invalid_argument for an extent of 0, and for a size or a largest
  // offset beyond max_world.
  explicit strided_layout(std::vector<strided_mode> modes) : modes_(std::move(modes)) {
    for (const strided_mode& m : modes_) {
      if (m.extent == 0) throw invalid_argument("a mode of a strided layout has extent 0; an extent is at least 1");
      size_ = detail::capped_product(size_, m.extent);
      last_ += detail::capped_product(m.extent - 1, m.stride);
      if (size_ > max_world || last_ >= max_world)
        throw invalid_argument("a strided layout exceeds the limit of " + std::to_string(max_world) + " ranks at its mode " +
                               std::to_string(m.extent) + ":" + std::to_string(m.stride));
    }
  }

  [[nodiscard]] const std::vector<strided_mode>& modes() const noexcept { return modes_; }
  // The number of indices: the product of all extents.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // One more than the largest offset.
  [[nodiscard]] std::uint64_t cosize() const noexcept { return last_ + 1; }
  // The offset of an index. pre: index < size(). complexity: O(modes).
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const noexcept {
    std::uint64_t offset = 0;
    for (const strided_mode& m : modes_) {
      offset += index % m.extent * m.stride;
      index /= m.extent;
    }
    return offset;
  }

  // Equal modes; two layouts may be the same function with different modes, compare their coalesce() then.
  friend bool operator==(const strided_layout& a, const strided_layout& b) noexcept { return a.modes_ == b.modes_; }

 private:
  std::vector<strided_mode> modes_;
  std::uint64_t size_ = 1;
  std::uint64_t last_ = 0;
};

// Modes as extent:stride, fastest first: "4:1,2:8"; "1:0" for no modes. complexity: O(modes). errors: none.
[[nodiscard]] inline std::string to_string(const strided_layout& l) {
  std::string text;
  for (const strided_mode& m : l.modes())
    (text += text.empty() ? "" : ",") += std::to_string(m.extent) + ":" + std::to_string(m.stride);
  return text.empty() ? "1:0" : text;
}

// The same function with the fewest modes: without modes of extent 1, and neighbours joined where the second goes on where
// the first ends. post: result(i) == l(i) for every i < l.size(). complexity: O(modes). errors: none.
[[nodiscard]] inline strided_layout coalesce(const strided_layout& l) {
  std::vector<strided_mode> modes;
  for (const strided_mode& m : l.modes()) {
    if (m.extent == 1) continue;
    if (!modes.empty() && m.stride == modes.back().extent * modes.back().stride) modes.back().extent *= m.extent;
    else modes.push_back(m);
  }
  return strided_layout(std::move(modes));
}

// True if the offsets are 0 ... size()-1, each once, in whatever order. complexity: O(modes log modes). errors: none.
[[nodiscard]] inline bool is_bijective(const strided_layout& l) {
  std::vector<strided_mode> modes = coalesce(l).modes();
  std::sort(modes.begin(), modes.end(), [](const strided_mode& a, const strided_mode& b) { return a.stride < b.stride; });
  std::uint64_t next = 1;
  for (const strided_mode& m : modes) {
    if (m.stride != next) return false;
    next *= m.extent;
  }
  return true;
}

namespace detail {
// The modes of the complement, or nothing where there is none.
[[nodiscard]] inline std::optional<std::vector<strided_mode>> complement_modes(const strided_layout& l, std::uint64_t extent) {
  std::vector<strided_mode> modes = coalesce(l).modes();
  std::sort(modes.begin(), modes.end(), [](const strided_mode& a, const strided_mode& b) { return a.stride < b.stride; });
  modes.push_back({1, extent});
  std::vector<strided_mode> gaps;
  std::uint64_t covered = 1;
  for (const strided_mode& m : modes) {
    if (m.stride == 0 || m.stride % covered != 0) return std::nullopt;
    if (m.stride != covered) gaps.push_back({m.stride / covered, covered});
    covered = m.stride * m.extent;
  }
  return gaps;
}
}  // namespace detail

// The layout of what `l` skips inside 0 ... extent-1.
// post: every x < extent is l(i) + result(j) for exactly one pair i < l.size(), j < result.size(); result ascends.
// complexity: O(modes log modes). errors: invalid_argument if no layout can do that: offsets of `l` coincide, or its blocks
// don't tile the extent.
[[nodiscard]] inline strided_layout complement(const strided_layout& l, std::uint64_t extent) {
  if (auto gaps = detail::complement_modes(l, extent)) return strided_layout(std::move(*gaps));
  throw invalid_argument("layout " + to_string(l) + " has no complement in " + std::to_string(extent) +
                         ": some of its offsets coincide, or copies of it don't tile the " + std::to_string(extent));
}

namespace detail {
// Follows the modes `b` through the digits of the layout `a`. Offsets add up digit by digit as long as no digit carries: a
// mode is cut where it would, and what all modes together do to each digit is counted. Where a cut leaves a remainder or the
// sum of all modes could still carry, there is no answer.
// post: the result in place of `b` gives a(offset of b). `first_part` counts modes of `b`, afterwards of the result.
[[nodiscard]] inline std::optional<std::vector<strided_mode>> compose_modes(const strided_layout& a,
                                                                            const std::vector<strided_mode>& b,
                                                                            std::size_t& first_part) {
  const std::vector<strided_mode> digits = coalesce(a).modes();
  std::vector<std::uint64_t> used(digits.size(), 0);
  std::vector<std::uint64_t> step(digits.size(), 0);
  std::vector<strided_mode> result;
  std::size_t cut = 0;
  for (std::size_t at = 0; at < b.size(); ++at) {
    if (at == first_part) cut = result.size();
    auto [extent, stride] = b[at];
    while (extent > 1) {
      std::uint64_t rest = stride;
      std::uint64_t offset = 0;
      std::uint64_t taken = extent;
      for (std::size_t k = 0; k < digits.size(); ++k) {
        step[k] = rest % digits[k].extent;
        rest /= digits[k].extent;
        offset += step[k] * digits[k].stride;
        if (step[k] != 0) taken = std::min(taken, (digits[k].extent - 1 - used[k]) / step[k] + 1);
      }
      if (rest != 0 || taken == 1 || extent % taken != 0) return std::nullopt;
      for (std::size_t k = 0; k < digits.size(); ++k) used[k] += (taken - 1) * step[k];
      result.push_back({taken, offset});
      extent /= taken;
      stride *= taken;
    }
  }
  first_part = first_part >= b.size() ? result.size() : cut;
  return result;
}
}  // namespace detail

// `a` after `b`. pre: none. post: result(i) == a(b(i)) for every i < b.size().
// complexity: O(modes of a * modes of b). errors: invalid_argument if b reaches outside a, or if a(b(i)) advances
// unevenly. Of layouts with coinciding strides some are refused that happen to advance evenly.
[[nodiscard]] inline strided_layout compose(const strided_layout& a, const strided_layout& b) {
  const std::vector<strided_mode> through = coalesce(b).modes();
  std::size_t all = through.size();
  if (auto modes = detail::compose_modes(a, through, all)) return coalesce(strided_layout(std::move(*modes)));
  throw invalid_argument("layout " + to_string(a) + " after " + to_string(b) +
                         (b.cosize() <= a.size()
                              ? " isn't a layout: the strides of one don't divide the extents of the other"
                              : " reaches index " + std::to_string(b.cosize() - 1) + " of " + std::to_string(a.size())));
}

// A layout cut into equal parts: `inner` walks through one part, `outer` from part to part.
struct division {
  strided_layout inner;
  strided_layout outer;

  friend bool operator==(const division&, const division&) = default;
};

namespace detail {
[[nodiscard]] inline std::optional<division> try_divide(const strided_layout& a, const strided_layout& tile) {
  const auto rest = complement_modes(tile, a.size());
  if (!rest) return std::nullopt;
  std::vector<strided_mode> modes = coalesce(tile).modes();
  std::size_t inner = modes.size();
  modes.insert(modes.end(), rest->begin(), rest->end());
  const auto composed = compose_modes(a, modes, inner);
  if (!composed) return std::nullopt;
  const auto cut = composed->begin() + static_cast<std::ptrdiff_t>(inner);
  return division{coalesce(strided_layout(std::vector<strided_mode>(composed->begin(), cut))),
                  coalesce(strided_layout(std::vector<strided_mode>(cut, composed->end())))};
}
}  // namespace detail

// Cuts `a` into copies of a tile of its indices: {4:1} takes four neighbours each, {2:4} pairs that are four indices apart.
// post: inner(i) + outer(j) == a(tile(i) + complement(tile, a.size())(j)) for every i and j.
// complexity: O(modes of a * modes of tile). errors: invalid_argument if the tile doesn't cut a's indices into equal parts, or
// if the parts don't all advance alike.
[[nodiscard]] inline division divide(const strided_layout& a, const strided_layout& tile) {
  if (auto parts = detail::try_divide(a, tile)) return std::move(*parts);
  throw invalid_argument("layout " + to_string(a) + " doesn't divide into parts of " + to_string(tile));
}

}  // namespace topoplan::inline v1

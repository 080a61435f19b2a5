// The edges of a job: which axes the objective counts, and the pairs of ranks that each of them makes.
#pragma once

#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/objective.hpp>

#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// One axis as strides: the members of a group are first, first + stride, ... first + (degree - 1) * stride.
struct edge_axis {
  axis of = axis::tp;
  edge_pattern pattern = edge_pattern::ring;
  std::int64_t weight = 0;
  std::uint32_t degree = 1;
  std::uint32_t stride = 1;
};

// True if the job has experts whose groups are its own.
[[nodiscard]] inline bool has_experts(const resolved_degrees& d) noexcept { return d.ep > 1 || d.expert_tp != d.tp; }

// The axes of degree above 1 whose groups exist: the dense ones, and of a job with experts those expert ones whose groups
// differ from every dense axis' groups. With two members every pattern is one edge, written as a chain.
// complexity: O(1).
[[nodiscard]] inline std::vector<edge_axis> edge_axes(const layout& l, const prices& p) {
  std::vector<edge_axis> axes;
  const auto add = [&](axis a) {
    const std::uint32_t degree = l.degrees().of(a);
    if (degree < 2) return;
    const edge_axis made{a, degree == 2 ? edge_pattern::chain : p.pattern[static_cast<std::size_t>(a)],
                         p.weight[static_cast<std::size_t>(a)], degree, l.stride(a)};
    for (const edge_axis& other : axes)
      if (other.degree == made.degree && other.stride == made.stride) return;
    axes.push_back(made);
  };
  for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp}) add(a);
  if (has_experts(l.degrees()))
    for (const axis a : {axis::expert_tp, axis::ep, axis::expert_dp}) add(a);
  return axes;
}

// Calls visit(first, second) for every edge of an axis, first < second but for the edge that closes a ring.
// complexity: O(world), for all-to-all O(world * degree).
template <class Visit> void for_each_edge(const edge_axis& a, std::uint32_t world, const Visit& visit) {
  const std::uint32_t span = a.stride * a.degree;
  for (std::uint32_t block = 0; block < world; block += span)
    for (std::uint32_t p = 0; p < a.degree; ++p) {
      const std::uint32_t row = block + p * a.stride;
      if (a.pattern == edge_pattern::all_to_all) {
        for (std::uint32_t q = p + 1; q < a.degree; ++q)
          for (std::uint32_t i = 0; i < a.stride; ++i) visit(row + i, block + q * a.stride + i);
        continue;
      }
      const bool last = p + 1 == a.degree;
      if (last && a.pattern == edge_pattern::chain) break;
      const std::uint32_t next = last ? block : row + a.stride;
      for (std::uint32_t i = 0; i < a.stride; ++i) visit(row + i, next + i);
    }
}

// Calls visit(other) for every rank that shares an edge of the axis with rank r.
// complexity: O(1), for all-to-all O(degree).
template <class Visit> void for_each_neighbour(const edge_axis& a, std::uint32_t r, const Visit& visit) {
  const std::uint32_t p = r / a.stride % a.degree;
  const std::uint32_t first = r - p * a.stride;
  if (a.pattern == edge_pattern::all_to_all) {
    for (std::uint32_t q = 0; q < a.degree; ++q)
      if (q != p) visit(first + q * a.stride);
    return;
  }
  const bool ring = a.pattern == edge_pattern::ring;
  if (p + 1 < a.degree) visit(r + a.stride);
  else if (ring) visit(first);
  if (p > 0) visit(r - a.stride);
  else if (ring) visit(first + (a.degree - 1) * a.stride);
}

}  // namespace topoplan::inline v1::detail

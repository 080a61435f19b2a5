// A flow network with many sources and sinks, solved by Boost's push-relabel.
#pragma once

#include <topoplan/core/error.hpp>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/property_map/property_map.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

class flow_network {
 public:
  explicit flow_network(std::size_t vertices)
      : vertices_(static_cast<std::uint32_t>(vertices)), out_(vertices, 0), in_(vertices, 0), role_(vertices, 0) {}

  // An arc. Its partner, which lets flow be taken back, is added with it.
  void add(std::uint32_t from, std::uint32_t to, double rate) {
    const std::int64_t capacity = std::llround(rate);
    if (capacity <= 0 || from == to) return;
    out_[from] += capacity;
    in_[to] += capacity;
    push(from, to, capacity);
  }
  void add_source(std::uint32_t v) {
    take(v, 1);
    ++sources_;
    push(vertices_, v, out_[v]);
  }
  void add_sink(std::uint32_t v) {
    take(v, 2);
    ++sinks_;
    push(v, vertices_ + 1, in_[v]);
  }

  // The largest flow from all sources to all sinks. errors: invalid_argument without sources or sinks.
  [[nodiscard]] double solve() const {
    if (sources_ == 0 || sinks_ == 0) throw invalid_argument("a flow needs vertices to come from and to go to");
    using graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::uint32_t, boost::no_property,
                                                     std::uint32_t, std::uint32_t>;
    std::vector<std::uint32_t> number(ends_.size());  // arcs 2i and 2i+1 are partners
    for (std::uint32_t i = 0; i < number.size(); ++i) number[i] = i;
    graph g(boost::edges_are_unsorted_multi_pass, ends_.begin(), ends_.end(), number.begin(), vertices_ + 2);
    std::vector<graph::edge_descriptor> at(ends_.size());
    std::vector<graph::edge_descriptor> partner(ends_.size());
    std::vector<std::int64_t> capacity(ends_.size()), residual(ends_.size(), 0);
    const auto index = get(boost::edge_index, g);
    for (auto [e, end] = edges(g); e != end; ++e) at[g[*e]] = *e;
    for (auto [e, end] = edges(g); e != end; ++e) {
      partner[get(index, *e)] = at[g[*e] ^ 1U];
      capacity[get(index, *e)] = capacity_[g[*e]];
    }
    return static_cast<double>(
        boost::push_relabel_max_flow(g, vertices_, vertices_ + 1, boost::make_iterator_property_map(capacity.begin(), index),
                                     boost::make_iterator_property_map(residual.begin(), index),
                                     boost::make_iterator_property_map(partner.begin(), index), get(boost::vertex_index, g)));
  }

 private:
  void push(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
    ends_.emplace_back(from, to);
    ends_.emplace_back(to, from);
    capacity_.push_back(capacity);
    capacity_.push_back(0);
  }
  void take(std::uint32_t v, char role) {
    if (role_[v] != 0 && role_[v] != role) throw invalid_argument("vertex " + std::to_string(v) + " is in both sets of a flow");
    role_[v] = role;
  }

  std::uint32_t vertices_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;
  std::vector<std::int64_t> capacity_;
  std::vector<std::int64_t> out_, in_;  // capacity that leaves and reaches each vertex
  std::vector<char> role_;
  std::size_t sources_ = 0;
  std::size_t sinks_ = 0;
};

}  // namespace topoplan::inline v1::detail

// Arcs of a regular_fabric and the iterators over them.
#pragma once

#include <topoplan/graph/detail/regular_shape.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/iterator_facade.hpp>

#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

// One direction of a link of a regular_fabric.
struct fabric_arc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t slot = 0;       // among the arcs of `from`
  std::uint32_t back_slot = 0;  // of the arc of the same link among the arcs of `to`

  // An arc is its tail and slot; the rest follows from them.
  friend constexpr bool operator==(const fabric_arc& a, const fabric_arc& b) noexcept {
    return a.from == b.from && a.slot == b.slot;
  }
  friend constexpr bool operator<(const fabric_arc& a, const fabric_arc& b) noexcept {
    return a.from != b.from ? a.from < b.from : a.slot < b.slot;
  }
};

namespace detail {

// Arcs of one vertex, out or in, or their far ends; and all arcs, vertex by vertex.
template <class Value, Value (*Make)(const regular_shape&, std::uint32_t, std::uint32_t)>
class slot_iterator
    : public boost::iterator_facade<slot_iterator<Value, Make>, Value, boost::random_access_traversal_tag, Value> {
 public:
  slot_iterator() = default;
  slot_iterator(const regular_shape& shape, std::uint32_t vertex, std::uint32_t slot)
      : shape_(&shape), vertex_(vertex), slot_(slot) {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] Value dereference() const { return Make(*shape_, vertex_, slot_); }
  [[nodiscard]] bool equal(const slot_iterator& other) const { return slot_ == other.slot_ && vertex_ == other.vertex_; }
  void increment() { ++slot_; }
  void decrement() { --slot_; }
  void advance(std::ptrdiff_t by) { slot_ = static_cast<std::uint32_t>(slot_ + by); }
  [[nodiscard]] std::ptrdiff_t distance_to(const slot_iterator& other) const {
    return static_cast<std::ptrdiff_t>(other.slot_) - static_cast<std::ptrdiff_t>(slot_);
  }

  const regular_shape* shape_ = nullptr;
  std::uint32_t vertex_ = 0;
  std::uint32_t slot_ = 0;
};

[[nodiscard]] inline fabric_arc arc_out(const regular_shape& shape, std::uint32_t v, std::uint32_t slot) {
  const regular_shape::end end = shape.across(v, slot);
  return {v, end.vertex, slot, end.slot};
}
[[nodiscard]] inline fabric_arc arc_in(const regular_shape& shape, std::uint32_t v, std::uint32_t slot) {
  const regular_shape::end end = shape.across(v, slot);
  return {end.vertex, v, end.slot, slot};
}
[[nodiscard]] inline std::uint32_t far_end(const regular_shape& shape, std::uint32_t v, std::uint32_t slot) {
  return shape.across(v, slot).vertex;
}

class arc_iterator : public boost::iterator_facade<arc_iterator, fabric_arc, boost::forward_traversal_tag, fabric_arc> {
 public:
  arc_iterator() = default;
  arc_iterator(const regular_shape& shape, std::uint32_t vertex) : shape_(&shape), vertex_(vertex) { skip(); }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] fabric_arc dereference() const { return arc_out(*shape_, vertex_, slot_); }
  [[nodiscard]] bool equal(const arc_iterator& other) const { return vertex_ == other.vertex_ && slot_ == other.slot_; }
  void increment() {
    ++slot_;
    skip();
  }
  void skip() {
    while (vertex_ < shape_->vertices() && slot_ >= shape_->degree(vertex_)) {
      ++vertex_;
      slot_ = 0;
    }
  }

  const regular_shape* shape_ = nullptr;
  std::uint32_t vertex_ = 0;
  std::uint32_t slot_ = 0;
};

struct regular_traversal_tag : boost::bidirectional_graph_tag,
                               boost::vertex_list_graph_tag,
                               boost::edge_list_graph_tag,
                               boost::adjacency_graph_tag {};

}  // namespace detail

}  // namespace topoplan::inline v1

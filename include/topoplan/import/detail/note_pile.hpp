// Notes of one kind: the first few in full, the others as a number, however many an input earns.
#pragma once

#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class note_pile {
 public:
  static constexpr std::size_t shown = 8;

  // `text()` is called for the notes that are shown.
  template <class Text> void add(std::size_t line, Text text) {
    if (++count_ <= shown) notes_.push_back({line, text()});
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  void move_to(std::vector<note>& notes) {
    if (count_ > shown) notes_.back().text += "; and " + std::to_string(count_ - shown) + " more like it";
    for (note& n : notes_) notes.push_back(std::move(n));
    notes_.clear();
    count_ = 0;
  }

 private:
  std::vector<note> notes_;
  std::size_t count_ = 0;
};

}  // namespace topoplan::inline v1::import::detail

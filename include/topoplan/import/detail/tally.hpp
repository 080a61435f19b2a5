// Counts values, to tell what is usual among peers.
#pragma once

#include <cstddef>
#include <map>

namespace topoplan::inline v1::import::detail {

// How often each value occurs.
template <class Value> class tally {
 public:
  void add(const Value& value, std::size_t times = 1) {
    counts_[value] += times;
    total_ += times;
  }
  [[nodiscard]] std::size_t total() const noexcept { return total_; }
  [[nodiscard]] std::size_t of(const Value& value) const {
    const auto found = counts_.find(value);
    return found == counts_.end() ? 0 : found->second;
  }
  // True if at least half of all are usual: only then is it a measure for the others.
  [[nodiscard]] bool has_usual() const { return total_ > 1 && 2 * of(usual()) >= total_; }

  // The most frequent value; the larger one of two that are equally frequent. pre: total() > 0.
  [[nodiscard]] const Value& usual() const {
    auto best = counts_.begin();
    for (auto i = counts_.begin(); i != counts_.end(); ++i) {
      if (i->second >= best->second) best = i;
    }
    return best->first;
  }

 private:
  std::map<Value, std::size_t> counts_;
  std::size_t total_ = 0;
};

}  // namespace topoplan::inline v1::import::detail

// A limit of time that a search asks between its stages.
#pragma once

#include <chrono>
#include <optional>

namespace topoplan::inline v1::detail {

// Runs from its construction on. Without a limit the clock is never read.
class time_limit {
 public:
  explicit time_limit(std::optional<double> seconds) {
    if (seconds) end_ = std::chrono::steady_clock::now() + std::chrono::duration<double>(*seconds);
  }

  // True from the first time on that it is asked too late. complexity: O(1).
  [[nodiscard]] bool over() noexcept {
    if (end_ && !cut_) cut_ = std::chrono::steady_clock::now() >= *end_;
    return cut_;
  }
  // True if over() ever was.
  [[nodiscard]] bool cut() const noexcept { return cut_; }

 private:
  std::optional<std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>> end_;
  bool cut_ = false;
};

}  // namespace topoplan::inline v1::detail

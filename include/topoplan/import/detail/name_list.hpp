// A list of names for a message: the first few, then how many more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

class name_list {
 public:
  static constexpr std::size_t shown = 8;

  explicit name_list(std::string_view separator = ", ") : separator_(separator) {}

  void add(std::string_view name) {
    if (++count_ <= shown) (text_ += text_.empty() ? std::string_view{} : separator_) += name;
  }
  // More names only add to the number.
  [[nodiscard]] bool full() const noexcept { return count_ > shown; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::string text() const { return full() ? text_ + " and more" : text_; }

 private:
  std::string_view separator_;
  std::string text_;
  std::size_t count_ = 0;
};

}  // namespace topoplan::inline v1::import::detail

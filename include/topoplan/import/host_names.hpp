// Finds a host by the name that another input gives it: short or fully qualified, in any case.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1::import {

// Names of one input, to be looked up by names of another.
class host_names {
 public:
  // What a look-up found: one host, none, or several that the name may mean.
  struct match {
    std::vector<std::uint32_t> hosts;

    [[nodiscard]] bool none() const noexcept { return hosts.empty(); }
    [[nodiscard]] bool ambiguous() const noexcept { return hosts.size() > 1; }
  };

  // complexity: O(log) amortised. pre: `host` is a number of the caller's own for the name.
  void add(std::string_view name, std::uint32_t host) {
    const std::string full = detail::lower(name);
    by_name_[full].push_back(host);
    if (const auto brief = short_form(full); brief != full) by_short_[std::string(brief)].push_back(host);
  }

  // The same name wins; a short name matches full ones that begin with it, and a full name its own short form.
  // Two full names with different domains don't match. complexity: O(name). errors: none.
  [[nodiscard]] match find(std::string_view name) const {
    const std::string full = detail::lower(name);
    if (const auto same = by_name_.find(full); same != by_name_.end()) return {same->second};
    const auto brief = short_form(full);
    if (brief != full) {
      const auto found = by_name_.find(std::string(brief));
      return found == by_name_.end() ? match{} : match{found->second};
    }
    const auto found = by_short_.find(full);
    return found == by_short_.end() ? match{} : match{found->second};
  }

 private:
  // Up to the first dot; an IPv4 address has no short form.
  [[nodiscard]] static std::string_view short_form(const std::string& name) {
    const auto dot = name.find('.');
    const bool address = name.find_first_not_of("0123456789.") == std::string::npos;
    return dot == std::string::npos || dot == 0 || address ? std::string_view(name) : std::string_view(name).substr(0, dot);
  }

  std::unordered_map<std::string, std::vector<std::uint32_t>> by_name_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_short_;
};

}  // namespace topoplan::inline v1::import

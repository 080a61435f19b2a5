// NVLink domains, and the sub-domains within them, that the blocks of a topograph model name.
#pragma once

#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/topograph_switches.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/domain_table.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace topoplan::inline v1::import::detail {

// What the annotations of a block, or of the switches above it, say: the nearest one counts.
class topograph_annotations {
 public:
  topograph_annotations(const document_reader& root, const topograph_switches& switches) : parents_(switches.parents()) {
    if (!root.has("switches")) return;
    const auto all = root.at("switches");
    for (std::size_t i = 0; i < all.value().keys.size(); ++i) {
      const auto found = own(all[i]);
      if (!found.domain.empty() || !found.sub_domain.empty()) of_switch_.emplace(all.value().keys[i], found);
    }
  }

  struct names {
    std::string domain;
    std::string sub_domain;
  };

  // errors: parse_error for an annotation that is no name. complexity: O(levels).
  [[nodiscard]] names of(const document_reader& block, std::string at) const {
    names found = own(block);
    for (std::size_t steps = 0; steps <= parents_.size() && !at.empty() && !of_switch_.empty(); ++steps) {
      if (const auto above = of_switch_.find(at); above != of_switch_.end()) {
        if (found.domain.empty()) found.domain = above->second.domain;
        if (found.sub_domain.empty()) found.sub_domain = above->second.sub_domain;
      }
      const auto parent = parents_.find(at);
      at = parent == parents_.end() ? std::string{} : parent->second;
    }
    return found;
  }

 private:
  [[nodiscard]] static names own(const document_reader& value) {
    names found;
    if (value.value().kind != document_kind::map || !value.has("annotations")) return found;
    const auto annotations = value.at("annotations");
    if (annotations.value().kind != document_kind::map) annotations.refuse("a map of annotations");
    constexpr std::string_view domain = "accelerator.topology.test/domain";
    constexpr std::string_view sub_domain = "accelerator.topology.test/sub-domain";
    if (annotations.has(domain)) found.domain = name_in(annotations.at(domain), "the name of a domain", unquoted::taken);
    if (annotations.has(sub_domain))
      found.sub_domain = name_in(annotations.at(sub_domain), "the name of a sub-domain", unquoted::taken);
    return found;
  }

  std::unordered_map<std::string, std::string> parents_;
  std::unordered_map<std::string, names> of_switch_;
};

// Counts the hosts of sub-domains. NVLink goes as far as the domain; a sub-domain is a rack within it.
class sub_domains {
 public:
  void add(const std::string& domain, const std::string& sub_domain, std::size_t hosts, std::size_t line) {
    if (sub_domain.empty() || hosts == 0) return;
    auto& entry = hosts_[{domain, sub_domain}];
    if (entry.first == 0) entry.second = line;
    entry.first += hosts;
  }

  // Notes on what isn't read of them, and on those with fewer hosts than others. complexity: O(sub-domains).
  void say(domain_builder& domains) const {
    if (hosts_.empty()) return;
    std::size_t most = 0;
    for (const auto& [name, of] : hosts_) most = std::max(most, of.first);
    domains.say(0, counted(hosts_.size(), "sub-domain") + " of " + counted(most, "host") +
                       " at most: NVLink is taken to span the whole domain that they are in");
    note_pile smaller;
    for (const auto& [name, of] : hosts_) {
      if (of.first == most) continue;
      const auto text = "sub-domain " + name.second + " of domain " + name.first + " has " + counted(of.first, "host");
      smaller.add(of.second, [&] { return text + ", another " + std::to_string(most); });
    }
    domains.say(std::move(smaller));
  }

 private:
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> hosts_;  // and the first line
};

}  // namespace topoplan::inline v1::import::detail

// Output of one command on many hosts, cut by host: pdsh's "host: line", and the blocks that dshbak and clush print.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostlist.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct host_lines {
  std::string host;
  std::vector<text_line> lines;  // numbers are those of the whole text
};

struct gathered_lines {
  std::vector<host_lines> hosts;     // in the order of the text
  std::vector<text_line> unreached;  // what pdsh or ssh say of a host that didn't answer
};

// The blank that pdsh puts behind the colon may be lost at the end of a line. Keys of nvidia-smi have a blank before their colon.
[[nodiscard]] inline std::pair<std::string_view, std::string_view> host_prefix_of(std::string_view line) noexcept {
  const auto text = trimmed(line);
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || (colon + 1 < text.size() && !is_blank(text[colon + 1]))) return {};
  const auto host = text.substr(0, colon);
  const bool plain = std::all_of(host.begin(), host.end(),
                                 [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; });
  if (!plain) return {};
  auto rest = text.substr(colon + 1);
  if (!rest.empty()) rest.remove_prefix(1);
  return {host, rest};
}

[[nodiscard]] inline bool is_rule(std::string_view line) noexcept {
  const auto text = trimmed(line);
  return text.size() >= 4 && text.find_first_not_of('-') == std::string_view::npos;
}

class line_gatherer {
 public:
  explicit line_gatherer(std::string source) : source_(std::move(source)) {}

  // errors: parse_error for a block's heading that is no hostlist. complexity: O(text + hosts of each block x its lines).
  [[nodiscard]] gathered_lines gather(const std::vector<text_line>& lines) {
    std::vector<std::size_t> block;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const text_line& line = lines[i];
      if (i + 2 < lines.size() && is_rule(line.text) && is_rule(lines[i + 2].text)) {
        block = hosts_of_heading(lines[i + 1]);
        i += 2;
      } else if (!block.empty()) {
        copies_ += block.size();
        if (copies_ > max_copies)
          throw parse_error({source_, line.number, 0}, "at most " + std::to_string(max_copies) + " lines of all hosts", "more");
        for (const auto host : block) gathered_.hosts[host].lines.push_back(line);
      } else {
        add_prefixed(line);
      }
    }
    return std::move(gathered_);
  }

 private:
  static constexpr std::size_t max_copies = 20'000'000;

  // "node[01-18] (18)"
  [[nodiscard]] std::vector<std::size_t> hosts_of_heading(const text_line& line) {
    const auto text = trimmed(line.text);
    const auto list = trimmed(text.substr(0, text.find(" (")));
    std::vector<std::size_t> hosts;
    for (const auto& name :
         expand_hostlist(list, location{source_, line.number, column_of(line.text, list)}, {100'000, 10'000'000})) {
      hosts.push_back(index_of(name));
    }
    return hosts;
  }

  void add_prefixed(const text_line& line) {
    const auto text = trimmed(line.text);
    if (text.starts_with("pdsh@") || text.find(": ssh: ") != std::string_view::npos ||
        text.find(": command timed out") != std::string_view::npos) {
      gathered_.unreached.push_back(line);
      return;
    }
    const auto [host, rest] = host_prefix_of(line.text);
    if (host.empty()) return;
    gathered_.hosts[index_of(std::string(host))].lines.push_back({rest, line.number, line.ended});
  }

  std::size_t index_of(const std::string& host) {
    const auto [found, fresh] = index_.emplace(host, gathered_.hosts.size());
    if (fresh) gathered_.hosts.push_back({host, {}});
    return found->second;
  }

  std::string source_;
  gathered_lines gathered_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t copies_ = 0;
};

}  // namespace topoplan::inline v1::import::detail

// Reads NVLink domains over many hosts: `pdsh ... nvidia-smi -q`, whole or cut with grep, and the label nvidia.com/gpu.clique.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/domain_lines.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/nvidia_smi_q.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The key that a word is, or that the label in a list of labels has.
[[nodiscard]] inline std::optional<domain_key> key_in_word(std::string_view word) {
  constexpr std::string_view label = "nvidia.com/gpu.clique=";
  if (const auto at = word.find(label); at != std::string_view::npos) {
    const auto value = word.substr(at + label.size());
    return parse_domain_key(value.substr(0, value.find(',')));
  }
  return parse_domain_key(word);
}

// Lines such as `kubectl get nodes -L nvidia.com/gpu.clique` prints: a host, and its label somewhere behind. A line without a
// label is a host without a domain where kubectl's STATUS says that it is a host. errors: parse_error for a host with two
// domains.
[[nodiscard]] inline std::size_t add_labels(const std::vector<text_line>& lines, domain_builder& builder) {
  std::size_t labelled = 0;
  note_pile without;
  for (const text_line& line : lines) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    auto host = words.front();
    if (host.ends_with(':')) host.remove_suffix(1);
    if (!is_plain_name(host)) continue;
    std::optional<domain_key> key;
    for (const auto word : words) {
      if (!key) key = key_in_word(word);
    }
    if (key) {
      builder.add(std::string(host), *key, line.number);
      ++labelled;
    } else if (words.size() > 1 && (words[1].starts_with("Ready") || words[1].starts_with("NotReady"))) {
      builder.add(std::string(host), line.number);
      without.add(line.number, [&] {
        return std::string(host) + " has no label nvidia.com/gpu.clique: it is in no domain, or its fabric isn't ready";
      });
    }
  }
  builder.say(std::move(without));
  return labelled;
}

// errors: as smi_reader, and parse_error for a host whose GPUs are in two domains.
[[nodiscard]] inline std::size_t add_inventories(const gathered_lines& gathered, const std::string& source,
                                                 domain_builder& builder) {
  std::size_t described = 0;
  note_pile other;
  note_pile unreached;
  for (const host_lines& host : gathered.hosts) {
    smi_reader reader(source);
    for (const text_line& line : host.lines) reader.add(line);
    const std::size_t first = host.lines.empty() ? 0 : host.lines.front().number;
    if (!reader.recognised()) {
      builder.add(host.host, first);
      other.add(first, [&] { return host.host + ": nothing of what it printed is a field of `nvidia-smi -q`"; });
      continue;
    }
    builder.add(host.host, reader.take(), first);
    ++described;
  }
  for (const text_line& line : gathered.unreached)
    unreached.add(line.number, [&] { return "a host didn't answer: " + quoted(trimmed(line.text), 120); });
  builder.say(std::move(other));
  builder.say(std::move(unreached));
  return described;
}

}  // namespace detail

// Reads which host is in which domain. What the GPUs of a host say is read as nvidia_smi_q reads it; blocks of several hosts, as
// dshbak -c and clush -b print them, too. The key is (ClusterUUID, CliqueId): neither alone names a domain. A UUID of zeros is a
// fabric within the host; a GPU that is still registering, or whose fabric is unhealthy, isn't one without a fabric.
// post: hosts in the order of the text, each once; domains with fewer hosts than another, hosts that tell nothing or didn't
//   answer, and GPUs of one host that differ are notes. complexity: O(text log domains).
// errors: parse_error for a text that names no host's domain or fabric, for a host in two domains, and as nvidia_smi_q.
[[nodiscard]] inline domain_table nvlink_domains(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  const auto lines = detail::lines_of(plain, source);
  detail::domain_builder labels(source);
  if (detail::add_labels(lines, labels) > 0) return labels.take();
  detail::domain_builder builder(source);
  detail::line_gatherer gatherer(source);
  const auto gathered = gatherer.gather(lines);
  if (detail::add_inventories(gathered, source, builder) > 0) return builder.take();
  throw parse_error(
      {source, 0, 0},
      "lines such as 'host: ClusterUUID : ...' of `pdsh ... nvidia-smi -q`, or hosts with the label nvidia.com/gpu.clique",
      gathered.hosts.empty() ? "no line that begins with a host" : "hosts that say nothing of it");
}

}  // namespace topoplan::inline v1::import

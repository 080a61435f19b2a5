// Reads host lists as files hold them: one host a line, hostlist expressions, and the slot counts of MPI and DeepSpeed hostfiles.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostlist.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// A host of an allocation, where it stands, and how many processes the file lets it run.
struct listed_host {
  std::string name;
  std::size_t line = 0;
  std::optional<std::uint32_t> slots;  // slots=8 (Open MPI, DeepSpeed) or name:8 (MPICH)

  friend bool operator==(const listed_host&, const listed_host&) = default;
};

// An allocation: its hosts in the order that the user gave, and where the list came from.
struct host_list {
  std::string source;
  std::vector<listed_host> hosts;

  friend bool operator==(const host_list&, const host_list&) = default;
};

namespace detail {

// slots=8, max_slots=8, max-slots=8: the key and the number, or nothing when the word isn't of that kind.
[[nodiscard]] inline std::optional<std::pair<std::string_view, std::string_view>> key_and_value(std::string_view word) noexcept {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return std::pair{word.substr(0, equals), word.substr(equals + 1)};
}

[[nodiscard]] inline std::uint32_t slots_of(std::string_view text, const location& where) {
  const auto slots = number(text);
  if (!slots || *slots == 0) throw parse_error(where, "a number of slots, 1 or more", quoted(text));
  return *slots;
}

// What follows SLURM_JOB_NODELIST=, as `env` and `export -p` print it, quotes removed; other lines as they are.
[[nodiscard]] inline std::string_view without_nodelist_key(std::string_view line) noexcept {
  auto text = trimmed(line);
  for (const std::string_view word : {"export ", "declare -x "}) {
    if (text.starts_with(word)) text = trimmed(text.substr(word.size()));
  }
  for (const std::string_view key : {"SLURM_JOB_NODELIST=", "SLURM_NODELIST=", "SLURM_STEP_NODELIST="}) {
    if (!text.starts_with(key)) continue;
    text.remove_prefix(key.size());
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    return text;
  }
  return line;
}

// The words of a line, split at blanks that no bracket holds: a blank inside is then refused where it stands.
[[nodiscard]] inline std::vector<std::string_view> hostfile_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const auto start = at;
    bool open = false;
    for (; at < line.size() && (open || !is_blank(line[at])); ++at) {
      if (line[at] == '[') open = true;
      if (line[at] == ']') open = false;
    }
    if (at > start) words.push_back(line.substr(start, at - start));
  }
  return words;
}

// See hostfile(); with `repeats`, hosts stand as often as the file names them.
[[nodiscard]] inline host_list read_hosts(std::string_view text, const std::string& source, const hostlist_limits& limits,
                                          bool repeats) {
  std::vector<listed_host> hosts;
  std::unordered_map<std::string, std::size_t> line_of;
  std::size_t characters = 0;
  for (const auto& line : lines_of(text, source)) {
    const auto content = without_nodelist_key(line.text.substr(0, line.text.find('#')));
    std::size_t first = hosts.size();  // of the word that slots= belongs to
    for (const auto word : hostfile_words(content)) {
      const location where{source, line.number, column_of(line.text, word)};
      if (const auto pair = key_and_value(word)) {
        const auto key = lower(pair->first);
        if (key == "max_slots" || key == "max-slots") continue;
        if (key != "slots" && key != "slot") throw parse_error(where, "slots=N or the end of the line", quoted(word));
        if (first == hosts.size()) throw parse_error(where, "a host before its slots", quoted(word));
        const auto slots = slots_of(pair->second, where);
        for (auto i = first; i < hosts.size(); ++i) hosts[i].slots = slots;
        continue;
      }
      if (word.starts_with("slot") || word.starts_with("max_slot") || word.starts_with("max-slot")) {
        throw parse_error(where, "slots=N or a host", quoted(word));
      }
      const auto colon = word.find(':');
      std::optional<std::uint32_t> slots;
      if (colon != std::string_view::npos) {
        slots = slots_of(word.substr(colon + 1), {source, line.number, where.column + colon + 1});
      }
      const hostlist_limits left{limits.hosts - hosts.size(), limits.characters - characters};
      first = hosts.size();
      for (std::string& name : expand_hostlist(word.substr(0, colon), where, left)) {
        characters += name.size();
        const auto [known, fresh] = line_of.emplace(lower(name), line.number);
        if (!fresh && !repeats) {
          throw parse_error(where, "each host once",
                            quoted(name) + " again, which line " + std::to_string(known->second) + " names");
        }
        hosts.push_back({std::move(name), line.number, slots});
      }
    }
  }
  if (hosts.empty()) throw parse_error({source, 0, 0}, "at least one host", "none");
  return {source, std::move(hosts)};
}

}  // namespace detail

// Reads a hostfile: names or hostlist expressions, separated by line ends, blanks or commas; '#' begins a comment; slots=N,
// max_slots=N (read and dropped) and name:N as MPI and DeepSpeed write them; SLURM_JOB_NODELIST=... as `env` prints it.
// post: hosts in the order of the file, no name twice (case ignored), at least one.
// complexity: O(characters of the names). errors: parse_error for a host named twice (both lines are named), for text that is
//   neither, for an empty list, and what expand_hostlist refuses.
[[nodiscard]] inline host_list hostfile(std::string_view text, const std::string& source, const hostlist_limits& limits = {}) {
  return detail::read_hosts(text, source, limits, false);
}

}  // namespace topoplan::inline v1::import

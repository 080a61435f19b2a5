// The entries of a launcher's file, and the hosts of a cluster that they name.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/near.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/launch_method.hpp>
#include <topoplan/import/rank_seats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

[[nodiscard]] inline std::string counted_ranks(std::size_t n) { return std::to_string(n) + (n == 1 ? " rank" : " ranks"); }

// A cluster's hosts by name, and the GPUs that processes on them see.
class hosts_of_cluster {
 public:
  explicit hosts_of_cluster(const cluster& c) : c_(c) {
    for (const host_id h : c.all_hosts()) names_.add(c.at(h).name, h.value);
  }

  [[nodiscard]] const cluster& of() const noexcept { return c_; }

  // errors: parse_error for a name that no host has, or that several may have.
  [[nodiscard]] host_id find(std::string_view name, const location& where) const {
    const host_names::match found = names_.find(name);
    if (found.ambiguous())
      throw parse_error(
          where, "a name that one host of " + c_.name + " has",
          quoted(name) + ", which may be " + c_.hosts[found.hosts[0]].name + " or " + c_.hosts[found.hosts[1]].name);
    if (!found.none()) return host_id{found.hosts.front()};
    std::vector<std::string_view> known;
    for (const host& h : c_.hosts) known.emplace_back(h.name);
    const std::vector<std::string> near = topoplan::detail::near_names(name, known);
    throw parse_error(where, "a host of " + c_.name,
                      quoted(name) + (near.empty() ? "" : " (did you mean " + topoplan::detail::listed(near) + "?)"));
  }

  // The GPUs of that many local ranks: the healthy ones, or all if they are too few.
  // errors: parse_error if there are more processes than the host has GPUs.
  [[nodiscard]] std::vector<std::uint16_t> seen(host_id h, std::size_t processes, const location& where) const {
    return first(h, processes, processes > healthy(h), where);
  }
  // The GPUs 0 ... processes-1. errors: as above.
  [[nodiscard]] std::vector<std::uint16_t> all(host_id h, std::size_t processes, const location& where) const {
    return first(h, processes, true, where);
  }

  [[nodiscard]] std::size_t healthy(host_id h) const {
    std::size_t count = 0;
    for (const gpu_id g : c_.gpus_of(h)) count += c_.at(g).health == gpu_health::ok ? 1U : 0U;
    return count;
  }

 private:
  [[nodiscard]] std::vector<std::uint16_t> first(host_id h, std::size_t processes, bool unhealthy, const location& where) const {
    const host& on = c_.at(h);
    if (processes > on.gpu_count)
      throw parse_error(where,
                        "at most " + std::to_string(on.gpu_count) + " processes on " + on.name + ", one for each of its GPUs",
                        std::to_string(processes));
    std::vector<std::uint16_t> gpus;
    for (const gpu_id g : c_.gpus_of(h))
      if (gpus.size() < processes && (unhealthy || c_.at(g).health == gpu_health::ok)) gpus.push_back(c_.at(g).index);
    return gpus;
  }

  const cluster& c_;
  host_names names_;
};

// One name, where a task or a rank is put.
struct launch_entry {
  std::string name;
  std::size_t line = 0;
  std::uint32_t rank = 0;
};

// SLURM_HOSTFILE: hostlists separated by line ends, blanks or commas, each with an optional *N behind it.
// errors: parse_error as expand_hostlist, and for a count that isn't 1 or more.
[[nodiscard]] inline std::vector<launch_entry> read_tasks(std::string_view text, const std::string& source,
                                                          const hostlist_limits& limits) {
  std::vector<launch_entry> tasks;
  std::size_t characters = 0;
  for (const text_line& line : lines_of(text, source)) {
    for (std::string_view word : hostfile_words(line.text.substr(0, line.text.find('#')))) {
      while (!word.empty()) {
        std::size_t end = 0;
        for (bool open = false; end < word.size() && (open || word[end] != ','); ++end)
          open = word[end] == '[' || (open && word[end] != ']');
        std::string_view item = word.substr(0, end);
        word.remove_prefix(std::min(end + 1, word.size()));
        const location where{source, line.number, column_of(line.text, item)};
        std::uint32_t times = 1;
        if (const std::size_t star = item.find('*'); star != std::string_view::npos) {
          const auto given = number(item.substr(star + 1));
          if (!given || *given == 0)
            throw parse_error(where, "a host and the number of its tasks, such as gpu-017*4", quoted(item));
          times = *given;
          item = item.substr(0, star);
        }
        const hostlist_limits left{limits.hosts - tasks.size(), limits.characters - characters};
        for (const std::string& name : expand_hostlist(item, where, left)) {
          if (times > limits.hosts - tasks.size() ||
              times > (limits.characters - characters) / std::max<std::size_t>(name.size(), 1))
            throw parse_error(where, "at most " + std::to_string(limits.hosts) + " tasks", std::to_string(times) + " more");
          characters += times * name.size();
          tasks.insert(tasks.end(), times, {name, line.number, 0});
        }
      }
    }
  }
  if (tasks.empty()) throw parse_error({source, 0, 0}, "at least one host", "none");
  return tasks;
}

// True if a line has `name*N`. complexity: O(text).
[[nodiscard]] inline bool counts_tasks(std::string_view text, const std::string& source) {
  const auto lines = lines_of(text, source);
  return std::any_of(lines.begin(), lines.end(), [](const text_line& line) {
    return line.text.substr(0, line.text.find('#')).find('*') != std::string_view::npos;
  });
}

// Which launcher a host list is for. errors: parse_error if that matters and the content doesn't show it.
[[nodiscard]] inline launch_method method_of(const host_list& list, std::string_view text) {
  const bool slots = lower(text).find("slots=") != std::string::npos;
  bool counted = false;
  bool uneven = false;
  bool repeated = false;
  std::unordered_set<std::string> met;
  for (const listed_host& h : list.hosts) {
    counted = counted || h.slots.has_value();
    uneven = uneven || h.slots != list.hosts.front().slots;
    repeated = !met.insert(lower(h.name)).second || repeated;
  }
  if (!counted) return repeated ? launch_method::slurm : launch_method::torchrun;
  if (!slots) return launch_method::mpich;
  if (uneven)
    throw parse_error({list.source, 0, 0}, "--launched-by openmpi, deepspeed or torchrun for hosts with unequal slots",
                      "nothing; DeepSpeed counts local ranks by the rank's number and the others from 0 on each host");
  return launch_method::openmpi;
}

}  // namespace topoplan::inline v1::import::detail

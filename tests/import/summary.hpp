// What a test needs to say of a node_topology in one line each, and to read and damage inputs.
#pragma once

#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/read_file.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan_test {

namespace import = topoplan::import;

inline std::string data_file(const std::string& name) {
  return import::read_file(std::string(TOPOPLAN_TEST_DATA) + "/import/" + name);
}
inline std::string example_file(const std::string& name) {
  return import::read_file(std::string(TOPOPLAN_TEST_DATA) + "/../../examples/data/" + name);
}

// Texts joined by blanks, runs of equal ones as "TEXTxN".
inline std::string runs(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size();) {
    std::size_t same = 1;
    while (i + same < texts.size() && texts[i + same] == texts[i]) ++same;
    out += (out.empty() ? "" : " ") + texts[i] + (same > 1 ? "x" + std::to_string(same) : "");
    i += same;
  }
  return out;
}

// Kinds of all pairs of GPUs: "NV18:28".
inline std::string pairs_of(const import::node_topology& node) {
  std::map<std::string, std::size_t> count;
  for (std::size_t a = 0; a < node.gpus.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) ++count[to_string(node.between(a, b))];
  }
  std::string out;
  for (const auto& [kind, pairs] : count) out += (out.empty() ? "" : " ") + kind + ":" + std::to_string(pairs);
  return out;
}

// NVLink groups of more than one GPU: "0,1,2,3 NV12"; "mesh" where they aren't all-to-all, "?" where cells are unknown.
inline std::string groups_of(const import::node_topology& node) {
  std::string out;
  for (const auto& group : nvlink_groups(node)) {
    if (group.gpus.size() < 2) continue;
    out += out.empty() ? "" : "; ";
    for (std::size_t i = 0; i < group.gpus.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(group.gpus[i]);
    out += !group.known ? " ?" : !group.all_to_all ? " mesh" : group.links == 0 ? " uneven" : " NV" + std::to_string(group.links);
  }
  return out;
}

// For each GPU the kind and numbers of its nearest NICs: "PIX:0 PIX:1".
inline std::string nearest_of(const import::node_topology& node) {
  std::vector<std::string> all;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
    const auto nearest = nearest_to(node, gpu);
    std::string text(to_string(nearest.kind));
    for (std::size_t i = 0; i < nearest.nics.size(); ++i) text += (i == 0 ? ":" : ",") + std::to_string(nearest.nics[i]);
    all.push_back(text);
  }
  return runs(all);
}

inline std::string numa_of(const import::node_topology& node) {
  std::vector<std::string> all;
  for (const auto& gpu : node.gpus) all.push_back(gpu.numa ? std::to_string(*gpu.numa) : "?");
  return runs(all);
}

inline std::string cpus_of(const import::node_topology& node) {
  std::vector<std::string> all;
  for (const auto& gpu : node.gpus) all.push_back(gpu.cpus.empty() ? "?" : gpu.cpus);
  return runs(all);
}

// Rows of GPUs that are there and whole: "1 1 0 -" (- for a missing row).
inline std::string rows_of(const import::node_topology& node) {
  std::vector<std::string> all;
  for (const auto& gpu : node.gpus) all.emplace_back(gpu.line == 0 ? "-" : gpu.complete ? "1" : "0");
  return runs(all);
}

inline std::string nics_of(const import::node_topology& node) {
  std::string out;
  for (const auto& nic : node.nics) out += (out.empty() ? "" : " ") + (nic.device.empty() ? nic.column + "?" : nic.device);
  return out;
}

inline std::string nvlink_of(const import::node_topology& node) {
  return node.nvlink == import::nvlink_view::shown ? "shown" : node.nvlink == import::nvlink_view::absent ? "absent" : "unknown";
}

inline bool has_note(const std::vector<import::note>& notes, std::string_view part, std::size_t line) {
  for (const auto& note : notes) {
    if (note.text.find(part) != std::string::npos && note.line == line) return true;
  }
  return false;
}

// A text damaged in each way that pastes are, with what was done to it.
inline std::vector<std::pair<std::string, std::string>> damaged(const std::string& text) {
  const auto replaced = [&](std::string_view from, std::string_view to) {
    std::string out;
    for (const char c : text) from.find(c) == std::string_view::npos ? void(out += c) : void(out += to);
    return out;
  };
  std::string doubled;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end + 1;
    const auto line = text.substr(at, end - at);
    doubled += line + (line.ends_with('\n') ? "" : "\n") + line;
    at = end;
  }
  return {{"CRLF", replaced("\n", "\r\n")},
          {"tabs as blanks", replaced("\t", "    ")},
          {"tabs lost", replaced("\t", "")},
          {"BOM", "\xef\xbb\xbf" + text},
          {"doubled lines", doubled},
          {"lines lost", replaced("\n", " ")},
          {"a blank line each", replaced("\n", "\n\n")},
          {"upper half", text.substr(0, text.size() / 2)},
          {"lower half", text.substr(text.size() / 2)},
          {"twice", text + text},
          {"NUL", text + '\0' + text},
          {"long line", text + std::string(1U << 20U, 'x') + text},
          {"long list", std::string(1U << 18U, '[') + text + std::string(1U << 18U, ',')}};
}

}  // namespace topoplan_test

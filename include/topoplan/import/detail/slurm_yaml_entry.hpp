// The entries of Slurm's topology.yaml: what each is called, of which kind it is, and which one is meant.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/document_names.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct slurm_yaml_entry {
  std::string name;
  std::string_view kind;  // of the kinds below
  document_reader part;   // what stands under the kind
  std::size_t line;
  bool cluster_default;
};

inline constexpr std::array<std::string_view, 5> slurm_yaml_kinds = {"tree", "block", "flat", "ring", "torus3d"};

[[nodiscard]] inline bool is_true(const document_reader& value) {
  const auto& v = value.value();
  if (v.kind == document_kind::text && equal_ignoring_case(v.text, "true")) return true;
  if (v.kind != document_kind::text || !equal_ignoring_case(v.text, "false")) value.refuse("true or false");
  return false;
}

// errors: parse_error for an entry without a name, with none or two kinds, and unknown keys.
[[nodiscard]] inline slurm_yaml_entry slurm_yaml_entry_of(const document_reader& value) {
  refuse_other_keys(value, {"topology", "cluster_default", "tree", "block", "flat", "ring", "torus3d"});
  slurm_yaml_entry entry{
      name_in(value.at("topology"), "the name of a topology", unquoted::taken), {}, value, value.line(), false};
  if (value.has("cluster_default")) entry.cluster_default = is_true(value.at("cluster_default"));
  for (const auto kind : slurm_yaml_kinds) {
    if (value.value().find(kind) == nullptr) continue;
    const auto part = value.at(kind);
    // `flat: false` says that it isn't.
    if (kind == "flat" && part.value().kind == document_kind::text && !is_true(part)) continue;
    if (!entry.kind.empty()) {
      part.refuse("one kind of topology for " + quoted(entry.name), std::string(entry.kind) + " and " + std::string(kind));
    }
    entry.kind = kind;
    entry.part = part;
  }
  if (entry.kind.empty()) value.refuse("tree, block, flat, ring or torus3d for " + quoted(entry.name), "none of them");
  return entry;
}

// All entries. errors: as above, and parse_error for another document, an empty one and a name that stands twice.
[[nodiscard]] inline std::vector<slurm_yaml_entry> slurm_yaml_entries(const document& d) {
  const document_reader root(d);
  if (root.value().kind != document_kind::list) root.refuse("a list of topologies, as Slurm's topology.yaml has it");
  if (root.size() == 0) root.refuse("a list of topologies", "an empty one");
  std::vector<slurm_yaml_entry> entries;
  std::unordered_map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < root.size(); ++i) {
    entries.push_back(slurm_yaml_entry_of(root[i]));
    const auto [known, fresh] = lines.emplace(entries.back().name, entries.back().line);
    if (!fresh) {
      root[i].refuse("each topology once",
                     quoted(entries.back().name) + " again, which line " + std::to_string(known->second) + " describes");
    }
  }
  return entries;
}

// "topo1 (tree), topo2 (block)", without one of them. complexity: O(entries). errors: none.
[[nodiscard]] inline std::string names_of_topologies(const std::vector<slurm_yaml_entry>& entries,
                                                     const slurm_yaml_entry* without = nullptr) {
  name_list names;
  for (const auto& entry : entries) {
    if (&entry != without) names.add(entry.name + " (" + std::string(entry.kind) + ")");
  }
  return names.text();
}

// The entry that is called so; without a name the only one, else the first that is the cluster's default, as Slurm takes it.
// errors: parse_error when there is none, with the names that there are.
[[nodiscard]] inline const slurm_yaml_entry& choose_topology(const std::vector<slurm_yaml_entry>& entries, std::string_view name,
                                                             const std::string& source) {
  auto chosen = entries.begin();
  if (!name.empty()) {
    chosen = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
    if (chosen == entries.end()) {
      throw parse_error({source, 0, 0}, "a topology " + quoted(name), "only " + names_of_topologies(entries));
    }
  } else if (entries.size() > 1) {
    chosen = std::find_if(entries.begin(), entries.end(), [](const auto& entry) { return entry.cluster_default; });
    if (chosen == entries.end()) {
      throw parse_error({source, 0, 0}, "one topology with cluster_default: true, or the name of the one that is meant",
                        "several, and none is the default: " + names_of_topologies(entries));
    }
  }
  return *chosen;
}

}  // namespace topoplan::inline v1::import::detail

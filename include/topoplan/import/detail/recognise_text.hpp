// Tells formats of tools that print for people apart, line by line.
#pragma once

#include <topoplan/import/detail/domain_lines.hpp>
#include <topoplan/import/detail/ib_record.hpp>
#include <topoplan/import/detail/recognise_markup.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/topo_row.hpp>
#include <topoplan/import/format.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A row of the matrix, or its header: a host may be called GPU1, so that one column alone marks nothing.
[[nodiscard]] inline bool is_line_of_topo(const text_line& line) {
  if (topo_header_of(line) && words_of(line.text).size() > 1 && !holds(line.text, ":")) return true;
  const auto row = topo_row_of(line);
  return row && (row->self || row->p2p || row->foreign) && (numbered(row->name, "GPU") || numbered(row->name, "NIC"));
}

// A line of any of Slurm's topology plugins; the reader says which it reads.
[[nodiscard]] inline recognised slurm_plugin_of(std::string_view content) {
  const auto line = trimmed(content);
  const auto key = line.substr(0, line.find_first_of(" \t="));
  if (key.size() == line.size()) return {};
  for (const std::string_view known : {"SwitchName", "RingName", "TorusName"}) {
    if (equal_ignoring_case(key, known)) return {format::slurm_topology};
  }
  for (const std::string_view known : {"BlockName", "BlockSizes"}) {
    if (equal_ignoring_case(key, known)) return {format::slurm_blocks};
  }
  return {};
}

[[nodiscard]] inline bool has_hex_number(std::string_view word) noexcept {
  return word.starts_with("0x") && word.size() >= 10 &&
         word.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// What ibnetdiscover, with or without -p, and ibsim files have in their lines.
[[nodiscard]] inline bool marks_ibnetdiscover(std::string_view content) {
  const auto line = trimmed(content);
  return line.starts_with("vendid=") || line.starts_with("DR path slid") || is_line_of_ibnetdiscover(line);
}

// A line that one field alone marks, of tools that describe a host. `host`: another host's name stands before it.
[[nodiscard]] inline recognised tool_of(std::string_view content) {
  const auto line = trimmed(content);
  if (holds(line, ")==>") && holds(line, "==(")) return {format::iblinkinfo};
  if (line.starts_with("GPU ") && holds(line, "(UUID:")) return {format::nvidia_smi_nvlink};
  if (line.starts_with("CA '") || line.starts_with("CA type:")) return {format::ibstat};
  if (line.starts_with("hca_id:")) return {format::ibv_devinfo};
  if (holds(line, "==>") && holds(line, " port ")) return {format::ibdev2netdev};
  if (line.starts_with("Infiniband device '")) return {{}, "`ibstatus`; give the output of `ibstat`"};
  if (line.starts_with("Block Name") && holds(line, "|")) return {format::azure_topology};
  return {};
}

// Fields of `nvidia-smi -q`: of one host, or, behind a host's name, of many. A key stands alone or before a colon.
[[nodiscard]] inline recognised inventory_of(std::string_view content) {
  for (const std::string_view key : {"==NVSMI LOG==", "ClusterUUID", "CliqueId", "Attached GPUs", "Fabric"}) {
    const auto at = content.find(key);
    if (at == std::string_view::npos) continue;
    const auto after = trimmed(content.substr(at + key.size()));
    if (!after.empty() && !after.starts_with(':') && !after.starts_with('=')) continue;
    auto before = content.substr(0, at);
    while (before.ends_with('=')) before.remove_suffix(1);
    if (trimmed(before).empty()) return {format::nvidia_smi_q};
    before = trimmed(before);
    if (before.ends_with(':') && is_plain_name(before.substr(0, before.size() - 1))) return {format::nvlink_domains};
  }
  return {};
}

// pre: `lines` are those of a text without escapes. complexity: O(text).
[[nodiscard]] inline recognised recognise_lines(const std::vector<text_line>& lines) {
  recognised inventory;
  std::size_t rules = 0;
  bool labels = false;
  bool table = false;
  bool other = false;
  for (const text_line& line : lines) {
    const auto content = line.text.substr(0, line.text.find('#'));
    auto commented = line;  // "# GPU0 X NV4", as scripts keep it
    commented.text.remove_prefix(std::min(content.size() + 1, line.text.size()));
    if (is_line_of_topo(line) || is_line_of_topo(commented)) return {format::nvidia_smi_topo};
    if (const auto found = slurm_plugin_of(content)) return found;
    if (marks_ibnetdiscover(content)) return {format::ibnetdiscover};
    if (const auto found = tool_of(line.text)) return found;
    if (const auto found = inventory_of(line.text); found && !inventory) inventory = found;
    rules += is_rule(line.text) ? 1U : 0U;
    labels = labels || holds(line.text, "nvidia.com/gpu.clique");
    if (!trimmed(content).empty()) {
      const auto words = words_of(content);
      const bool entry = has_hex_number(words.front()) && words.size() > 1;
      table = table || entry;
      other = other || !entry;
    }
    if (holds(line.text, ": {") && holds(line.text, "ustomerHPCIslandId")) return {format::oci_topology};
  }
  if (inventory) return rules >= 2 ? recognised{format::nvlink_domains} : inventory;
  if (labels) return {format::nvlink_domains};
  if (table && !other) return {format::ib_host_table};
  return {};
}

}  // namespace topoplan::inline v1::import::detail

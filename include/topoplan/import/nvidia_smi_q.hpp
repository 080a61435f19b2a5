// Reads the text of `nvidia-smi -q`, whole or as people cut it with grep. Its XML has a header of its own, nvidia_smi_q_xml.hpp.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/inventory_fields.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/smi_sections.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/gpu_inventory.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class smi_reader {
 public:
  explicit smi_reader(std::string source) { inventory_.source = std::move(source); }

  // errors: parse_error for values that contradict each other. complexity: O(line x nesting).
  void add(const text_line& line) {
    const auto parsed = smi_line_of(line);
    if (parsed.key.empty() || parsed.key == "--") return;
    if (add_heading(line, parsed)) return;
    sections_.enter(line, parsed);
    if (!parsed.value) {
      if (parsed.key == "Fabric") begin_fabric(line.number);
      if (parsed.key == "MIG Device" && !inventory_.gpus.empty()) ++inventory_.gpus.back().mig_devices;
      return;
    }
    if (is_failure(*parsed.value) && sections_.parent() != "PCIe Generation" && !inventory_.gpus.empty() &&
        failed_ != inventory_.gpus.size()) {
      failed_ = inventory_.gpus.size();
      say("answers " + quoted(parsed.key) + " with " + quoted(*parsed.value), line.number);
    }
    if (!add_fabric_field(parsed)) add_field(parsed);
  }

  [[nodiscard]] bool recognised() const noexcept { return recognised_; }

  // errors: parse_error for a text without any field of `nvidia-smi -q`, and for a GPU that is described twice.
  [[nodiscard]] gpu_inventory take() {
    if (!recognised_) {
      throw parse_error({inventory_.source, 0, 0}, "the output of `nvidia-smi -q`", "none of its fields");
    }
    conclude(inventory_);
    return std::move(inventory_);
  }

 private:
  // "GPU 00000000:19:00.0", which begins a GPU, and the lines above the first.
  bool add_heading(const text_line& line, const smi_line& parsed) {
    const auto text = trimmed(line.text);
    if (text.starts_with("GPU ")) {
      if (const auto address = parse_pci(trimmed(text.substr(4)))) {
        recognised_ = true;
        sections_.reset();
        begin_gpu(line.number).pci = to_string(*address);
        return true;
      }
    }
    if (text.starts_with("Unable to determine the device handle for GPU")) {
      recognised_ = true;
      inventory_.notes.push_back({line.number, quoted(text, 160)});
      return true;
    }
    if (!parsed.value) return false;
    if (parsed.key == "Driver Version") inventory_.driver = available(*parsed.value);
    else if (parsed.key == "Attached GPUs") set_attached(parsed);
    else return false;
    recognised_ = true;
    return true;
  }

  void set_attached(const smi_line& parsed) {
    const auto count = number(*parsed.value);
    const location where{inventory_.source, parsed.number, 0};
    if (!count) throw parse_error(where, "a number of attached GPUs", quoted(*parsed.value));
    if (inventory_.attached) throw parse_error(where, "the GPUs of one host", "a second count of attached GPUs");
    inventory_.attached = count;
  }

  inventory_gpu& begin_gpu(std::size_t line) {
    fabric_begun_ = false;
    seen_.clear();
    inventory_.gpus.push_back({});
    inventory_.gpus.back().line = line;
    return inventory_.gpus.back();
  }

  // A fragment without headings has one GPU for each Fabric section.
  void begin_fabric(std::size_t line) {
    recognised_ = true;
    if (inventory_.gpus.empty() || fabric_begun_) begin_gpu(line);
    fabric_begun_ = true;
    inventory_.gpus.back().fabric.line = line;
  }

  // A field that comes again, where grep left neither headings nor sections, belongs to the next GPU.
  bool add_fabric_field(const smi_line& line) {
    const bool names_domain = line.key == "CliqueId" || line.key == "ClusterUUID";
    const bool stands_there = sections_.parent() == "Fabric" && (line.key == "State" || line.key == "Status");
    const bool health = sections_.parent() == "Health" && (sections_.inside("Fabric") || fabric_begun_);
    if (!names_domain && !stands_there && !health) return false;
    const bool again = std::find(seen_.begin(), seen_.end(), line.key) != seen_.end();
    if (inventory_.gpus.empty() || again) begin_gpu(line.number);
    seen_.push_back(line.key);
    recognised_ = true;
    gpu_fabric& fabric = inventory_.gpus.back().fabric;
    if (fabric.line == 0) fabric.line = line.number;
    fabric_begun_ = true;
    if (health && line.key == "Summary") fabric.health = available(*line.value);
    else if (health && line.key == "Bandwidth") fabric.bandwidth = available(*line.value);
    else set_fabric_field(fabric, line.key, *line.value, {inventory_.source, line.number, 0});
    return true;
  }

  void add_field(const smi_line& line) {
    if (inventory_.gpus.empty() || sections_.inside("MIG Device")) return;
    inventory_gpu& gpu = inventory_.gpus.back();
    const auto section = sections_.parent();
    const auto value = *line.value;
    if (line.key == "Product Name") gpu.model = available(value);
    else if (line.key == "GPU UUID") gpu.uuid = available(value);
    else if (line.key == "Minor Number") gpu.minor = number(value);
    else if (equal_ignoring_case(line.key, "Module ID")) gpu.module = number(value);
    else if (section == "MIG Mode" && line.key == "Current") gpu.mig = mode_of(value);
    else if (section == "ECC Mode" && line.key == "Current") gpu.ecc = mode_of(value);
    else if (section == "FB Memory Usage" && line.key == "Total") gpu.memory = memory_of(value);
    else if (section == "Platform Info") add_platform(gpu, line.key, value);
    else if (section == "Link Width" && line.key == "Max") widest_ = number(value.substr(0, value.find('x')));
    else if (section == "Link Width" && line.key == "Current") check_width(number(value.substr(0, value.find('x'))), line.number);
    else check_health(section, line);
  }

  static void add_platform(inventory_gpu& gpu, std::string_view key, std::string_view value) {
    if (key == "Chassis Serial Number") gpu.chassis = available(value);
    else if (key == "Slot Number") gpu.slot = number(value);
    else if (key == "Tray Index") gpu.tray = number(value);
    else if (key == "Host ID") gpu.host = number(value);
  }

  void check_width(std::optional<std::uint32_t> current, std::size_t line) {
    if (!current || !widest_ || *current >= *widest_) return;
    say("runs its PCIe link at width " + std::to_string(*current) + " of " + std::to_string(*widest_), line);
  }

  void check_health(std::string_view section, const smi_line& line) {
    constexpr std::pair<std::string_view, std::string_view> faults[] = {
        {"Remapped Rows", "Pending"}, {"Remapped Rows", "Remapping Failure Occurred"}, {"GPU Reset Status", "Reset Required"}};
    for (const auto& [where, key] : faults) {
      if (section == where && line.key == key && equal_ignoring_case(*line.value, "Yes")) {
        say("reports " + std::string(where) + ", " + std::string(key), line.number);
      }
    }
    if (line.key == "GPU Recovery Action" && !is_not_available(*line.value) && *line.value != "None") {
      say("asks for recovery: " + quoted(*line.value), line.number);
    }
  }

  void say(const std::string& text, std::size_t line) {
    inventory_.notes.push_back({line, title_of(inventory_.gpus.back(), inventory_.gpus.size() - 1) + " " + text});
  }

  gpu_inventory inventory_;
  smi_sections sections_;
  std::vector<std::string_view> seen_;  // fabric fields of the last GPU
  std::optional<std::uint32_t> widest_;
  std::size_t failed_ = 0;  // the last GPU of which it was said that it doesn't answer
  bool fabric_begun_ = false;
  bool recognised_ = false;
};

}  // namespace detail

// Reads the GPUs of one host. Layouts of drivers 470 to 595 are read; so are fragments, such as `| grep -A7 Fabric` leaves: there
// every Fabric section, or every CliqueId, is a GPU without an address.
// post: GPUs in the order of the text; a GPU in MIG mode, a fabric that isn't ready or reports a fault, a narrow PCIe link, and
//   fewer GPUs than attached are notes. complexity: O(text).
// errors: parse_error for a text without any of the tool's fields, for a GPU that is described twice, and for two hosts in one
// text.
[[nodiscard]] inline gpu_inventory nvidia_smi_q(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  const auto lines = detail::lines_of(plain, source);
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return !detail::trimmed(line.text).empty(); });
  if (first != lines.end() && detail::trimmed(first->text).starts_with('<')) {
    throw parse_error({source, first->number, 1}, "the text of `nvidia-smi -q`",
                      "a document in XML, as `nvidia-smi -q -x` writes it");
  }
  detail::smi_reader reader(std::move(source));
  for (const auto& line : lines) reader.add(line);
  return reader.take();
}

}  // namespace topoplan::inline v1::import

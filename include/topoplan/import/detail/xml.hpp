// The one door to pugixml: a document that knows where its elements stand and refuses what no topology file holds.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>

#include <pugixml.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

using xml_node = pugi::xml_node;

// The largest real files (`nvidia-smi -q -x` of 16 GPUs, lstopo of 1,536 hardware threads) hold a hundredth of these.
inline constexpr std::size_t xml_max_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t xml_max_marks = 2'000'000;  // '<' and '=': bounds elements and attributes, and so memory
inline constexpr std::size_t xml_max_depth = 200;        // readers recurse

// True if an element has that name; nvidia-smi's tags differ in case between drivers.
[[nodiscard]] inline bool is_named(xml_node node, std::string_view name) noexcept {
  return node.type() == pugi::node_element && equal_ignoring_case(node.name(), name);
}

// The elements below, without the texts between them.
[[nodiscard]] inline std::vector<xml_node> children_of(xml_node node) {
  std::vector<xml_node> elements;
  for (const xml_node child : node.children()) {
    if (child.type() == pugi::node_element) elements.push_back(child);
  }
  return elements;
}

[[nodiscard]] inline xml_node child_named(xml_node node, std::string_view name) {
  for (const xml_node child : node.children()) {
    if (is_named(child, name)) return child;
  }
  return {};
}

// Blanks around the text removed; empty for an absent element.
[[nodiscard]] inline std::string_view text_of(xml_node node) { return trimmed(node.child_value()); }
[[nodiscard]] inline std::string_view text_of(xml_node node, std::string_view child) { return text_of(child_named(node, child)); }

// Empty for an absent attribute.
[[nodiscard]] inline std::string_view attribute(xml_node node, const char* name) { return trimmed(node.attribute(name).value()); }

// ASCII without control characters: what names of devices and products consist of.
[[nodiscard]] inline bool is_printable(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

class xml_document {
 public:
  // Reads one document. Custom entities aren't expanded but refused.
  // errors: parse_error with line and column for text that isn't well-formed, for a second root, and beyond the limits above;
  //   as plain_text. complexity: O(text).
  xml_document(std::string_view text, std::string source) : source_(std::move(source)) {
    text_ = text.find('\x1b') == std::string_view::npos ? std::string(plain_text(text, source_))
                                                        : without_escapes(plain_text(text, source_));
    refuse_unreasonable();
    find_lines();
    const auto result = document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) throw parse_error(at(result.offset), "well-formed XML", problem(result));
    const auto roots = children_of(document_);
    if (roots.empty()) throw parse_error({source_, 0, 0}, "an XML document", "no element");
    if (roots.size() > 1) {
      throw parse_error(where(roots[1]), "one XML document", "a second one that begins with " + quoted(roots[1].name()));
    }
    root_ = roots.front();
    refuse_depth();
  }

  [[nodiscard]] xml_node root() const noexcept { return root_; }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }

  // Goes on only for a document of that root; another tool's is named.
  // errors: parse_error.
  void require_root(std::string_view name, const std::string& expected) const {
    if (is_named(root_, name)) return;
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"system", "an NCCL topology XML (<system>)"},
        {"graphs", "an NCCL graph XML (<graphs>), which lists the channels of a communicator and no devices"},
        {"nvidia_smi_log", "the output of `nvidia-smi -q -x`"},
        {"topology", "an hwloc XML (<topology>)"}};
    for (const auto& [root, title] : known) {
      if (is_named(root_, root)) throw parse_error(where(root_), expected, std::string(title));
    }
    throw parse_error(where(root_), expected, "a document of " + quoted(root_.name()));
  }

  // An attribute or a text that names something. errors: parse_error for other than printable ASCII.
  [[nodiscard]] std::string printable(xml_node node, std::string_view text) const {
    if (is_printable(text)) return std::string(text);
    throw parse_error(where(node), std::string("printable ASCII in <") + node.name() + ">", quoted(text));
  }

  [[nodiscard]] location where(xml_node node) const { return at(node.offset_debug() - 1); }
  [[nodiscard]] std::size_t line(xml_node node) const { return where(node).line; }

  // The attribute as a number of base 10, nothing when it is absent or empty.
  // errors: parse_error for anything else.
  template <class Integer = std::uint32_t> [[nodiscard]] std::optional<Integer> numeric(xml_node node, const char* name) const {
    const auto text = attribute(node, name);
    if (text.empty()) return std::nullopt;
    const auto value = number<Integer>(text);
    if (!value) {
      const auto limit = std::to_string(std::numeric_limits<Integer>::max());
      throw parse_error(where(node), "a whole number up to " + limit + " as " + name + " of <" + node.name() + ">", quoted(text));
    }
    return value;
  }

 private:
  void refuse_unreasonable() const {
    const location whole{source_, 0, 0};
    if (text_.size() > xml_max_bytes) {
      throw parse_error(whole, "at most " + std::to_string(xml_max_bytes >> 20U) + " MiB of XML",
                        std::to_string(text_.size()) + " bytes");
    }
    const auto marks =
        static_cast<std::size_t>(std::count_if(text_.begin(), text_.end(), [](char c) { return c == '<' || c == '='; }));
    if (marks > xml_max_marks) {
      throw parse_error(whole, "at most " + std::to_string(xml_max_marks) + " elements and attributes", std::to_string(marks));
    }
    if (const auto entity = text_.find("<!ENTITY"); entity != std::string::npos) {
      throw parse_error(whole, "XML without entities of its own, as every tool here writes it", "an <!ENTITY> declaration");
    }
  }

  void find_lines() {
    line_starts_.assign(1, 0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] location at(std::ptrdiff_t offset) const {
    const auto place = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), place);
    const auto number = static_cast<std::size_t>(next - line_starts_.begin());
    return {source_, number, place - line_starts_[number - 1] + 1};
  }

  [[nodiscard]] std::string problem(const pugi::xml_parse_result& result) const {
    if (result.status == pugi::status_no_document_element) return text_.empty() ? "an empty text" : "no element";
    const auto place = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    const bool at_end = place >= text_.size() || text_.find_first_not_of(" \t\r\n", place + 1) == std::string::npos;
    const auto last = text_.find_last_not_of(" \t\r\n");
    std::string reason = result.description();
    if (!reason.empty()) reason.front() = lower(reason.front());
    if (at_end || last == std::string::npos || text_[last] != '>') reason += "; the text breaks off, so the file was cut";
    return reason;
  }

  // Walks without recursion, since the depth is what isn't trusted.
  void refuse_depth() const {
    std::size_t depth = 1;
    for (xml_node node = root_; node;) {
      if (depth > xml_max_depth)
        throw parse_error(where(node), "at most " + std::to_string(xml_max_depth) + " nested elements", "more");
      if (const xml_node child = node.first_child(); child && node.type() == pugi::node_element) {
        node = child;
        ++depth;
        continue;
      }
      while (node && node != root_ && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      node = node == root_ ? xml_node{} : node.next_sibling();
    }
  }

  std::string source_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  pugi::xml_document document_;
  xml_node root_;
};

}  // namespace topoplan::inline v1::import::detail

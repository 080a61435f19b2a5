// One-line cluster specs: "dgx-h100:128", "hgx-h100:96 leaf=32 oversubscription=2 fabric=roce".
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/near.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// The most that a spec takes: GPUs in all, hosts or racks of a leaf group, an oversubscription.
inline constexpr std::uint32_t most_gpus = 1U << 24U;
inline constexpr std::uint32_t most_leaf = 1U << 16U;
inline constexpr double most_oversubscription = 1000;

// A spec as a value. What is not given comes from the product's reference architecture.
struct cluster_spec {
  std::string product = {};                   // name of a system_model: "dgx-h100"
  std::uint32_t count = 1;                    // hosts; racks for products whose NVLink domain spans hosts
  std::optional<std::uint32_t> leaf = {};     // as many of them share a leaf group
  std::vector<double> oversubscription = {};  // of the uplinks of tier 0, 1, ...; those not given are 1
  std::optional<fabric_kind> fabric = {};
  std::optional<std::uint16_t> rails = {};  // 1: all NICs of a host hang on one leaf switch
  std::string names = {};                   // host names up to their first number; empty: the product's

  friend bool operator==(const cluster_spec&, const cluster_spec&) = default;
};

namespace detail {

struct fabric_word {
  std::string_view word;
  fabric_kind kind;
};
// The first word of a kind is the one that to_string prints.
inline constexpr fabric_word fabric_words[] = {{"ib", fabric_kind::infiniband},    {"infiniband", fabric_kind::infiniband},
                                               {"roce", fabric_kind::roce},        {"spectrum-x", fabric_kind::spectrum_x},
                                               {"efa", fabric_kind::efa},          {"slingshot", fabric_kind::slingshot},
                                               {"ethernet", fabric_kind::ethernet}};

template <class Number> [[nodiscard]] std::string number_text(Number value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// Reads one spec; keeps where it stands for the messages.
class spec_reader {
 public:
  explicit spec_reader(std::string_view text) : text_(text) {}

  [[nodiscard]] cluster_spec read() {
    cluster_spec spec;
    skip_blanks();
    read_product(spec);
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) read_option(spec);
    return spec;
  }

 private:
  static bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  // The text up to a blank or one of the given characters.
  std::string_view word(std::string_view stops) {
    const std::size_t from = at_;
    while (at_ < text_.size() && !blank(text_[at_]) && stops.find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(from, at_ - from);
  }
  [[nodiscard]] parse_error fail(std::size_t at, std::string expected, std::string_view found, std::string_view hint = "") const {
    return {{"cluster spec " + quoted(text_), 1, at + 1},
            std::move(expected),
            (found.empty() ? std::string("nothing") : quoted(found)).append(hint)};
  }

  template <class Number> Number number(std::size_t from, std::string_view digits, Number most, const std::string& expected) {
    Number value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(value >= 1 && value <= most))
      throw fail(from, expected, digits);
    return value;
  }

  void read_product(cluster_spec& spec) {
    const std::size_t from = at_;
    const std::string_view name = word(":=");
    const system_model* system = at_ < text_.size() && text_[at_] == '=' ? nullptr : lookup_system(name);
    if (system == nullptr) {
      std::vector<std::string> known;
      for (const system_model& m : system_catalogue()) known.emplace_back(m.name);
      const std::vector<std::string> near = near_names(name, known);
      throw fail(from, "PRODUCT:COUNT with a product of " + listed(known), name,
                 near.empty() ? "" : "; did you mean " + listed(near) + "?");
    }
    spec.product = system->name;
    const std::string counted = system->hosts_per_domain > 1 ? "racks" : "hosts";
    const std::uint32_t most = most_gpus / system->gpus_per_host / system->hosts_per_domain;
    const std::string expected =
        "':' and the number of " + counted + ", 1 to " + std::to_string(most) + ", as in " + spec.product + ":16";
    if (at_ == text_.size() || text_[at_] != ':') throw fail(at_, expected, word(""));
    ++at_;
    const std::size_t digits = at_;
    spec.count = number<std::uint32_t>(digits, word(""), most, expected);
  }

  void read_option(cluster_spec& spec) {
    const std::size_t from = at_;
    const std::string_view key = word("=");
    const bool has_value = at_ < text_.size() && text_[at_] == '=';
    if (has_value) ++at_;
    const std::size_t value_at = at_;
    const std::string_view value = has_value ? word("") : std::string_view{};
    bool repeated = false;
    if (has_value && key == "leaf") {
      repeated = spec.leaf.has_value();
      spec.leaf = number<std::uint32_t>(value_at, value, most_leaf, "leaf=N, hosts or racks of a leaf group, 1 to 65536");
    } else if (has_value && key == "oversubscription") {
      repeated = !spec.oversubscription.empty();
      spec.oversubscription = ratios(value_at, value);
    } else if (has_value && key == "fabric") {
      repeated = spec.fabric.has_value();
      spec.fabric = fabric(value_at, value);
    } else if (has_value && key == "rails") {
      repeated = spec.rails.has_value();
      spec.rails = number<std::uint16_t>(value_at, value, 64, "rails=N, 1 to 64");
    } else if (has_value && key == "names") {
      repeated = !spec.names.empty();
      spec.names = prefix(value_at, value);
    } else {
      throw fail(from, "an option of leaf=N, oversubscription=R[,R...], fabric=KIND, rails=N, names=PREFIX",
                 text_.substr(from, at_ - from));
    }
    if (repeated) throw fail(from, "each option once", text_.substr(from, at_ - from));
  }

  std::vector<double> ratios(std::size_t from, std::string_view list) {
    const std::string expected = "oversubscription=R[,R...], one ratio a tier from the leaf up, each 1 to 1000, as in 2 or 2:1";
    std::vector<double> values;
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      std::string_view one = list.substr(at, end - at);
      if (one.ends_with(":1")) one.remove_suffix(2);
      values.push_back(number<double>(from + at, one, most_oversubscription, expected));
      at = end + 1;
    }
    return values;
  }

  fabric_kind fabric(std::size_t from, std::string_view word) {
    std::vector<std::string_view> known;
    for (const fabric_word& f : fabric_words) {
      if (f.word == word) return f.kind;
      known.push_back(f.word);
    }
    throw fail(from, "a fabric of " + listed(known), word);
  }

  std::string prefix(std::size_t from, std::string_view text) {
    const bool starts = !text.empty() && text[0] != '-' && text[0] != '.';
    for (const char c : text) {
      const bool host_character =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
      if (!starts || !host_character || text.size() > 48)
        throw fail(from, "names=PREFIX, at most 48 letters, digits, '-' and '.', beginning with a letter or digit", text);
    }
    if (text.empty()) throw fail(from, "names=PREFIX", text);
    return std::string(text);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace detail

// Reads "PRODUCT:COUNT [leaf=N] [oversubscription=R[,R...]] [fabric=KIND] [rails=N] [names=PREFIX]"; options in any order.
// Aliases of products are replaced by their names.
// post: parse_spec(to_string(result)) == result. complexity: O(length).
// errors: parse_error with the column, what is accepted there (all products, all options) and what stood there.
[[nodiscard]] inline cluster_spec parse_spec(std::string_view text) { return detail::spec_reader(text).read(); }

// The spec in one canonical line: options in the order above, only those that are given.
// complexity: O(length). errors: none.
[[nodiscard]] inline std::string to_string(const cluster_spec& spec) {
  std::string text = spec.product + ':' + std::to_string(spec.count);
  if (spec.leaf) text += " leaf=" + std::to_string(*spec.leaf);
  for (std::size_t i = 0; i < spec.oversubscription.size(); ++i)
    text += (i == 0 ? " oversubscription=" : ",") + detail::number_text(spec.oversubscription[i]);
  for (const detail::fabric_word& f : detail::fabric_words) {
    if (!spec.fabric || f.kind != *spec.fabric) continue;
    (text += " fabric=") += f.word;
    break;
  }
  if (spec.rails) text += " rails=" + std::to_string(*spec.rails);
  if (!spec.names.empty()) text += " names=" + spec.names;
  return text;
}

}  // namespace topoplan::inline v1

#include "collectives.hpp"

#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/cost/interconnect.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csv.hpp"

namespace accuracy {
namespace {

using namespace topoplan;

// How the GPU column is read: the first prefix that fits. NVLink in GB/s per direction; 0: PCIe.
struct gpu_word {
  std::string_view prefix;
  link_family family;
  double nvlink;
  double pcie;
  double nic;  // GB/s where a row doesn't say
};
constexpr gpu_word gpu_words[] = {
    {"V100", link_family::volta, 150, 15.75, 6.25}, {"A800", link_family::ampere, 200, 31.5, 25},
    {"A100-PCI", link_family::pcie, 0, 31.5, 25},   {"A100", link_family::ampere, 300, 31.5, 25},
    {"H800", link_family::hopper, 200, 63, 50},     {"H100-PCI", link_family::pcie, 0, 63, 50},
    {"H100 PCI", link_family::pcie, 0, 63, 50},     {"H100", link_family::hopper, 450, 63, 50},
    {"H200", link_family::hopper, 450, 63, 50},     {"H20", link_family::hopper, 450, 63, 50},
    {"GH200", link_family::hopper, 450, 63, 25},    {"GB300", link_family::blackwell, 900, 63, 100},
    {"GB200", link_family::blackwell, 900, 63, 50}, {"B300", link_family::blackwell, 900, 126, 100},
    {"B200", link_family::blackwell, 900, 63, 50},  {"B100", link_family::blackwell, 900, 63, 50},
    {"RTX 40", link_family::pcie, 0, 31.5, 25},     {"RTX 6000 Ada", link_family::pcie, 0, 31.5, 25},
    {"RTX", link_family::pcie, 0, 63, 50},          {"L40", link_family::pcie, 0, 31.5, 25},
    {"L20", link_family::pcie, 0, 31.5, 25},        {"L4", link_family::pcie, 0, 31.5, 12.5},
    {"A10", link_family::pcie, 0, 31.5, 12.5},      {"A40", link_family::pcie, 0, 31.5, 25},
};

// How the system and nic columns are read: the first word that stands in either, by itself, whatever the letter case.
struct fabric_word {
  std::string_view word;
  fabric_class fabric;
};
constexpr fabric_word fabric_words[] = {{"slingshot", fabric_class::slingshot},
                                        {"tcpxo", fabric_class::tcpxo},
                                        {"tcpx", fabric_class::tcpxo},
                                        {"a3 mega", fabric_class::tcpxo},
                                        {"efa", fabric_class::efa_v2},
                                        {"aws", fabric_class::efa_v2},
                                        {"gib", fabric_class::roce_gib},
                                        {"gcp", fabric_class::roce_gib},
                                        {"spectrum-x", fabric_class::spectrum_x},
                                        {"xdr", fabric_class::infiniband_xdr},
                                        {"ndr", fabric_class::infiniband_ndr},
                                        {"hdr", fabric_class::infiniband_hdr},
                                        {"edr", fabric_class::infiniband_edr},
                                        {"roce", fabric_class::roce},
                                        {"rocev2", fabric_class::roce},
                                        {"oci", fabric_class::roce},
                                        {"ib", fabric_class::infiniband_ndr},
                                        {"infiniband", fabric_class::infiniband_ndr},
                                        {"cx7", fabric_class::roce},
                                        {"cx8", fabric_class::roce},
                                        {"tcp", fabric_class::ethernet_tcp},
                                        {"ethernet", fabric_class::ethernet_tcp}};
// Words that put the hosts of a row into different NVLink domains even if they would fit into one.
constexpr std::string_view apart_words[] = {"different", "separate", "two racks", "cross-rack", "across racks", "across domains"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool says(std::string_view text, std::string_view word) {
  const auto letter = [&](std::size_t i) { return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  return false;
}

// "8x400G" is 8 NICs of 400 Gb/s a host: GB/s per GPU; 0 if the text doesn't say.
double rate_in(std::string_view nics, double gpus_per_host) {
  for (std::size_t x = nics.find('x'); x != std::string_view::npos; x = nics.find('x', x + 1)) {
    std::size_t from = x;
    while (from > 0 && std::isdigit(static_cast<unsigned char>(nics[from - 1])) != 0) --from;
    double count = 0;
    double gigabits = 0;
    const auto left = std::from_chars(nics.data() + from, nics.data() + x, count);
    const auto right = std::from_chars(nics.data() + x + 1, nics.data() + nics.size(), gigabits);
    if (left.ec == std::errc{} && right.ec == std::errc{} && right.ptr != nics.data() + nics.size() && *right.ptr == 'G')
      return count * gigabits / 8 / gpus_per_host;
  }
  return 0;
}

// A row as the model takes it.
struct posed {
  link_facts facts;
  collective what = collective::all_reduce;
  double bytes = 0;
  double seconds = 0;
  group_shape group;
};

std::optional<collective> collective_named(std::string_view name) {
  if (name == "all_reduce") return collective::all_reduce;
  if (name == "all_gather") return collective::all_gather;
  if (name == "reduce_scatter") return collective::reduce_scatter;
  if (name == "alltoall" || name == "all_to_all") return collective::all_to_all;
  if (name == "sendrecv" || name == "send_recv") return collective::send_recv;
  return std::nullopt;
}

// The row, or why it can't be posed.
std::pair<std::optional<posed>, std::string> pose(const csv_table& table, std::size_t row) {
  posed p;
  const std::string_view gpu = table.at(row, "gpu");
  const auto* word =
      std::find_if(std::begin(gpu_words), std::end(gpu_words), [&](const gpu_word& w) { return gpu.starts_with(w.prefix); });
  if (gpu.starts_with("MI")) return {std::nullopt, "AMD GPUs have no calibration class"};
  if (word == std::end(gpu_words)) return {std::nullopt, "unknown GPU " + std::string(gpu)};
  const auto what = collective_named(table.at(row, "collective"));
  if (!what) return {std::nullopt, "unknown collective " + std::string(table.at(row, "collective"))};
  p.what = *what;
  const double ranks = table.number(row, "n_gpus");
  const double hosts = std::max(1.0, table.number(row, "nodes", 1));
  p.bytes = table.number(row, "message_bytes");
  if (ranks < 2 || p.bytes <= 0) return {std::nullopt, "no group size or no message size"};
  const double bus = table.number(row, "busbw_GBps") * 1e9;
  const double algorithmic = table.number(row, "algbw_GBps") * 1e9;
  p.seconds = table.number(row, "time_us") * 1e-6;
  if (p.seconds <= 0 && bus > 0) p.seconds = bus_factor(p.what, ranks) * p.bytes / bus;
  if (p.seconds <= 0 && algorithmic > 0) p.seconds = p.bytes / algorithmic;
  if (p.seconds <= 0) return {std::nullopt, "no time and no bandwidth"};

  const std::string nics(table.at(row, "nic"));
  const std::string text = lower(std::string(table.at(row, "system")) + " " + nics);
  const double per_host = std::max(1.0, std::floor(ranks / hosts));
  double domain = word->nvlink > 0 ? std::max(1.0, table.number(row, "nvlink_domain", 8)) : 1;
  const bool apart = std::any_of(std::begin(apart_words), std::end(apart_words),
                                 [&](std::string_view w) { return text.find(w) != std::string::npos; });
  if (apart && hosts > 1 && ranks <= domain) domain = per_host;
  p.facts.family = word->family;
  p.facts.nvlink_rate = word->nvlink * 1e9;
  p.facts.host_rate = word->pcie * 1e9;
  p.facts.domain = static_cast<std::uint32_t>(domain);
  double nic = table.number(row, "nic_GBps_per_gpu");
  if (nic <= 0) nic = rate_in(nics, per_host);
  if (nic <= 0) nic = word->nic;
  p.facts.nic_rate = nic * 1e9;

  const auto* fabric =
      std::find_if(std::begin(fabric_words), std::end(fabric_words), [&](const fabric_word& w) { return says(text, w.word); });
  const double gigabits = nic * 8;
  const bool found = fabric != std::end(fabric_words);
  p.facts.fabric = found ? fabric->fabric : fabric_class::infiniband_ndr;
  if (!found || fabric->word == "ib" || fabric->word == "infiniband")
    p.facts.fabric = gigabits > 450   ? fabric_class::infiniband_xdr
                     : gigabits > 225 ? fabric_class::infiniband_ndr
                     : gigabits > 100 ? fabric_class::infiniband_hdr
                                      : fabric_class::infiniband_edr;
  if (p.facts.fabric == fabric_class::efa_v2 && gigabits < 100) p.facts.fabric = fabric_class::efa_v1;
  if (p.facts.fabric == fabric_class::efa_v2 && word->family == link_family::blackwell) p.facts.fabric = fabric_class::efa_v4;
  if (says(table.at(row, "quality"), "untuned") && p.facts.fabric == fabric_class::roce)
    p.facts.fabric = fabric_class::roce_untuned;
  if (gpu.starts_with("GB")) p.facts.fabric = fabric_class::nvl72;

  group_shape& g = p.group;
  g.ranks = static_cast<std::uint32_t>(ranks);
  g.hosts = static_cast<std::uint32_t>(hosts);
  g.per_host = static_cast<std::uint32_t>(per_host);
  g.per_domain = std::min(g.ranks, p.facts.domain);
  g.domains = (g.ranks + g.per_domain - 1) / g.per_domain;
  if (word->nvlink > 0 && g.per_domain > g.per_host && g.hosts > 1 &&
      p.facts.domain <= 16) {  // hosts with fewer ranks than a domain has GPUs
    g.per_domain = g.per_host;
    g.domains = g.hosts;
  }
  return {p, ""};
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

// Bars and the best alpha-beta known, median and 90th percentile in percent.
struct bar {
  link_tier tier;
  collective what;
  double median, p90, known_median, known_p90;
};
constexpr bar bars[] = {
    {link_tier::nvlink, collective::all_reduce, 5, 18, 12, 36},    {link_tier::nvlink, collective::all_gather, 5, 15, 11, 33},
    {link_tier::nvlink, collective::reduce_scatter, 5, 15, 8, 32}, {link_tier::nvlink, collective::all_to_all, 7, 18, 16, 37},
    {link_tier::network, collective::all_reduce, 8, 20, 18, 46},   {link_tier::network, collective::all_gather, 5, 35, 8, 49}};

const bar* bar_of(link_tier tier, collective what) {
  const auto* found =
      std::find_if(std::begin(bars), std::end(bars), [&](const bar& b) { return b.tier == tier && b.what == what; });
  return found == std::end(bars) ? nullptr : found;
}

struct cell {
  std::vector<double> errors;                            // |predicted / measured - 1|
  std::map<std::string, std::vector<double>> by_system;  // signed
  std::size_t assumed = 0;
  std::size_t refused = 0;

  // The errors, each row that couldn't be posed as wrong as can be.
  [[nodiscard]] std::vector<double> with_refused() const {
    std::vector<double> out = errors;
    out.insert(out.end(), refused, 1e9);
    return out;
  }
};

template <class... Values> void print(std::string& to, const char* format, Values... values) {
  char line[400];
  std::snprintf(line, sizeof line, format, values...);
  to += line;
}

}  // namespace

report collectives_report(const std::string& path, bool json) {
  const csv_table table(path);
  std::map<std::pair<link_tier, collective>, cell> counted;
  std::map<std::pair<link_tier, collective>, cell> flagged;
  std::map<std::string, std::pair<std::size_t, std::size_t>> refused;  // counted, flagged
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view quality = table.at(row, "quality");
    const bool counts = quality.empty() || quality == "busbw only";
    const auto [p, why] = pose(table, row);
    if (!p) {
      ++(counts ? refused[why].first : refused[why].second);
      const auto what = collective_named(table.at(row, "collective"));
      const link_tier tier =
          table.number(row, "n_gpus") > table.number(row, "nvlink_domain", 8) ? link_tier::network : link_tier::nvlink;
      if (counts && what) ++counted[{tier, *what}].refused;
      continue;
    }
    const interconnect x = interconnect_of(p->facts);
    const collective_cost c = collective_time(x, p->what, p->bytes, p->group);
    cell& into = (counts ? counted : flagged)[{c.over, p->what}];
    const double error = c.seconds / p->seconds - 1;
    into.errors.push_back(std::abs(error));
    into.assumed += c.known == evidence::assumed ? 1U : 0U;
    std::string system(table.at(row, "gpu"));
    system += ", ";
    system += table.at(row, "system");
    system += ", ";
    system += std::to_string(p->group.ranks) + " ranks";
    if (c.over == link_tier::network) system += ", " + std::string(to_string(p->facts.fabric));
    if (!counts) system += " [" + std::string(quality) + "]";
    into.by_system[system].push_back(error);
  }

  report out;
  for (const bar& b : bars) {
    const auto at = counted.find({b.tier, b.what});
    if (at == counted.end()) continue;
    const std::vector<double> errors = at->second.with_refused();
    out.met = out.met && quantile(errors, 0.5) * 100 <= b.median && quantile(errors, 0.9) * 100 <= b.p90;
  }
  if (json) {
    out.text = "[";
    for (const bool flags : {false, true})
      for (const auto& [key, c] : flags ? flagged : counted) {
        const std::string_view tier = to_string(key.first);
        const std::string_view what = to_string(key.second);
        print(out.text,
              "%s\n  {\"tier\": \"%.*s\", \"collective\": \"%.*s\", \"counted\": %s, \"rows\": %zu, \"not_posed\": %zu, "
              "\"median\": %.4f, \"p90\": %.4f}",
              out.text.size() > 1 ? "," : "", static_cast<int>(tier.size()), tier.data(), static_cast<int>(what.size()),
              what.data(), flags ? "false" : "true", c.errors.size(), c.refused, quantile(c.errors, 0.5),
              quantile(c.errors, 0.9));
      }
    out.text += "\n]";
    return out;
  }
  print(out.text, "Collectives, %zu rows of %s: |predicted / measured - 1|, median / 90th percentile in %%\n\n", table.rows(),
        path.c_str());
  print(out.text, "%-8s %-15s %6s %9s %8s %15s %12s %12s\n", "tier", "collective", "rows", "not posed", "assumed", "topoplan",
        "bar", "alpha-beta");
  for (const auto& [key, c] : counted) {
    const std::string_view tier = to_string(key.first);
    const std::string_view what = to_string(key.second);
    const double median = quantile(c.errors, 0.5) * 100;
    const double p90 = quantile(c.errors, 0.9) * 100;
    print(out.text, "%-8.*s %-15.*s %6zu %9zu %8zu %7.1f / %5.1f", static_cast<int>(tier.size()), tier.data(),
          static_cast<int>(what.size()), what.data(), c.errors.size(), c.refused, c.assumed, median, p90);
    if (const bar* b = bar_of(key.first, key.second)) {
      print(out.text, " %5g / %4g %5g / %4g  %s", b->median, b->p90, b->known_median, b->known_p90,
            median <= b->median && p90 <= b->p90 ? "met" : "MISSED");
      const std::vector<double> all = c.with_refused();
      const bool still = quantile(all, 0.5) * 100 <= b->median && quantile(all, 0.9) * 100 <= b->p90;
      if (c.refused != 0) print(out.text, ", with the rows not posed as wrong %s", still ? "met" : "MISSED");
    }
    out.text += '\n';
  }
  out.text += "\nNot posed (rows that count, rows that are flagged):\n";
  for (const auto& [why, rows] : refused) print(out.text, "  %4zu %4zu  %s\n", rows.first, rows.second, why.c_str());
  if (refused.empty()) out.text += "  none\n";
  for (const bool flags : {false, true}) {
    out.text += flags ? "\nFlagged rows, apart: median error, signed\n"
                      : "\nThe worst systems of each tier and collective: median error, signed\n";
    for (const auto& [key, c] : flags ? flagged : counted) {
      std::vector<std::pair<double, std::string>> worst;
      for (const auto& [system, errors] : c.by_system)
        worst.emplace_back(quantile(errors, 0.5), system + ", " + std::to_string(errors.size()) + " rows");
      std::sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
        return std::make_pair(-std::abs(a.first), a.second) < std::make_pair(-std::abs(b.first), b.second);
      });
      if (!flags && worst.size() > 4) worst.resize(4);
      for (const auto& [error, system] : worst)
        print(out.text, "  %-8s %-15s %+6.0f %%  %s\n", std::string(to_string(key.first)).c_str(),
              std::string(to_string(key.second)).c_str(), error * 100, system.c_str());
    }
  }
  return out;
}

}  // namespace accuracy

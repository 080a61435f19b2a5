// PCI as text files write it: bus ids in one spelling, what a class code stands for, what a link carries.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace topoplan::inline v1::import::detail {

// All hex digits, at most 8 of them.
[[nodiscard]] inline std::optional<std::uint32_t> hex(std::string_view text) noexcept {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || text.size() > 8 || problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct pci_address {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t slot = 0;
  std::uint32_t function = 0;

  friend auto operator<=>(const pci_address&, const pci_address&) = default;
};

// 0000:1b:00.0, 00000000:1B:00.0 (NVML), 1b:00.0 (lspci); nothing for anything else.
[[nodiscard]] inline std::optional<pci_address> parse_pci(std::string_view text) noexcept {
  const auto dot = text.rfind('.');
  const auto colon = text.rfind(':', dot);
  if (dot == std::string_view::npos || colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto before = text.rfind(':', colon - 1);
  const auto domain = before == std::string_view::npos ? std::optional<std::uint32_t>(0) : hex(text.substr(0, before));
  const auto bus = hex(text.substr(before == std::string_view::npos ? 0 : before + 1,
                                   colon - (before == std::string_view::npos ? 0 : before + 1)));
  const auto slot = hex(text.substr(colon + 1, dot - colon - 1));
  const auto function = hex(text.substr(dot + 1));
  if (!domain || !bus || !slot || !function || *bus > 0xff || *slot > 0x1f || *function > 7) return std::nullopt;
  return pci_address{*domain, *bus, *slot, *function};
}

// 0000:1b:00.0; the domain has more digits only when four don't hold it.
[[nodiscard]] inline std::string to_string(const pci_address& address) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string domain;
  for (int shift = 28; shift >= 0; shift -= 4) {
    const auto digit = (address.domain >> static_cast<unsigned>(shift)) & 0xfU;
    if (shift < 16 || digit != 0 || !domain.empty()) domain += digits[digit];
  }
  const auto two = [&](std::uint32_t value) { return std::string{digits[(value >> 4U) & 0xfU], digits[value & 0xfU]}; };
  return domain + ':' + two(address.bus) + ':' + two(address.slot) + '.' + digits[address.function & 0xfU];
}

enum class pci_kind : std::uint8_t { unknown, gpu, nic, bridge, nvswitch, other };

// From the class code: 0x030200, 0x03, "0302". AMD's accelerators have class 0x12 or 0x0380.
[[nodiscard]] inline pci_kind kind_of_class(std::string_view code) {
  if (code.starts_with("0x") || code.starts_with("0X")) code.remove_prefix(2);
  if (code.starts_with("03") || code.starts_with("12")) return pci_kind::gpu;
  if (code.starts_with("02")) return pci_kind::nic;
  if (code.starts_with("0604")) return pci_kind::bridge;
  if (code.starts_with("0680")) return pci_kind::nvswitch;
  return code.empty() ? pci_kind::unknown : pci_kind::other;
}

// "32.0 GT/s PCIe" and a width as one direction's rate; nothing when either isn't given.
// source: line codes of PCI Express: 8b/10b to 5 GT/s, 128b/130b to 32 GT/s, 242B of each 256B flit above.
[[nodiscard]] inline std::optional<bytes_per_second> pcie_rate(std::string_view speed, std::optional<std::uint32_t> width) {
  const auto unit = speed.find("GT/s");
  if (unit == std::string_view::npos || !width || *width == 0 || *width > 32) return std::nullopt;
  double giga = 0;
  const auto figure = trimmed(speed.substr(0, unit));
  const auto [end, problem] = std::from_chars(figure.data(), figure.data() + figure.size(), giga);
  if (problem != std::errc{} || end != figure.data() + figure.size() || !(giga > 0) || giga > 1024) return std::nullopt;
  const double code = giga <= 5 ? 8.0 / 10 : giga <= 32 ? 128.0 / 130 : 242.0 / 256;
  return gigabits_per_second(giga * code * *width);
}

}  // namespace topoplan::inline v1::import::detail

#include <topoplan/import/detail/cpu_mask.hpp>
#include <topoplan/import/detail/guid.hpp>
#include <topoplan/import/detail/pci.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topoplan::import::detail;

TEST_CASE("bus ids in one spelling") {
  const auto canonical = [](std::string_view text) {
    const auto address = parse_pci(text);
    return address ? to_string(*address) : std::string("none");
  };
  CHECK(canonical("0000:1b:00.0") == "0000:1b:00.0");
  CHECK(canonical("00000000:1B:00.0") == "0000:1b:00.0");
  CHECK(canonical("1b:00.1") == "0000:1b:00.1");
  CHECK(canonical("ffff:ff:0e.0") == "ffff:ff:0e.0");
  CHECK(canonical("00010000:01:1f.7") == "10000:01:1f.7");
  CHECK(*parse_pci("00010000:01:00.0") > *parse_pci("ffff:ff:00.0"));
  for (const auto* text : {"", "fffffff:ffff:ff", "1b", "0000:1b:00", "0000:1b:20.0", "0000:1b:00.8", "0000:100:00.0", ":1b:00.0",
                           "0000:1b:00.", "0000:zz:00.0", "000000000:1b:00.0", "a:0000:1b:00.0", ".", ":.", "::."}) {
    INFO(text);
    CHECK(canonical(text) == "none");
  }
}

TEST_CASE("classes, rates") {
  CHECK(kind_of_class("0x030200") == pci_kind::gpu);
  CHECK(kind_of_class("0x03") == pci_kind::gpu);
  CHECK(kind_of_class("0x120000") == pci_kind::gpu);
  CHECK(kind_of_class("0207") == pci_kind::nic);
  CHECK(kind_of_class("0x060400") == pci_kind::bridge);
  CHECK(kind_of_class("0x068000") == pci_kind::nvswitch);
  CHECK(kind_of_class("0x010802") == pci_kind::other);
  CHECK(kind_of_class("") == pci_kind::unknown);
  CHECK(pcie_rate("8 GT/s", 16)->gigabytes() == doctest::Approx(15.754).epsilon(0.001));
  CHECK(pcie_rate("32.0 GT/s PCIe", 16)->gigabytes() == doctest::Approx(63.015).epsilon(0.001));
  CHECK(pcie_rate("32 GT/s PCIe/s", 8)->gigabytes() == doctest::Approx(31.508).epsilon(0.001));
  CHECK(pcie_rate("2.5 GT/s", 1)->gigabytes() == doctest::Approx(0.25));
  CHECK(pcie_rate("64.0 GT/s PCIe", 16)->gigabytes() == doctest::Approx(121));
  CHECK(!pcie_rate("", 16));
  CHECK(!pcie_rate("Unknown GT/s", 16));
  CHECK(!pcie_rate("8 GT/s", {}));
  CHECK(!pcie_rate("8 GT/s", 0));
}

TEST_CASE("masks of CPUs") {
  const auto list = [](std::string_view text) {
    const auto bits = bits_of_mask(text);
    return bits ? as_list(*bits) : std::string("none");
  };
  CHECK(list("00000000,000fffff") == "0-19");
  CHECK(list("000000ff,ffff0000,00ffffff") == "0-23,48-71");
  CHECK(list("0x03000003") == "0-1,24-25");
  CHECK(list("0x1,,0x5") == "0,2,64");
  CHECK(list("f0000,00000000") == "48-51");
  CHECK(list("0x0").empty());
  CHECK(list("0xf...f") == "none");
  CHECK(list("123456789") == "none");
  CHECK(list(std::string(3000, ',')) == "none");
}

TEST_CASE("GUIDs in one spelling") {
  CHECK(guid_of("0x0002c90300000014") == "0x0002c90300000014");
  CHECK(guid_of("0002:C903:0000:0014") == "0x0002c90300000014");
  CHECK(guid_of("0x2c90300000014") == "0x0002c90300000014");
  CHECK(guid_of("0x0000000000000000").empty());
  CHECK(guid_of("<redacted>").empty());
  CHECK(guid_of("0x10002c90300000014").empty());
}

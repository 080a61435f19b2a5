// Any bytes as a hostlist: refused, or folded to a text that expands to the same names.
#include <topoplan/core/error.hpp>
#include <topoplan/import/hostlist.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  constexpr import::hostlist_limits limits{20'000, 2'000'000};
  try {
    const auto names = import::expand_hostlist(topoplan_fuzz::text_of(data, size), "fuzz", limits);
    topoplan_fuzz::require(names.size() <= limits.hosts);
    topoplan_fuzz::require(import::expand_hostlist(import::fold_hostlist(names), "folded", limits) == names);
  } catch (const topoplan::parse_error& e) {
    topoplan_fuzz::require(e.where().source == "fuzz" && e.where().line > 0);
  }
  return 0;
}

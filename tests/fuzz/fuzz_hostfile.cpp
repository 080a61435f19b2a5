// Any bytes as a hostfile: refused, or hosts that each stand once.
#include <topoplan/core/error.hpp>
#include <topoplan/import/hostfile.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  constexpr import::hostlist_limits limits{20'000, 2'000'000};
  try {
    const auto list = import::hostfile(topoplan_fuzz::text_of(data, size), "fuzz", limits);
    topoplan_fuzz::require(!list.hosts.empty() && list.hosts.size() <= limits.hosts);
    std::set<std::string> seen;
    for (const auto& host : list.hosts)
      topoplan_fuzz::require(!host.name.empty() && host.line > 0 && seen.insert(host.name).second);
  } catch (const topoplan::parse_error&) {
  }
  return 0;
}

// Any bytes as domains over hosts: refused, or a table whose two sides agree.
#include <topoplan/core/error.hpp>
#include <topoplan/import/nvlink_domains.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  try {
    const auto table = import::nvlink_domains(topoplan_fuzz::text_of(data, size), "fuzz");
    std::size_t members = 0;
    for (std::uint32_t d = 0; d < table.domains.size(); ++d) {
      for (const auto host : table.domains[d].hosts) require(host < table.hosts.size() && table.hosts[host].domain == d);
      members += table.domains[d].hosts.size();
    }
    for (const auto& host : table.hosts) members -= host.domain ? 1U : 0U;
    require(members == 0);
  } catch (const topoplan::error&) {
  }
  return 0;
}

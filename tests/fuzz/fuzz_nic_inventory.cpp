// Any bytes as `ibstat`, `ibv_devinfo` and `ibdev2netdev`: refused, or compute ports that are there.
#include <topoplan/core/error.hpp>
#include <topoplan/import/ibdev2netdev.hpp>
#include <topoplan/import/ibstat.hpp>
#include <topoplan/import/ibv_devinfo.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz.hpp"

using topoplan_fuzz::require;

namespace {

namespace import = topoplan::import;

template <class Reader> void read(const Reader& reader, std::string_view text) {
  try {
    const import::nic_inventory nics = reader(text, std::string("fuzz"));
    require(!nics.devices.empty());
    for (const auto& place : compute_ports(nics)) {
      require(place.device < nics.devices.size() && place.port < nics.devices[place.device].ports.size());
    }
  } catch (const topoplan::error&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = topoplan_fuzz::text_of(data, size);
  read(import::ibstat, text);
  read(import::ibv_devinfo, text);
  read(import::ibdev2netdev, text);
  return 0;
}

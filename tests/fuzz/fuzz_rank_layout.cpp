// Any bytes as a layout, read as each launcher reads it: refused, or a seat of the cluster for every rank.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/rank_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  static const topoplan::cluster c = [] {
    topoplan::cluster made = topoplan::make_cluster(topoplan::parse_spec("dgx-h100:4"));
    for (std::size_t h = 0; h < made.hosts.size(); ++h) made.hosts[h].name = "h" + std::to_string(h + 1);
    made.gpus[5].health = topoplan::gpu_health::unhealthy;
    return made;
  }();
  if (size < 2) return 0;
  // The first byte chooses the launcher, the second whether the second line is an include.
  import::rank_layout_options options;
  const std::size_t methods = import::launch_methods::all.size();
  if (data[0] % (methods + 1) < methods) options.launched_by = import::launch_methods::all[data[0] % (methods + 1)].method;
  std::string_view text = topoplan_fuzz::text_of(data + 2, size - 2);
  if (data[1] == '@') {
    const std::size_t end = text.find('\n');
    options.include = std::string(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  options.limits = {2'000, 200'000};
  try {
    const import::rank_seats seats = import::rank_layout(text, "fuzz", c, options);
    topoplan_fuzz::require(!seats.ranks.empty() && seats.hosts.size() == seats.names.size());
    for (const import::rank_seat& s : seats.ranks)
      topoplan_fuzz::require(s.host.value < c.hosts.size() && s.gpu < c.at(s.host).gpu_count && s.line > 0);
  } catch (const topoplan::parse_error&) {
  } catch (const topoplan::invalid_argument&) {
    topoplan_fuzz::require(!options.include.empty());
  }
  return 0;
}

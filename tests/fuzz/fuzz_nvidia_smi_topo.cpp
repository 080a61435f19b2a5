// Any bytes as `nvidia-smi topo -m`: refused, or symmetric; then recognised, and composed to a valid cluster or refused.
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/recognise.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  const auto text = topoplan_fuzz::text_of(data, size);
  try {
    const auto node = import::nvidia_smi_topo(text, "fuzz");
    const auto width = node.gpus.size() + node.nics.size();
    require(!node.gpus.empty() && node.paths.size() == width * width);
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        const auto p = node.between(a, b);
        require(p == node.between(b, a) && (p.kind == import::path_kind::self) == (a == b));
        require(p.kind != import::path_kind::nvlink || (a < node.gpus.size() && b < node.gpus.size()));
      }
    }
    const auto rails = import::rails_of(node);
    require(rails.of_gpu.size() == node.gpus.size());
    const import::host_list hosts{"fuzz", {{"a", 1, {}}, {"b", 2, {}}}};
    require(!validate(import::compose(node, std::nullopt, hosts, {"", 400})));
  } catch (const topoplan::error&) {
  }
  try {
    (void)import::recognise(text, "fuzz");
  } catch (const topoplan::parse_error&) {
  }
  return 0;
}

// Any bytes as objects of Kubernetes: refused, or networks and domains that keep their promises; a network makes a valid cluster.
#include <topoplan/core/error.hpp>
#include <topoplan/import/kubernetes_configmap.hpp>
#include <topoplan/import/kubernetes_nodes.hpp>
#include <topoplan/import/kueue_topology.hpp>
#include <topoplan/import/slurm_topology.hpp>
#include <topoplan/import/volcano_hypernodes.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.hpp"
#include "fuzz_composed.hpp"

namespace {

namespace import = topoplan::import;

template <class Read> void read(const Read& read) {
  try {
    topoplan_fuzz::check_composed(read());
  } catch (const topoplan::parse_error&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> hosts = {"gpu-1", "gpu-2", "gpu-10", "rack-a.gpu_3"};
  try {
    const auto documents = import::yaml_documents(topoplan_fuzz::text_of(data, size), "fuzz");
    read([&] { return import::kubernetes_nodes(documents); });
    read([&] { return import::kubernetes_nodes(documents, import::kueue_topology(documents)); });
    read([&] { return import::kubernetes_nodes(documents, {"levels", "own", {"example.com/block", "example.com/rack"}, 1}); });
    read([&] { return import::volcano_hypernodes(documents, hosts); });
    read([&] { return import::volcano_hypernodes(documents); });
    for (const auto& file : import::kubernetes_configmap(documents)) {
      topoplan_fuzz::check(import::read_embedded(file, [](std::string_view text, const std::string& source) {
        return import::slurm_topology(text, source, {20'000, 2'000'000});
      }));
    }
  } catch (const topoplan::parse_error&) {
  }
  return 0;
}

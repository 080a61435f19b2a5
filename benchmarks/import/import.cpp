// How fast the files of a large cluster are read and put together; bars, and what the parser alone takes, stand beside.
#include <topoplan/import/aws_topology.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/compose_fabric.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/ibnetdiscover.hpp>
#include <topoplan/import/json_document.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/import/recognise.hpp>
#include <topoplan/import/slurm_topologies.hpp>
#include <topoplan/import/slurm_topology.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <yaml-cpp/yaml.h>

#include "support/ib_net.hpp"

namespace {

using namespace topoplan;

bool all_met = true;

// The best of three runs, in seconds of this process: others may be busy.
template <class Work> double best(const Work& work) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

// A bar or a peer of 0: there is none.
void row(std::string_view what, std::size_t bytes, double seconds, double bar, double peer = 0) {
  std::printf("%-52.*s %9.3f MB %9.1f ms", static_cast<int>(what.size()), what.data(), static_cast<double>(bytes) / 1e6,
              seconds * 1e3);
  if (peer > 0) std::printf("  parser alone %8.1f ms (%.2f x)", peer * 1e3, seconds / peer);
  if (bar > 0) {
    std::printf("  <= %g s  %s", bar, seconds <= bar ? "met" : "MISSED");
    all_met = all_met && seconds <= bar;
  }
  std::printf("\n");
}

std::string tree_conf(int leafs, int hosts_a_leaf) {
  std::string text = "SwitchName=core Switches=leaf[0-" + std::to_string(leafs - 1) + "]\n";
  for (int l = 0; l < leafs; ++l) {
    const int first = l * hosts_a_leaf;
    text += "SwitchName=leaf" + std::to_string(l) + " Nodes=gpu-[" + std::to_string(10000 + first) + "-" +
            std::to_string(10000 + first + hosts_a_leaf - 1) + "]\n";
  }
  return text;
}

std::string tree_yaml(int leafs, int hosts_a_leaf) {
  std::string text =
      "- topology: fabric\n  tree:\n    switches:\n    - {switch: core, children: 'leaf[0-" + std::to_string(leafs - 1) + "]'}\n";
  for (int l = 0; l < leafs; ++l) {
    text += "    - switch: leaf" + std::to_string(l) + "\n      nodes:\n";
    for (int h = 0; h < hosts_a_leaf; ++h) text += "      - gpu-" + std::to_string(10000 + l * hosts_a_leaf + h) + "\n";
  }
  return text;
}

std::string aws_json(int hosts) {
  std::string text = "{\"Instances\": [";
  for (int h = 0; h < hosts; ++h) {
    text += (h == 0 ? "" : ",") + std::string("\n{\"InstanceId\": \"i-") + std::to_string(10000 + h) +
            "\", \"InstanceType\": \"p5.48xlarge\", \"NetworkNodes\": [\"nn-core\", \"nn-spine" + std::to_string(h / 640) +
            "\", \"nn-leaf" + std::to_string(h / 20) + "\"], \"AvailabilityZone\": \"us-east-1a\"}";
  }
  return text + "]}\n";
}

// Eight GPUs and eight NICs, one rail each.
std::string matrix() {
  std::string text;
  for (int i = 0; i < 8; ++i) text += "\tGPU" + std::to_string(i);
  for (int i = 0; i < 8; ++i) text += "\tNIC" + std::to_string(i);
  text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (int a = 0; a < 16; ++a) {
    text += (a < 8 ? "GPU" : "NIC") + std::to_string(a % 8);
    for (int b = 0; b < 16; ++b) {
      const bool gpus = a < 8 && b < 8;
      text += a == b ? "\t X " : gpus ? "\tNV18" : a % 8 == b % 8 ? "\tPIX" : a % 8 / 4 == b % 8 / 4 ? "\tNODE" : "\tSYS";
    }
    text += a < 8 ? "\t0-55\t" + std::to_string(a / 4) + "\tN/A\n" : "\n";
  }
  text += "\nLegend:\n\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n";
  for (int i = 0; i < 8; ++i) text += "  NIC" + std::to_string(i) + ": mlx5_" + std::to_string(i) + "\n";
  return text;
}

void measure() {
  const auto node = import::nvidia_smi_topo(matrix(), "topo.txt");
  const auto composed = [&](std::optional<import::network_tree> network) {
    return import::compose(node, std::move(network), {}, {.gpu = "h100-sxm", .nic_gigabits = 400}).gpus.size();
  };
  std::size_t kept = 0;

  const auto conf = tree_conf(500, 20);
  row("topology.conf, 10,000 hosts", conf.size(), best([&] { kept += import::slurm_topology(conf, "t").hosts.size(); }), 1);
  row("  recognised, read and composed: 80,000 GPUs", conf.size(), best([&] {
        kept += static_cast<std::size_t>(import::recognise(conf, "t"));
        kept += composed(import::slurm_topology(conf, "t"));
      }),
      0);

  const auto yaml = tree_yaml(500, 20);
  const double yaml_alone = best([&] { kept += YAML::Load(yaml).size(); });
  row("topology.yaml, 10,000 hosts, a line each", yaml.size(),
      best([&] { kept += import::slurm_topology_yaml(import::yaml_documents(yaml, "t").front()).network->hosts.size(); }), 0,
      yaml_alone);

  const auto json = aws_json(10000);
  const double json_alone = best([&] { kept += nlohmann::json::parse(json).size(); });
  row("AWS topology, 10,000 instances", json.size(),
      best([&] { kept += import::aws_topology(import::json_document(json, "t")).network->hosts.size(); }), 0, json_alone);

  const auto net = topoplan_test::ib_net_of(topoplan_test::graph_of({63, 32, 64, 1, 1}), "4xNDR");
  const auto ib = topoplan_test::ib_net_writer(net).records();
  row("ibnetdiscover, 2,016 hosts x 8 adapters", ib.size(), best([&] {
        const auto fabric = import::ibnetdiscover(ib, "t");
        kept += import::network_of(fabric, import::hosts_of(fabric)).groups.size();
      }),
      1);
  row("  recognised, read, folded and composed: 16,128 GPUs", ib.size(), best([&] {
        kept += static_cast<std::size_t>(import::recognise(ib, "t"));
        const auto fabric = import::ibnetdiscover(ib, "t");
        import::cluster_parts parts;
        parts.classes.push_back({{}, node});
        kept += import::compose_fabric(fabric, import::hosts_of(fabric), parts).gpus.size();
      }),
      0);

  const std::string million = "gpu-[0000000-0999999]\n";
  row("hostlist of 1,000,000 hosts", million.size(), best([&] { kept += import::hostfile(million, "t").hosts.size(); }), 0);
  if (kept == 0) std::printf("nothing was read\n");
}

}  // namespace

int main() {
  try {
    measure();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topoplan-bench-import: %s\n", e.what());
    return 2;
  }
  return all_met ? 0 : 1;
}

#include <topoplan/import/json_document.hpp>
#include <topoplan/import/kubernetes_nodes.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;

namespace {

import::cluster_topology topology_of(const std::string& text, const std::string& source) {
  return import::kubernetes_nodes(some_documents(text, source));
}
import::cluster_topology topology_of_file(const std::string& name) { return topology_of(data_file("kubernetes/" + name), name); }
import::kueue_levels levels_of(const std::string& text) {
  return import::kueue_topology(import::yaml_documents(text, "levels.yaml"));
}

}  // namespace

TEST_SUITE_BEGIN("import/kubernetes_nodes");

TEST_CASE("a list of nodes: cliques before other labels, what is off is said, nodes without GPUs are left out") {
  const auto topology = topology_of_file("nodes.yaml");
  CHECK(is_sound(topology));
  REQUIRE(topology.network);
  CHECK(path_above(topology.network, "tray-01") == "leaf-1 < spine-1 < core-1");
  CHECK(path_above(topology.network, "tray-03") == "leaf-2 < spine-1 < core-1");
  CHECK(path_above(topology.network, "control-1") == "no such host");
  REQUIRE(topology.domains);
  CHECK(domains_in(topology.domains) == "aaaaaaaa-0000-0000-0000-000000000001.1: tray-01 tray-02 | tray-03: not told");
  CHECK(topology.domains->domains.front().key->clique == 1);
  CHECK(topology.domains->hosts[0].gpus == 4);
  CHECK(topology.domains->hosts[1].gpus == 3);
  CHECK(has_note(topology.domains->notes, "tray-03 has no label nvidia.com/gpu.clique", 43));
  const auto& notes = topology.network->notes;
  CHECK(has_note(notes, "tray-02 isn't ready", 26));
  CHECK(has_note(notes, "tray-02 is cordoned", 26));
  CHECK(has_note(notes, "tray-02 gives 3 of its 4 GPUs", 26));
  CHECK(has_note(notes, "tray-03 has GPUs that MIG cuts into slices", 43));
  CHECK(has_note(notes, "1 node without GPUs left out", 0));
  CHECK(has_note(notes, "nodes differ in GPUs: 3 on 1 node, 4 on 1 node", 0));
  CHECK(has_note(notes, "nodes differ in nvidia.com/gpu.product: NVIDIA-GB200 on 2 nodes, NVIDIA-GB300 on 1 node", 0));
  CHECK(has_note(notes, "topology.k8s.aws/network-node-layer-N on 1 node isn't read beside it", 0));
  CHECK(notes.size() == 8);
}

TEST_CASE("what keeps nodes from use, one state a node") {
  const auto topology = topology_of_file("nodes.yaml");
  REQUIRE(topology.states);
  CHECK(topology.states->source == "nodes.yaml");
  const std::vector<import::host_state> expected = {{"tray-01", "", 4, 4, 7},
                                                    {"tray-02", "it isn't ready", 4, 3, 26},
                                                    {"tray-03", "MIG cuts its GPUs into slices", {}, {}, 43}};
  CHECK(topology.states->hosts == expected);
  const auto state = [](const std::string& rest) {
    const auto one = topology_of("kind: Node\nmetadata: {name: n, labels: {fabric.topograph.run/tier-0: a}}\n" + rest, "k");
    return one.states ? one.states->hosts.front() : import::host_state{"none"};
  };
  CHECK(state("") == import::host_state{"none"});
  CHECK(state("spec: {unschedulable: false}\n") == import::host_state{"none"});
  CHECK(state("spec: {unschedulable: true}\n") == import::host_state{"n", "it is cordoned (unschedulable)", {}, {}, 2});
  CHECK(state("status: {conditions: [{type: Ready, status: Unknown}]}\n") ==
        import::host_state{"n", "it isn't ready", {}, {}, 2});
  CHECK(state("status: {conditions: [{type: Ready, status: 'True'}]}\n") == import::host_state{"none"});
  CHECK(state("status: {capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 7}}\n") ==
        import::host_state{"n", "", 8, 7, 2});
  CHECK(state("status: {capacity: {nvidia.com/gpu: 8}, allocatable: {cpu: 7}}\n") == import::host_state{"n", "", 8, 0, 2});
  CHECK(state("status: {capacity: {cpu: 8}, allocatable: {cpu: 7}}\n") == import::host_state{"none"});
}

TEST_CASE("features of nodes, beside the nodes themselves") {
  const auto topology = topology_of_file("features.yaml");
  CHECK(is_sound(topology));
  CHECK(path_above(topology.network, "n1") == "l1 < s1");
  CHECK(path_above(topology.network, "n2") == "l2 < s1");
  CHECK(domains_in(topology.domains) == "nvl1: n1; nvl2: n2");
  CHECK(topology.domains->hosts[1].gpus == 8);
  CHECK(has_note(topology.domains->notes, "accelerator-sub-domain, such as nvl1.a, isn't read", 10));
  CHECK(has_note(topology.domains->notes, "which some clouds set to hosts near each other without NVLink between them", 0));
}

TEST_CASE("labels alone: of AWS the highest layer is the closest") {
  const auto topology = topology_of_file("labels.json");
  CHECK(is_sound(topology));
  CHECK(path_above(topology.network, "w2") == "nn-low2 < nn-mid < nn-top");
  CHECK(domains_in(topology.domains) == "no domains");
  CHECK(has_note(topology.network->notes, "w3 has no switch above it here", 6));
  CHECK(has_note(topology.network->notes, "topology.nebius.com/tier-N on 1 node isn't read beside it", 0));
}

TEST_CASE("each family of labels, closest switch first") {
  const auto one = [](const std::string& labels) { return topology_of("n: {" + labels + "}", "l"); };
  const auto path = [&](const std::string& labels) { return path_above(one(labels).network, "n"); };
  CHECK(path("fabric.topograph.run/tier-0: a, fabric.topograph.run/tier-2: c, fabric.topograph.run/tier-10: d") == "a < c < d");
  CHECK(path("network.topology.nvidia.com/datacenter: c, network.topology.nvidia.com/block: a, "
             "network.topology.nvidia.com/spine: b") == "a < b < c");
  CHECK(path("topology.nebius.com/tier-2: b, topology.nebius.com/gpu-cluster-id: c, topology.nebius.com/tier-1: a, "
             "topology.nebius.com/tier-0: d") == "a < b < c");
  CHECK(domains_in(one("topology.nebius.com/tier-1: a, topology.nebius.com/tier-0: d").domains) == "d: n");
  CHECK(path("oci.oraclecloud.com/rdma.hpc_island_id: c, oci.oraclecloud.com/rdma.local_block_id: a, "
             "oci.oraclecloud.com/rdma.network_block_id: b, oci.oraclecloud.com/rdma.host_id: h") == "a < b < c");
  CHECK(path("cloud.google.com/gce-topology-block: b, cloud.google.com/gce-topology-host: h, "
             "cloud.google.com/gce-topology-subblock: a") == "a < b");
  CHECK(domains_in(one("topology.k8s.aws/capacity-block-id: cb, topology.k8s.aws/ultraserver-id: us").domains) == "us: n");
  CHECK(domains_in(one("nvidia.com/gpu.clique: 00000000-0000-0000-0000-000000000000.0").domains) ==
        " | n: a fabric of its own host");
}

TEST_CASE("the labels of a Kueue Topology: a rack counts within its block") {
  const auto levels = levels_of(data_file("kueue/racks.yaml"));
  const std::string nodes =
      "n1: {example.com/block: b1, example.com/rack: '1'}\n"
      "n2: {example.com/block: b2, example.com/rack: '1', fabric.topograph.run/tier-0: other}\n"
      "n3: {example.com/block: b2, example.com/rack: '2'}\n"
      "n4: {example.com/block: b2}\n";
  const auto topology = import::kubernetes_nodes(import::yaml_documents(nodes, "n"), levels);
  CHECK(is_sound(topology));
  CHECK(path_above(topology.network, "n1") == "b1/1 < b1");
  CHECK(path_above(topology.network, "n2") == "b2/1 < b2");
  CHECK(path_above(topology.network, "n3") == "2 < b2");
  CHECK(has_note(topology.network->notes, "n4 has no switch above it here", 4));
  CHECK_THROWS_WITH_AS(import::kubernetes_nodes(import::yaml_documents("n4: {example.com/block: b2}\n", "n"), levels),
                       doctest::Contains("n:1: expected nodes with all labels of the Topology 'racks' (levels.yaml), found none"),
                       parse_error);
}

TEST_CASE("what names no switch and no domain, or two, is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "k"), doctest::Contains(part), parse_error);
  };
  refused("{}", "expected Kubernetes nodes, as `kubectl get nodes -o yaml` prints them, found no object");
  refused("kind: Pod\n", "found other objects, such as a 'Pod'");
  refused("hello", "k:1:1: expected an object of Kubernetes, a map, found hello");
  refused("items: [3]", "k:1:9: expected an object of Kubernetes, a map");
  refused("kind: Node\nmetadata: {}\n", "k:2:11: expected a map with 'name'");
  refused("n1: {kubernetes.io/os: linux}\n", "k:1: expected nodes with labels that name switches or NVLink domains: fabric");
  refused("n1: {nvidia.com/gpu.clique: rack7}\n", "k:1:29: expected nvidia.com/gpu.clique, UUID.CLIQUE, found rack7");
  refused("n1: {fabric.topograph.run/tier-0: 12}\n", "k:1:35: expected fabric.topograph.run/tier-0, a text, found 12, no text");
  refused(
      "n1: {fabric.topograph.run/tier-0: a, fabric.topograph.run/tier-1: b}\n"
      "n2: {fabric.topograph.run/tier-0: a, fabric.topograph.run/tier-1: c}\n",
      "expected one switch above 'a', found 'c' by host n2, and 'b' by host n1 in line 1");
  refused(
      "kind: Node\nmetadata: {name: n, labels: {fabric.topograph.run/tier-0: a}}\n---\n"
      "kind: Node\nmetadata: {name: n, labels: {fabric.topograph.run/tier-0: b}}\n",
      "k:5:59: expected fabric.topograph.run/tier-0=a for node n, as in line 2, found b");
  refused("kind: Node\nmetadata: {name: n}\nstatus: {allocatable: {nvidia.com/gpu: many}}\n", "k:3:40: expected a whole number");
  refused("some key: {}\nkind2: 3\n", "expected Kubernetes nodes, or a map of labels with kubernetes.io/hostname");
  refused(data_file("kueue/racks.yaml"), "k:5: expected Kubernetes nodes, as");
  refused(data_file("kueue/racks.yaml"), "by which nodes are placed: example.com/block, example.com/rack; give the nodes, too");
}

TEST_CASE("damaged files") {
  for (const auto* name : {"features.yaml", "labels.json"}) {
    INFO(name);
    check_survives(checked(topology_of), data_file(std::string("kubernetes/") + name));
  }
}

TEST_CASE("the reference files") {
  const auto gke = reference_file("k8s-topology/gke-node-labels.yaml");
  const auto nebius = reference_file("k8s-topology/nebius-node-list.json");
  const auto nfd = reference_file("k8s-topology/nfd-nodefeature.yaml");
  const auto labels = reference_file("k8s-topology/node-labels-block-4domains.json");
  const auto kueue = reference_file("k8s-topology/kueue-topology.yaml");
  if (!gke || !nebius || !nfd || !labels || !kueue) return;
  SUBCASE("GKE: block > subblock") {
    const auto topology = topology_of(*gke, "gke.yaml");
    CHECK(is_sound(topology));
    CHECK(topology.network->hosts.size() == 1);
    CHECK(path_above(topology.network, "node-1") == "subblock-1 < block-1");
  }
  SUBCASE("Nebius: one tier") {
    const auto topology = import::kubernetes_nodes(import::json_document(*nebius, "nebius.json"));
    CHECK(is_sound(topology));
    CHECK(path_above(topology.network, "gpu-node-a") == "tier-a");
    CHECK(topology.network->notes.empty());
    CHECK(domains_in(topology.domains) == "no domains");
  }
  SUBCASE("NodeFeature: three tiers, a domain") {
    const auto topology = topology_of(*nfd, "nfd.yaml");
    CHECK(is_sound(topology));
    CHECK(path_above(topology.network, "node-a") == "leaf-12 < spine-2 < core-1");
    CHECK(domains_in(topology.domains) == "nvl3: node-a");
    CHECK(has_note(topology.domains->notes, "accelerator-sub-domain, such as nvl3.rack01", 19));
  }
  SUBCASE("twelve nodes, four domains, two roots") {
    const auto topology = import::kubernetes_nodes(import::json_document(*labels, "labels.json"));
    CHECK(is_sound(topology));
    CHECK(topology.network->hosts.size() == 12);
    CHECK(roots(*topology.network) == 2);
    CHECK(path_above(topology.network, "Node205") == "S3 < S1 < IB2");
    CHECK(path_above(topology.network, "Node403") == "S6 < S4 < IB1");
    CHECK(domains_in(topology.domains) ==
          "B1: Node104 Node105 Node106; B2: Node201 Node202 Node205; B3: Node301 Node302 Node303; B4: Node401 Node402 Node403");
  }
  SUBCASE("Kueue alone names labels only") {
    CHECK_THROWS_WITH_AS(topology_of(*kueue, "kueue.yaml"),
                         doctest::Contains("cloud.provider.com/topology-block, cloud.provider"), parse_error);
  }
}

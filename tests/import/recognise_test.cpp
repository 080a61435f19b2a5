#include <topoplan/import/recognise.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using topoplan::invalid_argument;
using topoplan::parse_error;
using topoplan::import::format;
using topoplan::import::parse_format;
using topoplan::import::recognise;

namespace {

// For the macros, which drop what a call returns.
void try_recognise(std::string_view text) { static_cast<void>(recognise(text, "t")); }
void try_parse_format(std::string_view name) { static_cast<void>(parse_format(name)); }

}  // namespace

TEST_SUITE_BEGIN("import/recognise");

TEST_CASE("names of formats and back") {
  for (const auto& f : topoplan::import::all_formats) {
    CHECK(parse_format(f.name) == f.id);
    CHECK(to_string(f.id) == f.name);
    CHECK(&traits_of(f.id) == &f);
  }
  CHECK_THROWS_WITH_AS(try_parse_format("slurm"), doctest::Contains("unknown format 'slurm'; the formats are nvidia-smi-topo, "),
                       invalid_argument);
}

TEST_CASE("the examples need no --format") {
  CHECK(recognise(example_file("topo.txt"), "t") == format::nvidia_smi_topo);
  CHECK(recognise(example_file("topology.conf"), "t") == format::slurm_topology);
  CHECK(recognise(example_file("hosts.txt"), "t") == format::hostfile);
}

TEST_CASE("every input of tests/data is recognised") {
  const auto all = [](const std::string& folder, format expected) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TOPOPLAN_TEST_DATA) + "/import/" + folder)) {
      CAPTURE(entry.path().string());
      CHECK(recognise(import::read_file(entry.path().string()), "t") == expected);
    }
  };
  all("topo", format::nvidia_smi_topo);
  all("hostfile", format::hostfile);
  all("cluster", format::cluster_file);
  all("rank_map", format::rank_map_file);
  all("nccl", format::nccl_topology_xml);
  all("nccl_graph", format::nccl_graph_xml);
  all("hwloc", format::hwloc_xml);
  all("smi_q", format::nvidia_smi_q);
  all("smi_q_xml", format::nvidia_smi_q_xml);
  all("nvlink_status", format::nvidia_smi_nvlink);
  all("domains", format::nvlink_domains);
  all("ibnetdiscover", format::ibnetdiscover);
  all("iblinkinfo", format::iblinkinfo);
  all("slurm_blocks", format::slurm_blocks);
  all("slurm_topologies", format::slurm_topologies);
  all("topograph_model", format::topograph_model);
  all("topograph_response", format::topograph_response);
  all("topograph_instances", format::topograph_instances);
  all("nmx", format::nmx_compute_nodes);
  all("kueue", format::kueue_topology);
  all("volcano", format::volcano_hypernodes);
  all("azure", format::azure_topology);
  all("aws", format::aws_topology);
  all("lambda", format::lambda_topology);
  all("oci", format::oci_topology);
}

TEST_CASE("marks in texts") {
  CHECK(recognise("{\n \"version\": 1, \"format\" :\n\"topoplan.cluster\"}", "t") == format::cluster_file);
  CHECK(recognise("\xef\xbb\xbf{\"format\": \"topoplan.rank_map\"}", "t") == format::rank_map_file);
  CHECK(recognise("# c\n  switchname=a Nodes=b\n", "t") == format::slurm_topology);
  CHECK(recognise("RingName=a Nodes=b\n", "t") == format::slurm_topology);
  CHECK(recognise("BlockName=a\n", "t") == format::slurm_blocks);
  CHECK(recognise("a slots=8\n", "t") == format::hostfile);
  CHECK(recognise("SwitchName\n", "t") == format::hostfile);
  CHECK(recognise("gpu-[1-3]", "t") == format::hostfile);
  CHECK(recognise("node1\nnode2:8\n", "t") == format::hostfile);
  for (const char* yaml :
       {"- topology: a\n  tree:\n", "- cluster_default: true\n  topology: a\n", "-\n  topology: a\n  block:\n",
        "---\n  - topology: a\n    flat: true\n", "-  topology: a\n   ring:\n", "- \"topology\": a\n  'tree':\n"})
    CHECK_MESSAGE(recognise(yaml, "t") == format::slurm_topologies, yaml);
  CHECK(recognise("- name: a\n- cluster_default: true\n  tree:\n    switches:\n    - topology: x\n-    topology: b\n", "t") ==
        format::slurm_topologies);
  CHECK(recognise("GPU1\nGPU2\n", "t") == format::hostfile);
  CHECK(recognise("GPU1 slots=8\nGPU1a slots=8\nGPU1.cluster.local\n", "t") == format::hostfile);
  CHECK(recognise("GPU0\tCPU Affinity\nGPU0\t X \t0-7\n", "t") == format::nvidia_smi_topo);
  CHECK(recognise("Fabric-1: ==============NVSMI LOG==============\nFabric-1:     Fabric\n", "t") == format::nvlink_domains);
  CHECK(recognise("a, b ,c\nd\n", "t") == format::hostfile);
  CHECK(recognise("Fabric\n    State : Completed\n", "t") == format::nvidia_smi_q);
  CHECK(recognise("Fabric-node-1\nCliqueIds\n", "t") == format::hostfile);
  CHECK(recognise("GPU1.cluster.local: ==============NVSMI LOG==============\n", "t") == format::nvlink_domains);
  CHECK(recognise("SLURM_JOB_NODELIST=gpu-[001-004]\n", "t") == format::hostfile);
  CHECK(recognise("export SLURM_NODELIST=\"gpu-[001-004],x\"\n", "t") == format::hostfile);
  CHECK(recognise("vendid=0x2c9\n", "t") == format::ibnetdiscover);
  CHECK(recognise("==============NVSMI LOG==============\n", "t") == format::nvidia_smi_q);
  CHECK(recognise("a-1: ==============NVSMI LOG==============\n", "t") == format::nvlink_domains);
  CHECK(recognise("<!-- <graphs> -->\n<?xml?>\n<!DOCTYPE x>\n<system version=\"1\"/>", "t") == format::nccl_topology_xml);
  CHECK(recognise("0x0002c90300000001 gpu-001 mlx5_0\n# c\n0x0002c90300000002 \"gpu-001 mlx5_1\"\n", "t") ==
        format::ib_host_table);
  CHECK(recognise("kind: ConfigMap\ndata:\n  topology.conf: |\n    SwitchName=a Nodes=b\n", "t") == format::kubernetes_configmap);
  CHECK(recognise("kind: 'Topology'\n", "t") == format::kueue_topology);
  CHECK(recognise("{\"kind\": \"List\", \"items\": [{\"kind\": \"Node\"}]}", "t") == format::kubernetes_nodes);
}

TEST_CASE("what isn't read is named") {
  const auto refused = [](std::string_view text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(try_recognise(text), doctest::Contains(part), parse_error);
  };
  refused("", "found an empty text");
  refused(" \n\n", "found an empty text");
  refused("{}", "a JSON document that none of its keys marks");
  refused("{\"format\": \"topoplan.plan\"}", "a plan of topoplan");
  refused("{\"hidden_size\": 4096}", "a model's configuration");
  refused("Infiniband device 'mlx5_7' port 1 status:\n", "`ibstatus`; give the output of `ibstat`");
  refused("kind: Pod\n", "a Kubernetes object of another kind");
  refused("a=b\n", "found 'a=b'");
  refused("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\ngpu up infinite 2 idle gpu-[001-002]\n", "give the file with --hosts");
  refused("the quick brown fox\n", "'the quick brown fox'; if these are hosts");
  refused("127.0.0.1 localhost\n", "if these are hosts");
  refused("a\n\nb c\n", "t:3: expected a format that is read (--help lists them), found 'b c'; if these are hosts");
  refused("a, b c\n", "if these are hosts");
  refused("topology: x\nfoo:\n  block: 3\n", "found 'topology: x'");
  refused("- a: 1\n  b:\n    topology: x\n    tree: y\n", "found '- a: 1'");
  refused("- topology: a\n", "found '- topology: a'");
  refused("<html>", "XML whose root is 'html'");
  refused("[1, 2]", "a JSON document that none of its keys marks");
  refused(std::string_view("a\0b", 3), "a NUL byte");
}

TEST_CASE("the reference files are recognised, or refused by name") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto is = [](const std::string& file) -> std::string {
    try {
      return std::string(to_string(recognise(import::read_file(file), "t")));
    } catch (const parse_error& e) {
      return e.found();
    }
  };
  struct expectation {
    const char* folder;
    const char* begins;
    const char* is;
  };
  constexpr expectation expectations[] = {
      {"nvidia-smi-topo", "", "nvidia-smi-topo"},
      {"nccl-topo-xml", "", "nccl-topology-xml"},
      {"nccl-graph-xml", "", "nccl-graph-xml"},
      {"hwloc", "", "hwloc-xml"},
      {"nvidia-smi-q", "telegraf", "nvidia-smi-q-xml"},
      {"nvidia-smi-q", "", "nvidia-smi-q"},
      {"nvidia-smi-nvlink", "", "nvidia-smi-nvlink"},
      {"ib-host", "ibstat-h20", "`ibstatus`; give the output of `ibstat`"},
      {"ib-host", "ibstat", "ibstat"},
      {"ib-host", "ibv_devinfo", "ibv_devinfo"},
      {"ib-host", "ibdev2netdev", "ibdev2netdev"},
      {"ib-fabric", "iblinkinfo", "iblinkinfo"},
      {"ib-fabric", "", "ibnetdiscover"},
      {"slurm-topology", "slurm-bad", "slurm-topology-yaml"},
      {"slurm-topology", "slurm-doc-torus", "slurm-topology-yaml"},
      {"slurm-topology", "slurm-man-topology", "slurm-topology-yaml"},
      {"slurm-topology", "topograph-yaml", "slurm-topology-yaml"},
      {"slurm-topology", "doc-typo", "slurm-blocks"},
      {"slurm-topology", "hyperpod", "slurm-blocks"},
      {"slurm-topology", "scontrol-show-topology-gb300-block", "slurm-blocks"},
      {"slurm-topology", "slurm-block-check", "slurm-blocks"},
      {"slurm-topology", "slurm-man-block", "slurm-blocks"},
      {"slurm-topology", "topograph-block", "slurm-blocks"},
      {"slurm-topology", "", "slurm-topology"},
      {"cloud-topology", "aws", "aws-topology"},
      {"cloud-topology", "azure", "azure-topology"},
      {"cloud-topology", "lambda", "lambda-topology"},
      {"cloud-topology", "oci", "oci-topology"},
      {"cloud-topology", "pdsh", "nvlink-domains"},
      {"k8s-topology", "kueue", "kueue-topology"},
      {"k8s-topology", "slinky", "kubernetes-configmap"},
      {"k8s-topology", "volcano", "volcano-hypernodes"},
      {"k8s-topology", "", "kubernetes-nodes"},
      {"topograph", "dsx", "topograph-response"},
      {"topograph", "model", "topograph-model"},
      {"topograph", "netq", "nmx-compute-nodes"},
      {"topograph", "gpu-nic", "topograph's record of one node's rails, a draft that nothing writes"},
      {"topograph", "payload", "a request to topograph, which describes no cluster"},
      {"hf-config", "", "a model's configuration"},
  };
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/corpus")) {
    if (!entry.is_regular_file() || entry.path().filename() == "MANIFEST.tsv") continue;
    const auto path = entry.path();
    const auto* expected = std::find_if(std::begin(expectations), std::end(expectations), [&](const expectation& e) {
      return path.parent_path().filename() == e.folder && path.filename().string().starts_with(e.begins);
    });
    CAPTURE(path.string());
    REQUIRE(expected != std::end(expectations));
    CHECK(is(path.string()) == expected->is);
    ++files;
  }
  CHECK(files == 164);
}

TEST_CASE("damaged inputs get an answer") {
  for (const std::string file :
       {"topo/padded-blanks.txt", "slurm/unbalanced.conf", "hostfile/openmpi.txt", "aws/ultraservers.json",
        "slurm_topologies/cluster.yaml", "ibnetdiscover/traits.txt", "nccl/mesh.xml"}) {
    const auto text = data_file(file);
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(damage);
      try {
        const auto found = recognise(changed, "t");
        if (damage == "CRLF" || damage == "BOM") CHECK(found == recognise(text, "t"));
      } catch (const parse_error& e) {
        CHECK_MESSAGE((damage != "CRLF" && damage != "BOM"), e.what());
      }
    }
  }
}

TEST_SUITE_END();

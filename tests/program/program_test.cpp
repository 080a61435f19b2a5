#include <topoplan/cluster/presets.hpp>
#include <topoplan/import/cluster_file.hpp>
#include <topoplan/import/rank_map_file.hpp>
#include <topoplan/rank_map/binary.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <vector>

#include "program/support.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using topoplan_test::holds;
using topoplan_test::result;
using topoplan_test::run;
using topoplan_test::scratch;
using topoplan_test::text_of;

const std::string allocation =
    "--node-topology " TOPOPLAN_EXAMPLE_DATA "/topo.txt --gpu h100-sxm --nic 400 --network " TOPOPLAN_EXAMPLE_DATA
    "/topology.conf --hosts " TOPOPLAN_EXAMPLE_DATA "/hosts.txt ";
const std::string racks = "--cluster gb200-nvl72:4 --tp 8 --ep 64 --expert-tp 1 --dp 32 --confine tp=domain --confine ep=domain ";

// Every seat once, every tp group in one domain; returns the seats by rank.
std::vector<std::pair<std::size_t, std::size_t>> check_map(const json& map) {
  std::vector<std::pair<std::size_t, std::size_t>> seats;
  const auto& ranks = map["ranks"];
  const std::size_t world = map["world_size"];
  const std::size_t tp = map["degrees"]["tp"];
  REQUIRE(ranks["host"].size() == world);
  for (std::size_t r = 0; r < world; ++r) seats.emplace_back(ranks["host"][r], ranks["gpu"][r]);
  CHECK(std::set(seats.begin(), seats.end()).size() == world);
  for (std::size_t r = 0; r < world; ++r) CHECK(ranks["domain"][r] == ranks["domain"][r / tp * tp]);
  for (const char* key : {"tp", "cp", "ep", "dp", "pp", "expert_tp", "expert_dp"}) CHECK(map["degrees"].contains(key));
  return seats;
}

}  // namespace

TEST_CASE("place: a real allocation to a directory that a launcher takes") {
  const scratch s;
  const result r = run(s.path, "place " + allocation + "--tp 8 --pp 4 --out plan");
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  for (const char* part :
       {"24 hosts of 8 GPUs", "192 x H100-SXM 80GB", "24 domains of 8 GPUs", "8 rails", "4 leaf groups", "[given: --nic]",
        "kept  tp=domain", "kept  launcher torchrun", "the order you gave costs", "torchrun/run.sh"})
    CHECK_MESSAGE(holds(r.out, part), part);
  CHECK_FALSE(holds(r.out, "BROKEN"));
  for (const char* file : {"rank_map.json", "rank_map.bin", "plan.json", "torchrun/run.sh", "megatron/args.txt", "slurm/hostfile",
                           "slurm/wrapper.sh"})
    CHECK_MESSAGE(fs::is_regular_file(s.path / "plan" / file), file);

  const json map = json::parse(text_of(s.path / "plan/rank_map.json"));
  CHECK(map["format"] == "topoplan.rank_map");
  CHECK(map["version"] == 1);
  CHECK(map["order"] == "tp-cp-ep-dp-pp");
  CHECK(map["hosts"].size() == 24);
  check_map(map);
  const auto binary = topoplan::open_rank_map((s.path / "plan/rank_map.bin").string());
  const auto text = topoplan::import::rank_map_file(text_of(s.path / "plan/rank_map.json"), "rank_map.json");
  REQUIRE(binary.world() == text.world());
  for (std::uint32_t rank = 0; rank < text.world(); ++rank) {
    const topoplan::rank_id id{rank};
    CHECK(binary.host_of(id) == text.host_of(id));
    CHECK(binary.gpu_of(id) == text.gpu_of(id));
  }
  const json plan = json::parse(text_of(s.path / "plan/plan.json"));
  CHECK(plan["feasible"] == true);
  CHECK(plan["rank_map"] == map);
  CHECK(plan["prediction"]["plan"]["cost"].get<long>() < plan["prediction"]["given_order"]["cost"].get<long>());
}

TEST_CASE("place: 64 of each rack's 72 GPUs, also when a rack has lost a tray") {
  const scratch s;
  for (const std::string more : {"", "--exclude rack02-tray05 "}) {
    CAPTURE(more);
    const result r = run(s.path, "place " + racks + more + "--json");
    REQUIRE(r.status == 0);
    const json plan = json::parse(r.out);
    check_map(plan["rank_map"]);
    std::map<int, int> in_domain;
    for (const int d : plan["rank_map"]["ranks"]["domain"]) ++in_domain[d];
    CHECK(in_domain.size() == 4);
    for (const auto& [domain, ranks] : in_domain) CHECK(ranks == 64);
    std::size_t spares = 0;
    for (const auto& spare : plan["rank_map"]["spares"]) spares += spare["gpus"].size();
    CHECK(spares == (more.empty() ? 32 : 28));
    for (std::size_t rank = 0; rank < 256; ++rank)  // ep groups are runs of 64 ranks here
      CHECK(plan["rank_map"]["ranks"]["domain"][rank] == plan["rank_map"]["ranks"]["domain"][rank / 64 * 64]);
  }
}

TEST_CASE("place: an honest no ends with 1, with --json as one document") {
  const scratch s;
  const result r = run(s.path, "place --cluster dgx-h100:4 --tp 16 --out plan");
  CHECK(r.status == 1);
  CHECK(holds(r.out, "No plan: "));
  CHECK(holds(r.out, "tp=domain"));
  CHECK_FALSE(fs::exists(s.path / "plan"));
  const result j = run(s.path, "place --cluster dgx-h100:4 --tp 16 --json");
  CHECK(j.status == 1);
  CHECK(json::parse(j.out)["feasible"] == false);
}

TEST_CASE("place: bad usage and bad input end with 2, one message and nothing on stdout") {
  const scratch s;
  std::ofstream(s.path / "cut.txt") << "GPU0 GPU1\nnonsense\n";
  std::ofstream(s.path / "hosts") << "gpu-001\ngpu-00[2\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"", {"no command", "place"}},
      {"plaec", {"unknown command 'plaec'"}},
      {"place", {"--cluster", "--node-topology"}},
      {"place --cluster dgx-h100:4 --tp 3", {"32", "largest legal dp", "10"}},
      {"place --cluster dgx-h100:4 --ep 5", {"expert_tp*ep*pp", "largest legal dp"}},
      {"place --cluster dgx-h100:4 --tp 0", {"--tp"}},
      {"place --cluster dgx-h100:4 --tp eight", {"--tp", "eight"}},
      {"place --cluster dgx-h100:4 --nic -3", {"--nic", "Gb/s"}},
      {"place --cluster dgx-h100:4 --gpu h100-sxm", {"--gpu", "--cluster"}},
      {"place --cluster dgx-h1:4", {"dgx-h1", "did you mean dgx-h100"}},
      {"place --cluster dgx-h100:4 --tp 8 --order tp-dp-tp", {"order", "tp", "twice"}},
      {"place --cluster dgx-h100:4 --tp 8 --order tp-xp", {"'xp'"}},
      {"place --cluster dgx-h100:4 --tp 8 --pp 2 --order tp-dp", {"order tp-dp", "pp"}},
      {"place --cluster dgx-h100:4 --tp 8 --confine tp=rack", {"tp=rack", "AXES=domain"}},
      {"place --cluster dgx-h100:4 --tp 8 --confine none --confine tp=host", {"none"}},
      {"place --cluster dgx-h100:4 --tp 8 --launcher mpirun", {"mpirun", "torchrun-per-gpu"}},
      {"place --cluster dgx-h100:4 --tp 8 --out plan --emit deepspeed", {"deepspeed", "slurm"}},
      {"place --cluster dgx-h100:4 --hosts 'dgx-000[1-2],dgx-0009' --tp 8", {"dgx-0009"}},
      {"place --cluster ./missing.json", {"missing.json"}},
      {"place --node-topology missing.txt", {"missing.txt"}},
      {"place --node-topology cut.txt", {"cut.txt"}},
      {"place --node-topology " TOPOPLAN_EXAMPLE_DATA "/hosts.txt",
       {"hosts.txt", "a description of one host", "this is a list of hosts"}},
      {"place --node-topology " TOPOPLAN_EXAMPLE_DATA "/topo.txt --hosts hosts", {"hosts:2"}},
      {"place --node-topology " TOPOPLAN_EXAMPLE_DATA "/topo.txt --network " TOPOPLAN_EXAMPLE_DATA
       "/topology.conf --hosts gpu-099",
       {"gpu-099"}},
      {"emit nowhere --for torchrun", {"nowhere"}},
      {"groups --tp 4", {"--world-size"}},
      {"groups --world-size 10 --tp 4", {"10", "4"}}};
  for (const auto& [arguments, parts] : cases) {
    CAPTURE(arguments);
    const result r = run(s.path, arguments);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(r.err.rfind("topoplan: ", 0) == 0);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    for (const std::string& part : parts) CHECK_MESSAGE(holds(r.err, part), part);
  }
}

TEST_CASE("place --out: never over a different plan without --force, nothing else touched") {
  const scratch s;
  const std::string first = "place --cluster dgx-h100:4 --tp 8 --out plan";
  const std::string other = "place --cluster dgx-h100:4 --tp 8 --pp 2 --out plan --emit torchrun";
  REQUIRE(run(s.path, first).status == 0);
  std::ofstream(s.path / "plan/mine.txt") << "mine";
  const std::string before = text_of(s.path / "plan/rank_map.json");
  CHECK(holds(run(s.path, first).out, "Unchanged in plan/"));
  const result refused = run(s.path, other);
  CHECK(refused.status == 2);
  CHECK(holds(refused.err, "--force"));
  CHECK(text_of(s.path / "plan/rank_map.json") == before);
  const result forced = run(s.path, other + " --force");
  CHECK(forced.status == 0);
  CHECK(holds(forced.out, "Replaced in plan/"));
  CHECK(text_of(s.path / "plan/rank_map.json") != before);
  CHECK_FALSE(fs::exists(s.path / "plan/slurm/hostfile"));  // of the plan that was replaced
  CHECK(text_of(s.path / "plan/mine.txt") == "mine");
  for (const auto& entry : fs::directory_iterator(s.path)) CHECK_FALSE(holds(entry.path().filename().string(), ".plan."));
  std::ofstream(s.path / "file") << "x";
  CHECK(run(s.path, "place --cluster dgx-h100:4 --tp 8 --out file").status == 2);
  CHECK(text_of(s.path / "file") == "x");
}

TEST_CASE("place --out: what can't be replaced is met before anything changes; links and other file systems work") {
  const scratch s;
  REQUIRE(run(s.path, "place --cluster dgx-h100:4 --tp 8 --pp 2 --out plan").status == 0);
  fs::remove(s.path / "plan/slurm/hostfile");
  fs::create_directories(s.path / "plan/slurm/hostfile/inside");
  const std::string before = text_of(s.path / "plan/plan.json");
  const result refused = run(s.path, "place --cluster dgx-h100:4 --tp 8 --pp 4 --out plan --force");
  CHECK(refused.status == 2);
  CHECK(holds(refused.err, "plan/slurm/hostfile"));
  CHECK(text_of(s.path / "plan/plan.json") == before);
  if (fs::is_directory("/dev/shm")) {
    const scratch other;
    const fs::path elsewhere = fs::path("/dev/shm") / other.path.filename();
    fs::create_directory(elsewhere);
    fs::create_directory_symlink(elsewhere, s.path / "link");
    CHECK(run(s.path, "place --cluster dgx-h100:4 --tp 8 --out link").status == 0);
    CHECK(fs::is_regular_file(elsewhere / "rank_map.bin"));
    CHECK(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator{}) == 6);  // no folder of ours is left
    fs::remove_all(elsewhere);
  }
  for (const char* option : {"--emit torchrun", "--groups", "--force"})
    CHECK(holds(run(s.path, "place --cluster dgx-h100:4 --tp 8 " + std::string(option)).err, "--out"));
}

TEST_CASE("place: torchrun with one agent a GPU, and the address of the host of rank 0") {
  const scratch s;
  REQUIRE(run(s.path, "place --cluster dgx-h100:2 --tp 8 --launcher torchrun-per-gpu --out plan").status == 0);
  CHECK(holds(text_of(s.path / "plan/torchrun/run.sh"), "--nnodes=16 --nproc_per_node=1"));
  json cluster = json::parse(run(s.path, "show --cluster dgx-h100:2 --json").out);
  cluster["hosts"]["address"] = {"10.0.0.1", "10.0.0.2"};
  std::ofstream(s.path / "cluster.json") << cluster;
  REQUIRE(run(s.path, "place --cluster cluster.json --tp 8 --out addressed").status == 0);
  CHECK(holds(text_of(s.path / "addressed/torchrun/run.sh"), "--master_addr='10.0.0.1'"));
  CHECK(holds(text_of(s.path / "addressed/slurm/wrapper.sh"), "MASTER_ADDR='10.0.0.1'"));
}

TEST_CASE("place: GPU models aren't mixed unasked") {
  const scratch s;
  json cluster = json::parse(run(s.path, "show --cluster 'hgx-h100:4 leaf=2' --json").out);
  cluster["gpu_models"] = {"H100", "A100"};
  cluster["hosts"]["model"] = {0, 1, 0, 1};
  std::ofstream(s.path / "cluster.json") << cluster;
  const result r = run(s.path, "place --cluster cluster.json --tp 8 --dp 2 --json");
  REQUIRE(r.status == 0);
  const json plan = json::parse(r.out);
  const std::set<std::string> hosts(plan["rank_map"]["hosts"].begin(), plan["rank_map"]["hosts"].end());
  const std::set<std::string> first{cluster["hosts"]["name"][0], cluster["hosts"]["name"][2]};
  const std::set<std::string> second{cluster["hosts"]["name"][1], cluster["hosts"]["name"][3]};
  CHECK((hosts == first || hosts == second));
  CHECK(plan["bound"]["lower_bound"].get<long>() <= plan["prediction"]["plan"]["cost"].get<long>());
  CHECK(plan["prediction"]["given_order_keeps_rules"] == false);
  const result refused = run(s.path, "place --cluster cluster.json --tp 8 --dp 3");
  CHECK(refused.status == 1);
  CHECK(holds(refused.out, "one GPU model"));
}

TEST_CASE("show: a pile of files needs no --format, and every fact has its place") {
  const scratch s;
  const std::string data = TOPOPLAN_TEST_DATA "/import/";
  fs::copy(data + "topo/grace-tray.txt", s.path / "topo.txt");
  fs::copy(data + "slurm_topologies/cluster.yaml", s.path / "topology.yaml");
  std::ofstream(s.path / "hosts") << "tray[05-06]\ntray02\n";
  const result r = run(s.path, "show topo.txt topology.yaml hosts --gpu gb200 --nic 400 --sources");
  CAPTURE(r.out + r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  for (const char* part :
       {"Cluster: topo.txt + topology.yaml + hosts", "3 hosts of 4 GPUs", "1 domain of 8 GPUs and 1 domain of 4", "2 leaf groups",
        "short, where a whole one of GB200 has 72 GPUs: r1 (4 hosts, 16 GPUs), r2", "tray06 (hosts:1)", "tray02 (hosts:2)",
        "leaf1 (topology.yaml:8)", "r1 (topology.yaml:16)"})
    CHECK_MESSAGE(holds(r.out, part), part);
  const result planned = run(s.path, "place hosts topology.yaml topo.txt --gpu gb200 --tp 4 --json");
  CHECK(planned.status == 0);
  CHECK(json::parse(planned.out)["rank_map"]["ranks"]["domain"].size() == 12);
  CHECK(holds(run(s.path, "show topo.txt topology.yaml hosts --domains none").err, "spans several hosts"));
}

TEST_CASE("show: hosts of several classes, and what other tools say of them") {
  const scratch s;
  const std::string data = TOPOPLAN_TEST_DATA "/import/";
  fs::copy(TOPOPLAN_EXAMPLE_DATA "/topo.txt", s.path / "h100.txt");
  fs::copy(data + "topo/pairs-annotated.txt", s.path / "pairs.txt");
  std::ofstream(s.path / "nvlink.txt") << "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n";
  const result r = run(s.path,
                       "show --node-topology h100.txt --node-topology nvlink.txt --node-topology 'old-[1-2]=pairs.txt' "
                       "--hosts old-1,new-1,new-2");
  CAPTURE(r.out + r.err);
  CHECK(r.status == 0);
  CHECK(holds(r.out, "2 hosts of 8 GPUs and 1 host of"));
  CHECK(holds(r.out, "nvlink.txt:1: GPU0 has 1 active NVLink, and h100.txt shows NV18"));
  CHECK(holds(r.out, "NVLink isn't equally fast on all hosts"));
}

TEST_CASE("show: a fabric's cables make leaf groups, tiers and rails") {
  const scratch s;
  const std::string data = TOPOPLAN_TEST_DATA "/import/";
  const result r =
      run(s.path, "show " + data + "topo/eight-rails.txt " + data + "ibnetdiscover/eight-ports.net --gpu h100-sxm --nic 400");
  CAPTURE(r.out + r.err);
  CHECK(r.status == 0);
  CHECK(holds(r.out, "infiniband, 8 rails"));
  CHECK(holds(r.out, "(400 Gb/s)  [given: --nic]"));
  CHECK(holds(r.out, "[derived]"));
}

TEST_CASE("place: nodes that Kubernetes keeps from use hold no rank, and an unset variable isn't everything") {
  const scratch s;
  fs::copy(TOPOPLAN_EXAMPLE_DATA "/topo.txt", s.path / "topo.txt");
  const auto node = [](const std::string& name, const std::string& spec, const std::string& ready, int gpus) {
    const auto count = std::to_string(gpus);
    return R"({"kind": "Node", "metadata": {"name": ")" + name +
           R"(", "labels": {"cloud.google.com/gce-topology-block": "b", "cloud.google.com/gce-topology-subblock": "s"}}, "spec": {)" +
           spec + R"(}, "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": ")" + count +
           R"("}, "conditions": [{"type": "Ready", "status": ")" + ready + R"("}]}})";
  };
  std::ofstream(s.path / "nodes.json") << R"({"kind": "List", "items": [)" << node("n1", R"("unschedulable": true)", "True", 8)
                                       << ',' << node("n2", "", "True", 8) << ',' << node("n3", "", "False", 8) << ','
                                       << node("n4", "", "True", 7) << "]}";
  const result r = run(s.path, "place topo.txt nodes.json --gpu h100-sxm --tp 8 --json");
  CAPTURE(r.out + r.err);
  REQUIRE(r.status == 0);
  CHECK(json::parse(r.out)["rank_map"]["hosts"] == json::array({"n2"}));
  for (const char* arguments :
       {"place topo.txt nodes.json --hosts '' --tp 8", "show --cluster ''", "show --cluster dgx-h100:4 --exclude ''"}) {
    const result empty = run(s.path, arguments);
    CAPTURE(arguments);
    CHECK(empty.status == 2);
    CHECK(holds(empty.err, "the value is empty"));
  }
}

TEST_CASE("options take one value each, so that files may follow") {
  const scratch s;
  const std::string data = TOPOPLAN_EXAMPLE_DATA "/";
  CHECK(run(s.path, "show --network " + data + "topology.conf " + data + "topo.txt " + data + "hosts.txt").status == 0);
  CHECK(run(s.path, "show --node-topology " + data + "topo.txt " + data + "topology.conf").status == 0);
  CHECK(run(s.path, "place --confine tp=domain " + data + "topo.txt " + data + "topology.conf --tp 8").status == 0);
  CHECK(holds(run(s.path, "place --network " + data + "topology.conf --tp 8").err, "no description of a host"));
}

TEST_CASE("files that don't go together are refused by name") {
  const scratch s;
  const std::string data = TOPOPLAN_TEST_DATA "/import/";
  fs::copy(data + "topo/grace-tray.txt", s.path / "topo.txt");
  fs::copy(data + "slurm_topologies/cluster.yaml", s.path / "topology.yaml");
  fs::copy(data + "slurm_blocks/racks.conf", s.path / "blocks.conf");
  fs::copy(data + "nccl_graph/ring_and_empty.xml", s.path / "graph.xml");
  fs::copy(data + "nvlink_status/answers.txt", s.path / "nvlink.txt");
  std::ofstream(s.path / "a") << "a\n";
  std::ofstream(s.path / "b") << "b\n";
  std::ofstream(s.path / "guids") << "0x0002c90300000001 a mlx5_0\n";
  std::ofstream(s.path / "kueue.yaml")
      << "kind: Topology\nmetadata:\n  name: t\nspec:\n  levels:\n  - nodeLabel: example.com/rack\n  - nodeLabel: "
         "kubernetes.io/hostname\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"show topo.txt a b", {"a and b both list hosts"}},
      {"show topo.txt topo.txt a", {"topo.txt and topo.txt both describe a host", "HOSTS=FILE"}},
      {"show topo.txt graph.xml a", {"graph.xml", "an NCCL graph XML"}},
      {"show nvlink.txt a", {"nvlink.txt", "`nvidia-smi nvlink -s`", "--node-topology"}},
      {"show a", {"--node-topology"}},
      {"show --node-topology topology.yaml", {"give it with --network"}},
      {"show --node-topology topo.txt --network blocks.conf", {"--network blocks.conf", "give it with --domains"}},
      {"show --node-topology topo.txt --network topo.txt", {"give it with --node-topology"}},
      {"show --node-topology topo.txt --domains a", {"--domains a: expected NVLink domains", "a list of hosts"}},
      {"show topo.txt topology.yaml topology.yaml", {"a second network"}},
      {"show topo.txt blocks.conf blocks.conf", {"both name NVLink domains"}},
      {"show topo.txt guids a", {"guids", "`ibnetdiscover`"}},
      {"show topo.txt kueue.yaml a", {"kueue.yaml", "kubectl get nodes"}},
      {"show topo.txt kueue.yaml kueue.yaml a", {"both name levels"}},
      {"show topo.txt guids guids a", {"tables of GUIDs"}},
      {"show topo.txt a --format kueue-topology", {"--format kueue-topology may be about topo.txt or a"}},
      {"show --node-topology topo.txt --hosts a --format aws-topology", {"--format aws-topology: no file is given"}},
      {"show --cluster dgx-h100:2 --format hostfile", {"--format goes with a file"}},
      {"show --node-topology topo.txt --network topology.yaml --hosts a --format topograph-model", {"topology.yaml"}},
      {"show topo.txt missing.txt", {"missing.txt"}},
      {"show topo.txt blocks.conf --cluster dgx-h100:4", {"a file says what --cluster dgx-h100:4 already holds"}},
      {"show --node-topology topo.txt --node-topology tray01=topo.txt --hosts tray01 --format nonsense",
       {"unknown format 'nonsense'"}}};
  for (const auto& [arguments, parts] : cases) {
    CAPTURE(arguments);
    const result r = run(s.path, arguments);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(r.err.rfind("topoplan: ", 0) == 0);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    for (const std::string& part : parts) CHECK_MESSAGE(holds(r.err, part), part);
  }
}

TEST_CASE("show --json is what --cluster reads, and equals the cluster") {
  const scratch s;
  const result r = run(s.path, "show --cluster 'hgx-h100:6 leaf=2 oversubscription=2' --json");
  REQUIRE(r.status == 0);
  std::ofstream(s.path / "cluster.json") << r.out;
  CHECK(topoplan::import::cluster_file(r.out, "show") == topoplan::make_cluster("hgx-h100:6 leaf=2 oversubscription=2"));
  CHECK(run(s.path, "show --cluster cluster.json --json").out == r.out);
  CHECK(run(s.path, "show --cluster cluster.json").status == 0);
}

TEST_CASE("emit: every format from every form of the map, equal to what place wrote") {
  const scratch s;
  REQUIRE(run(s.path, "place --cluster dgx-h100:4 --tp 8 --pp 2 --out plan").status == 0);
  for (const auto& [name, file] : std::vector<std::pair<std::string, std::string>>{{"torchrun", "torchrun/run.sh"},
                                                                                   {"megatron", "megatron/args.txt"},
                                                                                   {"slurm-hostfile", "slurm/hostfile"},
                                                                                   {"slurm-wrapper", "slurm/wrapper.sh"},
                                                                                   {"json", "rank_map.json"},
                                                                                   {"binary", "rank_map.bin"}})
    for (const char* map : {"plan", "plan/rank_map.json", "plan/rank_map.bin"}) {
      CAPTURE(name);
      CAPTURE(map);
      const result r = run(s.path, "emit " + std::string(map) + " --for " + name);
      CHECK(r.status == 0);
      CHECK(r.out == text_of(s.path / "plan" / file));
    }
  CHECK(run(s.path, "emit plan --for torchrun --out run.sh").status == 0);
  CHECK(run(s.path, "emit plan --for torchrun --out run.sh").status == 2);
  CHECK((fs::status(s.path / "run.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
  CHECK(run(s.path, "emit plan --for nonesuch").status == 2);
  std::ofstream(s.path / "r.sh.part") << "mine";
  fs::create_directory(s.path / "folder");
  CHECK(run(s.path, "emit plan --for torchrun --out r.sh").status == 0);
  CHECK(text_of(s.path / "r.sh.part") == "mine");
  const result folder = run(s.path, "emit plan --for torchrun --out folder --force");
  CHECK(folder.status == 2);
  CHECK(holds(folder.err, "isn't a file"));
  CHECK(holds(run(s.path, "emit plan --for torchrun-per-gpu").out, "--nnodes=32 --nproc_per_node=1"));
  const std::string help = run(s.path, "emit --help").out;
  for (const char* name :
       {"torchrun", "torchrun-per-gpu", "megatron", "slurm-hostfile", "slurm-wrapper", "slurm-srun", "slurm-hosts"}) {
    CHECK_MESSAGE(holds(help, name), name);
    CHECK_MESSAGE(run(s.path, "emit plan --for " + std::string(name)).status == 0, name);
  }
}

TEST_CASE("the same command writes the same plan; --help and --version work") {
  const scratch s;
  const result a = run(s.path, "place " + allocation + "--tp 8 --pp 4 --json");
  CHECK(a.status == 0);
  CHECK(a.out == run(s.path, "place " + allocation + "--tp 8 --pp 4 --json").out);
  for (const char* command : {"", "show ", "place ", "emit ", "groups "}) {
    const result help = run(s.path, std::string(command) + "--help");
    CHECK(help.status == 0);
    CHECK(holds(help.out, "Usage: topoplan"));
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE((line.size() <= 130 || holds(line, "  topoplan ")), line);
  }
  CHECK(run(s.path, "--version").out.rfind("topoplan ", 0) == 0);
}

TEST_CASE("groups --json: the documented document") {
  const scratch s;
  const result r = run(s.path, "groups --json --world-size 64 --tp 4 --cp 2 --ep 4 --pp 2 --order tp-cp-ep-dp-pp");
  REQUIRE(r.status == 0);
  const json document = json::parse(r.out);
  CHECK(document["groups"]["TENSOR_MODEL_PARALLEL_GROUP"][1] == json::array({4, 5, 6, 7}));
  CHECK(document["creation_order"].size() == document["groups"].size());
  for (const char* axis : {"tp", "cp", "dp", "pp", "ep", "expert_tp", "expert_dp"})
    CHECK(document["coordinates"][axis].size() == 64);
  // --groups puts the same groups into the rank map.
  REQUIRE(run(s.path, "place --cluster dgx-h100:8 --tp 4 --cp 2 --ep 4 --pp 2 --out plan --groups").status == 0);
  CHECK(json::parse(text_of(s.path / "plan/rank_map.json"))["groups"] == document["groups"]);
}

// Tests of emit/torchrun.hpp: the script is run for every host with a torchrun that prints what it was given.
#include <topoplan/emit/torchrun.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/support.hpp"
#include "support/random.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::contains;
using topoplan_test::lines_of;
using topoplan_test::outcome;
using topoplan_test::random_parts;
using topoplan_test::rank_map_parts;
using topoplan_test::regular_parts;
using topoplan_test::run;
using topoplan_test::temporary_folder;
using topoplan_test::text_of;

std::string script_of(const rank_map& map, const emit::torchrun_options& options = {}) {
  return text_of([&](std::ostream& out) { emit::torchrun(out, map, options); });
}

// Prints one line: the visible GPUs, the order, then each argument between brackets.
constexpr std::string_view printing_torchrun = R"(#!/bin/bash
line="$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER"
for word in "$@"; do line+=" [$word]"; done
printf '%s\n' "$line"
)";

struct agent {
  std::string gpus;
  std::map<std::string, std::string> options;  // the last of each
  std::vector<std::string> rest;
};

agent parse_agent(const std::string& line) {
  agent a;
  a.gpus = line.substr(0, line.find(' '));
  CHECK(contains(line, "PCI_BUS_ID"));
  for (std::size_t at = line.find('['); at != std::string::npos; at = line.find('[', at + 1)) {
    const std::string word = line.substr(at + 1, line.find(']', at) - at - 1);
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos && a.rest.empty())
      a.options[word.substr(0, equals)] = word.substr(equals + 1);
    else a.rest.push_back(word);
  }
  return a;
}

// Runs the script for every host and starts, in thought, what the agents would: torchrun numbers the ranks of agents in the
// order of --node_rank, and LOCAL_RANK i sees the i-th of CUDA_VISIBLE_DEVICES.
// post: every rank runs once, on the host and GPU of the map.
void check_torchrun(const rank_map& map, const emit::torchrun_options& options = {}) {
  const temporary_folder folder;
  const std::string script = folder.write("run.sh", script_of(map, options));
  const std::string stand_in = folder.write("torchrun", printing_torchrun);
  CHECK(run({"bash", "-n", script}).status == 0);
  std::map<int, std::pair<std::uint32_t, std::vector<std::uint32_t>>> agents;  // by node rank: host, GPUs
  std::set<std::string> nnodes;
  std::set<std::string> masters;
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    const outcome ran = run({"bash", script, std::string(map.host_name(host_id{h})), "train me.py", "--lr", "1 2"},
                            {"TORCHRUN=bash " + stand_in});
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
    CHECK(ran.err.empty());
    for (const std::string& line : lines_of(ran.out)) {
      const agent a = parse_agent(line);
      CHECK(a.rest == std::vector<std::string>{"train me.py", "--lr", "1 2"});
      std::vector<std::uint32_t> gpus;
      std::istringstream in(a.gpus);
      for (std::string gpu; std::getline(in, gpu, ',');) gpus.push_back(static_cast<std::uint32_t>(std::stoul(gpu)));
      CHECK(std::stoul(a.options.at("--nproc_per_node")) == gpus.size());
      CHECK(agents.emplace(std::stoi(a.options.at("--node_rank")), std::pair(h, gpus)).second);
      nnodes.insert(a.options.at("--nnodes"));
      masters.insert(a.options.at("--master_addr") + ":" + a.options.at("--master_port"));
    }
  }
  CHECK(nnodes == std::set<std::string>{std::to_string(agents.size())});
  CHECK(masters == std::set<std::string>{std::string(map.host_name(host_id{0})) + ":29500"});
  std::uint32_t rank = 0;
  for (const auto& [node_rank, started] : agents)
    for (const std::uint32_t gpu : started.second) {
      REQUIRE(rank < map.world());
      CHECK(map.host_of(rank_id{rank}).value == started.first);
      CHECK(map.gpu_of(rank_id{rank}) == gpu);
      ++rank;
    }
  CHECK(rank == map.world());
}

TEST_CASE("one agent a host, for full hosts and uneven ones") {
  check_torchrun(regular_parts({}, 1, 1).build());
  check_torchrun(regular_parts({.tp = 8, .pp = 2}, 4, 8).build());
  topoplan_test::random numbers(21);
  for (int i = 0; i < 5; ++i) check_torchrun(random_parts(numbers, true).build());
}

TEST_CASE("one agent a GPU, for maps that no agent a host can start, and where it is asked for") {
  topoplan_test::random numbers(22);
  int free = 0;
  for (int i = 0; i < 4; ++i) {
    const rank_map map = random_parts(numbers, false).build();
    free += map.contiguous() ? 0 : 1;
    check_torchrun(map);
  }
  CHECK(free > 0);
  check_torchrun(regular_parts({.tp = 2}, 2, 2).build(), {.agents = emit::torchrun_agents::one_a_gpu});
}

TEST_CASE("the promises that a test or a user relies on") {
  const rank_map map = regular_parts({.tp = 4}, 2, 4).build();
  const std::string script = script_of(map);
  const std::string last = lines_of(script).back();
  CHECK(contains(last, " ${TORCHRUN:-torchrun} "));  // unquoted: it may be several words
  CHECK(last.ends_with(" \"$@\""));                  // later options win
  for (const std::string_view option : {"--nnodes=", "--nproc_per_node=", "--node_rank=", "--master_addr=", "--master_port="})
    CHECK(contains(last, option));
  for (const std::string_view dashed : {"nproc-per-node", "node-rank", "master-addr", "rdzv"}) CHECK(!contains(script, dashed));

  const temporary_folder folder;
  const std::string path = folder.write("run.sh", script);
  const std::string stand_in = folder.write("torchrun", printing_torchrun);
  const outcome ran = run({"bash", path, "gpu-1007", "--master_addr=10.0.0.9", "train.py"}, {"TORCHRUN=bash " + stand_in});
  const agent a = parse_agent(ran.out);
  CHECK(a.options.at("--master_addr") == "10.0.0.9");
  CHECK(a.options.at("--node_rank") == "1");
  CHECK(a.gpus == "0,1,2,3");
}

TEST_CASE("without TORCHRUN it is the torchrun on the path") {
  const temporary_folder folder;
  const std::string path = folder.write("run.sh", script_of(regular_parts({}, 1, 2).build()));
  const std::string stand_in = folder.write("bin/torchrun", printing_torchrun);
  std::filesystem::permissions(stand_in, std::filesystem::perms::owner_all);
  const outcome ran = run({"bash", path, "gpu-1000", "train.py"},
                          {"-u", "TORCHRUN", "PATH=" + (folder.path() / "bin").string() + ":/usr/bin:/bin"});
  CHECK(ran.status == 0);
  CHECK(parse_agent(ran.out).rest == std::vector<std::string>{"train.py"});
}

TEST_CASE("a host is found with or without its domain, and never a wrong one") {
  rank_map_parts parts = regular_parts({}, 4, 1);
  parts.hosts = {"a", "b.cluster.local", "10.0.0.1", "10.0.0.10"};
  parts.spares = {{"c", {0}}, {"a.b", {1}}, {"10.0.0.1", {5}}};
  const temporary_folder folder;
  const std::string script = folder.write("run.sh", script_of(parts.build()));
  const std::string stand_in = folder.write("torchrun", printing_torchrun);
  const auto start = [&](const std::string& host) { return run({"bash", script, host, "x.py"}, {"TORCHRUN=bash " + stand_in}); };
  const auto node = [&](const std::string& host) { return parse_agent(start(host).out).options["--node_rank"]; };
  CHECK(node("a") == "0");
  CHECK(node("a.cluster.local") == "0");
  CHECK(node("b.cluster.local") == "1");
  CHECK(node("b") == "1");
  CHECK(node("10.0.0.1") == "2");
  CHECK(node("10.0.0.10") == "3");

  const outcome spare = start("c");
  CHECK(spare.status == 0);
  CHECK(spare.out.empty());
  CHECK(contains(spare.err, "host c is a spare, no rank runs there"));
  CHECK(contains(start("a.b").err, "host a.b is a spare"));

  for (const std::string unknown : {"d", "b.other", "10.0.0.100", "A", "", "*", "[ab]", "a*"}) {
    const outcome ran = start(unknown);
    CHECK_MESSAGE(ran.status == 2, unknown);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, "no rank runs on host " + unknown + "; the 4 hosts are: a b.cluster.local 10.0.0.1 10.0.0.10\n"));
  }
  for (const std::string vague : {"10", "10.0.0"}) {
    const outcome ran = start(vague);
    CHECK(ran.status == 2);
    CHECK(contains(ran.err, "more than one host may be meant by " + vague));
  }
}

TEST_CASE("no arguments, or a question: how it is used") {
  const temporary_folder folder;
  const std::string script = folder.write("run.sh", script_of(regular_parts({}, 1, 1).build()));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bash", script}, {"bash", script, "--help"}, {"bash", script, "-h"}}) {
    const outcome ran = run(words);
    CHECK(ran.status == 2);
    CHECK(contains(ran.err, "run.sh HOST [torchrun options] SCRIPT [arguments]"));
  }
}

const std::vector<std::string> nasty_names{"it's",
                                           "a b",
                                           "$(touch pwned)",
                                           "`touch pwned`",
                                           "x;touch pwned",
                                           "\"quoted\"",
                                           "back\\slash",
                                           "-n",
                                           "--help2",
                                           "*",
                                           "gpu[0-3]",
                                           "a&b|c>d<e",
                                           "$HOME",
                                           "!!",
                                           "#comment",
                                           "~root",
                                           ")",
                                           "(",
                                           "'",
                                           "''",
                                           "\\'",
                                           "a'b\"c",
                                           "{a,b}",
                                           "%s%n",
                                           "sch\xc3\xb6n",
                                           "'$(touch pwned)'",
                                           "\"; touch pwned; \"",
                                           "EOF",
                                           "a=b",
                                           "index",
                                           " lead",
                                           "trail "};

TEST_CASE("a name is never a command") {
  rank_map_parts parts = regular_parts({}, static_cast<std::uint32_t>(nasty_names.size()), 1);
  parts.hosts = nasty_names;
  parts.spares = {{"$(touch pwned) spare", {1}}, {"'; touch pwned; '", {1}}};
  for (const auto agents : {emit::torchrun_agents::one_a_host, emit::torchrun_agents::one_a_gpu}) {
    const rank_map map = parts.build();
    const temporary_folder folder;
    const std::string script = folder.write("run.sh", script_of(map, {.agents = agents}));
    const std::string stand_in = folder.write("torchrun", printing_torchrun);
    for (std::uint32_t h = 0; h < map.hosts(); ++h) {
      const std::string name(map.host_name(host_id{h}));
      const outcome ran =
          run({"bash", "-c", "cd \"$1\" && shift && exec bash \"$@\"", "_", folder.path().string(), script, name, "x.py"},
              {"TORCHRUN=bash " + stand_in});
      REQUIRE_MESSAGE(ran.status == 0, name << ": " << ran.err);
      const agent a = parse_agent(ran.out);
      CHECK_MESSAGE(a.options.at("--node_rank") == std::to_string(h), name);
      CHECK(a.options.at("--master_addr") == nasty_names[0]);
    }
    (void)run({"bash", "-c", "cd \"$1\" && exec bash run.sh nobody", "_", folder.path().string()});
    CHECK(!std::filesystem::exists(folder.path() / "pwned"));
  }
}

TEST_CASE("what can't be a host or a map of one agent a host is refused") {
  rank_map_parts parts = regular_parts({}, 2, 1);
  parts.hosts[1] = "two\nlines";
  const auto refusal = [](const rank_map_parts& p, const emit::torchrun_options& options = {}) {
    try {
      (void)script_of(p.build(), options);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(contains(refusal(parts), "host name 'two\\nlines' holds a control character"));
  CHECK(contains(refusal(regular_parts({}, 1, 1), {.master_addr = "a\tb"}), "master address 'a\\tb'"));
  rank_map_parts free = regular_parts({}, 2, 2);
  free.columns.host = {0, 1, 0, 1};
  free.columns.gpu = {0, 0, 1, 1};
  CHECK(contains(refusal(free, {.agents = emit::torchrun_agents::one_a_host}),
                 "rank 2 is back on host 'gpu-1000' after rank 1 on 'gpu-1007'; use one agent a GPU"));
}

TEST_CASE("one agent a GPU: the first failure stops the others and is the script's status; signals are passed on") {
  rank_map_parts parts = regular_parts({}, 2, 3);
  const temporary_folder folder;
  const std::string script = folder.write("run.sh", script_of(parts.build(), {.agents = emit::torchrun_agents::one_a_gpu}));
  // Each agent leaves a file when it is ready; who fails waits for the others to be so.
  const std::string stand_in = folder.write("torchrun", R"sh(
cd "$(dirname "$0")"
[[ $* == *well* ]] && exit 0
if [[ $* == *node_rank=4* && $* == *fail* ]]; then
  until (($(ls ready | wc -l) == 2)); do sleep 0.05; done
  exit 7
fi
trap 'kill $!; echo stopped; exit 3' TERM
sleep 15 &
> "ready/$$"
wait
)sh");
  const auto fresh = [&] {
    std::filesystem::remove_all(folder.path() / "ready");
    std::filesystem::create_directory(folder.path() / "ready");
  };
  fresh();
  const outcome failed = run({"bash", script, "gpu-1007", "fail"}, {"TORCHRUN=bash " + stand_in});
  CHECK(failed.status == 7);
  CHECK(failed.out == "stopped\nstopped\n");
  CHECK(run({"bash", script, "gpu-1007", "well"}, {"TORCHRUN=bash " + stand_in}).status == 0);
  CHECK(run({"bash", script, "gpu-1007", "x"}, {"TORCHRUN=no-such-program"}).status == 127);
  for (const auto& [signal, status] : {std::pair<std::string, int>{"TERM", 143}, {"INT", 130}, {"HUP", 129}}) {
    fresh();
    const outcome stopped = run({"bash", "-c",
                                 "set -m; bash \"$1\" gpu-1000 x & until (($(ls \"$2\" | wc -l) == 3)); do sleep 0.05; done; "
                                 "kill -" +
                                     signal + " $!; wait $!",
                                 "_", script, (folder.path() / "ready").string()},
                                {"TORCHRUN=bash " + stand_in});
    CHECK(stopped.status == status);
    CHECK(stopped.out == "stopped\nstopped\nstopped\n");
  }
}

TEST_CASE("a plan's master is the address that the cluster knows") {
  const rank_map map = regular_parts({}, 2, 1).build();
  cluster c;
  c.hosts = {{.name = "gpu-1007", .address = "10.1.0.7"}, {.name = "gpu-1000", .address = "10.1.0.1"}};
  const auto last_line = [&](const launcher& l, emit::torchrun_options options = {}) {
    const plan p = topoplan_test::bare_plan(map, l);
    return text_of([&](std::ostream& out) { emit::torchrun(out, p, c, options); });
  };
  CHECK(contains(last_line(launchers::torchrun), "--nnodes=2 --nproc_per_node=\"${#each[@]}\""));
  CHECK(contains(last_line(launchers::torchrun), "--master_addr='10.1.0.1'"));
  CHECK(contains(last_line(launchers::torchrun, {.master_addr = "boss"}), "--master_addr='boss'"));
  CHECK(contains(last_line(launchers::torchrun_per_gpu), "--nproc_per_node=1 --node_rank=\"$rank\""));
  c.hosts[1].address.clear();
  CHECK(contains(last_line(launchers::torchrun), "--master_addr='gpu-1000'"));
}

TEST_CASE("16,384 hosts are one script of sane size that answers at once") {
  const rank_map map = regular_parts({.tp = 8}, 16384, 8).build();
  const temporary_folder folder;
  const std::string text = script_of(map);
  CHECK(text.size() < 500'000);
  const std::string script = folder.write("run.sh", text);
  const std::string stand_in = folder.write("torchrun", printing_torchrun);
  const outcome ran = run({"bash", script, std::string(map.host_name(host_id{16383})), "x.py"}, {"TORCHRUN=bash " + stand_in});
  CHECK(parse_agent(ran.out).options.at("--node_rank") == "16383");
  const outcome lost = run({"bash", script, "nobody", "x.py"});
  CHECK(lost.status == 2);
  CHECK(contains(lost.err, "the 16384 hosts are: gpu-1000 "));
  CHECK(lost.err.size() < 400);
}

}  // namespace

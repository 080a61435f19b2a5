// Tests of emit/slurm.hpp: line i is the host of rank i, and the wrapper gives every task the map's GPU.
#include <topoplan/emit/slurm.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
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

std::string wrapper_of(const rank_map& map, const emit::slurm_options& options = {}) {
  return text_of([&](std::ostream& out) { emit::slurm_wrapper(out, map, options); });
}
const std::string show = "echo $CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER $RANK $WORLD_SIZE $LOCAL_RANK $MASTER_ADDR:$MASTER_PORT";

void check_slurm(const rank_map& map) {
  const auto tasks = lines_of(text_of([&](std::ostream& out) { emit::slurm_hostfile(out, map); }));
  REQUIRE(tasks.size() == map.world());
  const auto hosts = lines_of(text_of([&](std::ostream& out) { emit::slurm_hosts(out, map); }));
  REQUIRE(hosts.size() == map.hosts());
  for (std::uint32_t h = 0; h < map.hosts(); ++h) CHECK(hosts[h] == map.host_name(host_id{h}));
  const temporary_folder folder;
  const std::string wrapper = folder.write("wrapper.sh", wrapper_of(map));
  CHECK(run({"bash", "-n", wrapper}).status == 0);
  const std::string world = std::to_string(map.world());
  const outcome ran =
      run({"bash", "-c", "for ((r = 0; r < $2; ++r)); do SLURM_PROCID=$r SLURM_NTASKS=$2 bash \"$1\" bash -c \"$3\"; done", "_",
           wrapper, world, show},
          {"MASTER_ADDR=wrong", "RANK=77"});
  CHECK(ran.err.empty());
  const auto answers = lines_of(ran.out);
  REQUIRE(answers.size() == map.world());
  for (std::uint32_t r = 0; r < map.world(); ++r) {
    CHECK(tasks[r] == map.host_name(map.host_of(rank_id{r})));
    CHECK(answers[r] == std::to_string(map.gpu_of(rank_id{r})) + " PCI_BUS_ID " + std::to_string(r) + " " + world + " 0 " +
                            tasks[0] + ":29500");
  }
}

TEST_CASE("regular maps, uneven ones, and ranks in any order") {
  check_slurm(regular_parts({.tp = 8}, 3, 8).build());
  topoplan_test::random numbers(61);
  for (int i = 0; i < 4; ++i) check_slurm(random_parts(numbers, i % 2 == 0).build());
}

TEST_CASE("a permutation that repeats is written once") {
  rank_map_parts parts = regular_parts({.tp = 4}, 1000, 4);
  for (std::size_t r = 0; r < 4000; ++r) parts.columns.gpu[r] = static_cast<std::uint16_t>(3 - r % 4);
  const std::string repeated = wrapper_of(parts.build());
  CHECK(repeated.size() < 2000);
  CHECK(contains(repeated, "\n3 2 1 0\n"));
  std::swap(parts.columns.gpu[3998], parts.columns.gpu[3999]);
  CHECK(wrapper_of(parts.build()).size() > 8000);
}

TEST_CASE("a wrapper outside its step says so and runs nothing") {
  const temporary_folder folder;
  const std::string wrapper = folder.write("wrapper.sh", wrapper_of(regular_parts({}, 2, 2).build()));
  const auto status = [&](const std::vector<std::string>& environment) {
    const outcome ran = run({"bash", wrapper, "echo", "ran"}, environment);
    if (ran.status != 0) {
      CHECK(ran.out.empty());
      CHECK(contains(ran.err, "needs a step of 4 tasks, started by srun; this is task "));
    }
    return ran.status;
  };
  CHECK(status({"SLURM_PROCID=3", "SLURM_NTASKS=4"}) == 0);
  CHECK(status({"SLURM_PROCID=3"}) == 0);
  CHECK(status({"SLURM_PROCID=4", "SLURM_NTASKS=4"}) == 2);
  CHECK(status({"SLURM_PROCID=0", "SLURM_NTASKS=5"}) == 2);
  CHECK(status({"SLURM_PROCID=x", "SLURM_NTASKS=4"}) == 2);
  CHECK(status({"-u", "SLURM_PROCID"}) == 2);
}

TEST_CASE("the run script starts srun on the files beside it") {
  const rank_map map = regular_parts({.tp = 4}, 2, 4).build();
  const temporary_folder folder;
  const std::string script = folder.write("with space/srun.sh", text_of([&](std::ostream& out) { emit::slurm_run(out, map); }));
  (void)folder.write("with space/hostfile", text_of([&](std::ostream& out) { emit::slurm_hostfile(out, map); }));
  (void)folder.write("with space/wrapper.sh", wrapper_of(map));
  const std::string stand_in = folder.write("srun", "echo \"$SLURM_HOSTFILE\"; printf '[%s]' \"$@\"\n");
  const outcome started = run({"bash", script, "python3", "train me.py"}, {"SRUN=bash " + stand_in + " --gpus-per-node=4"});
  const std::string beside = (folder.path() / "with space").string();
  CHECK(started.out ==
        beside + "/hostfile\n[--gpus-per-node=4][--nodes=2][--ntasks=8][--distribution=arbitrary][--gpu-bind=none][bash][" +
            beside + "/wrapper.sh][python3][train me.py]");
  std::filesystem::remove(folder.path() / "with space/hostfile");
  const outcome lost = run({"bash", script, "python3"}, {"SRUN=bash " + stand_in});
  CHECK(lost.status == 2);
  CHECK(contains(lost.err, "no hostfile beside this script"));
}

TEST_CASE("names: what Slurm would read as something else is refused; nothing becomes a command") {
  const auto refusal = [](const std::string& name) {
    rank_map_parts parts = regular_parts({}, 2, 1);
    parts.hosts[1] = name;
    try {
      (void)text_of([&](std::ostream& out) { emit::slurm_hostfile(out, parts.build()); });
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(refusal("gpu-1.cluster") == "accepted");
  for (const char* name : {"a b", "n*2", "a,b", "n[0-1]", "#x"})
    CHECK(contains(refusal(name), "can't stand in a Slurm hostfile"));
  CHECK(contains(refusal("a\nb"), "holds a control character"));

  rank_map_parts parts = regular_parts({}, 1, 1);
  for (const std::string name : {"$(touch pwned)", "';touch pwned;'", "`touch pwned`", "a\\", "\"}; touch pwned; \""}) {
    parts.hosts[0] = name;
    const temporary_folder folder;
    (void)folder.write("wrapper.sh", wrapper_of(parts.build()));
    const outcome ran =
        run({"bash", "-c", "cd \"$1\" && exec bash wrapper.sh bash -c 'printf %s \"$MASTER_ADDR\"'", "_", folder.path().string()},
            {"SLURM_PROCID=0", "SLURM_NTASKS=1"});
    CHECK(ran.out == name);
    CHECK(!std::filesystem::exists(folder.path() / "pwned"));
  }
}

TEST_CASE("the master's address and port can be given") {
  const std::string text = wrapper_of(regular_parts({}, 1, 1).build(), {.master_addr = "10.0.0.1", .master_port = 1234});
  CHECK(contains(text, "export MASTER_ADDR='10.0.0.1' MASTER_PORT=1234\n"));
}

TEST_CASE("a plan's are its map's") {
  const plan p = topoplan_test::bare_plan(regular_parts({.tp = 2}, 2, 2).build(), launchers::slurm);
  CHECK(text_of([&](std::ostream& out) { emit::slurm_wrapper(out, p); }) == wrapper_of(p.rank_map));
  CHECK(lines_of(text_of([&](std::ostream& out) { emit::slurm_hostfile(out, p); })).size() == 4);
  CHECK(lines_of(text_of([&](std::ostream& out) { emit::slurm_hosts(out, p); })).size() == 2);
  CHECK(contains(text_of([&](std::ostream& out) { emit::slurm_run(out, p); }), "--ntasks=4"));
}

}  // namespace

#include <topoplan/import/rank_layout.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "solve/clusters.hpp"
#include "summary.hpp"

using namespace topoplan;
using import::launch_method;
using import::rank_layout;
using import::rank_layout_options;
using import::recognise_launch_method;
using topoplan_test::data_file;

namespace {

// Ten hosts h1 ... h10 of four GPUs.
const cluster& ten() {
  static const cluster c = topoplan_test::make({.pods = {{5, 5}}, .gpus = 4});
  return c;
}

// "h1:0 h1:1": the seat of every rank.
std::string seats(std::string_view text, const rank_layout_options& options = {}, const cluster& c = ten()) {
  std::string out;
  for (const import::rank_seat& s : rank_layout(text, "layout", c, options).ranks)
    out += (out.empty() ? "" : " ") + c.at(s.host).name + ":" + std::to_string(s.gpu);
  return out;
}

std::string seats(std::string_view text, launch_method by, std::uint32_t ranks = 0) {
  return seats(text, rank_layout_options{.launched_by = by, .include = {}, .ranks = ranks});
}

// The message of the refusal; empty if there is none.
std::string refused(std::string_view text, const rank_layout_options& options = {}, const cluster& c = ten()) {
  try {
    static_cast<void>(rank_layout(text, "layout", c, options));
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

std::string refused(std::string_view text, launch_method by) { return refused(text, {.launched_by = by, .include = {}}); }

}  // namespace

TEST_SUITE_BEGIN("import/rank_layout");

TEST_CASE("torchrun: node rank is the place in the list, ranks of a host are consecutive") {
  CHECK(seats("h2\nh1\n") == "h2:0 h2:1 h2:2 h2:3 h1:0 h1:1 h1:2 h1:3");
  CHECK(seats("h2:2\nh1:3\n", launch_method::torchrun) == "h2:0 h2:1 h1:0 h1:1 h1:2");
}

TEST_CASE("torchrun with c10d: hosts sorted as strings") {
  CHECK(seats("h2:1\nh10:1\nh1:1\n", launch_method::torchrun) == "h2:0 h10:0 h1:0");
  CHECK(seats("h2:1\nh10:1\nh1:1\n", launch_method::torchrun_c10d) == "h1:0 h10:0 h2:0");
}

TEST_CASE("Open MPI: by slot, by node, rankfile") {
  const std::string uneven = "h1 slots=1\nh2 slots=3\nh3 slots=2\n";
  CHECK(seats(uneven, launch_method::openmpi) == "h1:0 h2:0 h2:1 h2:2 h3:0 h3:1");
  CHECK(seats(uneven, launch_method::openmpi_by_node) == "h1:0 h2:0 h3:0 h2:1 h3:1 h2:2");
  CHECK(seats(uneven, launch_method::openmpi, 4) == "h1:0 h2:0 h2:1 h2:2");  // mpirun -n 4
  CHECK(seats("h1\nh2\nh1\n", launch_method::openmpi) == "h1:0 h1:1 h2:0");
  CHECK(refused("h1 slots=1\nh2 slots=1\nh1 slots=1\n", launch_method::openmpi) ==
        "layout:3: expected each host once, found 'h1' again, which line 1 names");
  CHECK(seats(data_file("rank_layout/rankfile.txt")) == "h3:0 h1:0 h3:1 h1:1");
}

TEST_CASE("MPICH: a host listed again is a second proxy, whose local ranks begin at 0") {
  CHECK(seats(data_file("rank_layout/mpich.txt")) == "h1:0 h2:0 h1:0 h2:0");
  CHECK(seats("h1:1\nh1:1\nh2:2\n", launch_method::mpich) == "h1:0 h1:1 h2:0 h2:1");  // side by side: one proxy
}

TEST_CASE("DeepSpeed: local rank is the rank modulo the processes of the host") {
  const std::string file = data_file("rank_layout/deepspeed.txt");
  CHECK(seats(file, launch_method::deepspeed) == "h2:0 h2:1 h1:2 h1:3 h1:0 h1:1");
  CHECK(seats(file, launch_method::openmpi) == "h2:0 h2:1 h1:0 h1:1 h1:2 h1:3");
  const auto included = [&](const std::string& include) {
    return seats("h1 slots=4\nh2 slots=4\nh3 slots=4\n", rank_layout_options{.launched_by = {}, .include = include});
  };
  CHECK(included("h3:3,1@h1:2,0") == "h1:2 h1:0 h3:3 h3:1");  // hosts in the file's order, slots in the include's
  CHECK(included("h2") == "h2:0 h2:1 h2:2 h2:3");
}

TEST_CASE("Slurm: a task a name, local ids rise with the rank") {
  CHECK(seats(data_file("rank_layout/slurm.txt")) == "h2:0 h2:1 h2:2 h2:3 h1:0 h3:0 h1:1 h3:1");
  CHECK(seats("h[1-2]*2\n") == "h1:0 h1:1 h2:0 h2:1");
  CHECK(seats("h1\nh2\nh1\n") == "h1:0 h2:0 h1:1");
}

TEST_CASE("told by content, or asked back") {
  const auto told = [](std::string_view text) { return to_string(recognise_launch_method(text, "layout")); };
  CHECK(told("h1\nh2\n") == "torchrun");
  CHECK(told("h1 # not h*2\n") == "torchrun");
  CHECK(told("h1 slots=4\nh2 slots=4\n") == "openmpi");
  CHECK(told("h1:4\nh2:2\n") == "mpich");
  CHECK(told("h1*4\n") == "slurm");
  CHECK(told("h1\nh1\n") == "slurm");
  CHECK(told("# x\n\nrank 0=h1 slot=0\n") == "openmpi-rankfile");
  CHECK(refused("h1 slots=4\nh2 slots=2\n").find("expected --launched-by openmpi, deepspeed") != std::string::npos);
  for (const import::launch_traits& m : import::launch_methods::all) CHECK(import::parse_launch_method(m.name) == m.method);
  CHECK_THROWS_WITH_AS(import::parse_launch_method("mpi"), doctest::Contains("known are torchrun, torchrun-c10d"),
                       invalid_argument);
}

TEST_CASE("processes that no count names: one a healthy GPU, or what the degrees make") {
  cluster c = ten();
  topoplan_test::kill_gpu(c, 0, 1);
  const auto made = rank_layout("h1\nh2\n", "layout", c);
  CHECK(made.notes ==
        std::vector<std::string>{"the file doesn't say how many processes a host runs: one for each healthy GPU is assumed",
                                 "processes on h1 are taken to see its healthy GPUs only"});
  CHECK(seats("h1\nh2\n", rank_layout_options{}, c) == "h1:0 h1:2 h1:3 h2:0 h2:1 h2:2 h2:3");
  CHECK(seats("h1\nh2\n", {.launched_by = {}, .include = {}, .ranks = 4}, c) == "h1:0 h1:2 h2:0 h2:1");
  CHECK(seats("h1:4\n", {.launched_by = launch_method::torchrun, .include = {}}, c) ==
        "h1:0 h1:1 h1:2 h1:3");  // the dead one too
  CHECK(refused("h1:2\nh2:2\n", {.launched_by = launch_method::torchrun, .include = {}, .ranks = 8}) ==
        "layout: expected 8 ranks, as the degrees make, found 4 ranks");
  CHECK(refused("h1\nh2\n", {.launched_by = launch_method::slurm, .include = {}, .ranks = 8}) ==
        "layout: expected 8 ranks, as the degrees make, found 2 ranks; one task a host that runs torchrun is --launched-by "
        "torchrun");
}

TEST_CASE("what can't be read is refused where it stands") {
  CHECK(refused("h1\nh11\n").find("layout:2: expected a host of test, found 'h11' (did you mean") != std::string::npos);
  CHECK(refused("h1:5\n") == "layout:1: expected at most 4 processes on h1, one for each of its GPUs, found 5");
  CHECK(refused("h1*4\nh2\nh1\n") == "layout:3: expected at most 4 processes on h1, one for each of its GPUs, found 5");
  CHECK(refused("h1*0\n").starts_with("layout:1:1: expected a host and the number of its tasks"));
  CHECK(refused("", launch_method::slurm) == "layout: expected at least one host, found none");
  CHECK(refused("h1:2\nh2\n") == "layout:2: expected slots for every host or for none, found 'h2' alone");
  CHECK(refused("h1\n", launch_method::deepspeed) == "layout:1: expected HOST slots=N, as DeepSpeed reads it, found 'h1' alone");
  CHECK(refused("h1\nh1\n", launch_method::torchrun) ==
        "layout:2: expected each host once, found 'h1' again, which line 1 names");
  const auto rankfile = [](std::string_view text) { return refused(text, launch_method::openmpi_rankfile); };
  CHECK(rankfile("rank 0=h1 slot=0\nrank 2=h1 slot=1\n") == "layout: expected all ranks from 0 to 2, found no rank 1");
  CHECK(rankfile("rank 0=h1 slot=0\nrank 0=h2 slot=1\n") ==
        "layout:2: expected each rank once, found rank 0 again, which line 1 names");
  CHECK(rankfile("rank 0=+n1 slot=0\n").starts_with("layout:1:6: expected the name of a host"));
  CHECK(rankfile("rank 0=h1 0\n") == "layout:1:11: expected slot=..., found '0'");
  CHECK(rankfile("0=h1\n").starts_with("layout:1:1: expected rank N=HOST"));
  const auto include = [](const std::string& text) {
    return refused("h1 slots=4\nh2 slots=4\n", {.launched_by = {}, .include = text});
  };
  CHECK(include("h3") == "--include:1:1: expected a host of the hostfile, as it is written there, found 'h3'");
  CHECK(include("h1@h1").find("--include:1:4: expected each host once") == 0);
  CHECK(include("h1:0,4") == "--include:1:6: expected a slot of h1, 0 to 3, found '4'");
  CHECK(include("h1:2,2") == "--include:1:6: expected each slot once, found '2' again");
  CHECK(refused("h1\n", {.launched_by = launch_method::torchrun, .include = "h1"}).find("--include is DeepSpeed's") == 0);
}

TEST_SUITE_END();

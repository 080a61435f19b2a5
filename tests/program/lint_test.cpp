// Tests of `topoplan lint`: the sentence, the exit status, and that the order which it writes is the better one.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

#include "program/support.hpp"

namespace {

using nlohmann::json;
using topoplan_test::holds;
using topoplan_test::result;
using topoplan_test::run;
using topoplan_test::scratch;
using topoplan_test::text_of;

const std::string allocation =
    " --node-topology " TOPOPLAN_EXAMPLE_DATA "/topo.txt --gpu h100-sxm --nic 400 --network " TOPOPLAN_EXAMPLE_DATA
    "/topology.conf --hosts " TOPOPLAN_EXAMPLE_DATA "/hosts.txt ";
const std::string job = "--tp 8 --pp 4 ";

// The hosts of the allocation, each with `suffix` behind it, a line each.
std::string hosts(const std::string& suffix = "") {
  std::string text;
  for (const char* n : {"002", "004", "005", "006", "007", "008", "010", "011", "013", "014", "017", "019",
                        "020", "021", "022", "023", "024", "025", "026", "027", "028", "029", "030", "032"})
    text += "gpu-" + std::string(n) + suffix + '\n';
  return text;
}

void write(const topoplan_test::fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("lint: an alphabetical host file, and the file that is better") {
  const scratch s;
  write(s.path / "hosts", hosts());
  const result r = run(s.path, "lint hosts" + allocation + job + "--out better");
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK(first_line(r.out) ==
        "Your host file is in alphabetical order: 80 of 144 pp edges meet only at core, 0 need to; use the order below");
  CHECK(holds(r.out, "  note: the file doesn't say how many processes a host runs: one for each healthy GPU is assumed\n"));
  CHECK(holds(r.out, "\n  dp  96 of 192 edges meet only at core, 64 need to\n"));
  CHECK(holds(r.out, "\nCost: 44,288, lower bound 25,088: at most 76.5 % above the best possible\n"));
  CHECK(holds(r.out, " and 7 groups beside it "));
  CHECK(holds(r.out, "\nWrote better\n"));
  const result again = run(s.path, "lint better" + allocation + job);
  CHECK(again.status == 0);
  CHECK(first_line(again.out) == "Your host file is good: no placement on these hosts costs less; keep it");
  CHECK(holds(again.out, "\nCost: 25,088, lower bound 25,088: optimal\n"));
  CHECK_FALSE(holds(again.out, "Use this order"));

  const result refused = run(s.path, "lint hosts" + allocation + job + "--out better");
  CHECK(refused.status == 2);
  CHECK(holds(refused.err, "--out better exists; --force replaces it"));
  CHECK(run(s.path, "lint hosts" + allocation + job + "--out better --force").status == 0);
  const result kept = run(s.path, "lint better" + allocation + job + "--out best");
  CHECK(kept.status == 0);
  CHECK(holds(kept.out, "Nothing was written to best: there is no better order\n"));
  CHECK_FALSE(topoplan_test::fs::exists(s.path / "best"));
}

TEST_CASE("lint: every launcher's file is replaced by one of its form, which is then as good as the plan") {
  struct form {
    const char* name;
    std::string text;
    std::string options;
    const char* line;  // of the file written
  };
  std::string rankfile;
  std::string tasks;
  {
    std::size_t rank = 0;
    for (std::size_t at = 0; at < hosts().size(); at += 8)
      for (int slot = 0; slot < 8; ++slot)
        rankfile += "rank " + std::to_string(rank++) + "=" + hosts().substr(at, 7) + " slot=1:" + std::to_string(slot) + "\n";
  }
  const std::vector<form> forms{{"openmpi", hosts(" slots=8"), "", "gpu-004 slots=8\n"},
                                {"mpich", hosts(":8"), "", "gpu-004:8\n"},
                                {"deepspeed", hosts(" slots=8"), "--launched-by deepspeed ", "gpu-004 slots=8\n"},
                                {"slurm", hosts("*8"), "", "gpu-004*8\n"},
                                {"openmpi-rankfile", rankfile, "", "rank 3=gpu-004 slot=1:3\n"}};
  for (const form& f : forms) {
    CAPTURE(std::string(f.name));
    const scratch s;
    write(s.path / "layout", f.text);
    const result r = run(s.path, "lint layout" + allocation + job + f.options + "--out better");
    CHECK(r.status == 0);
    CHECK(holds(r.out, "\nLayout: layout, " + std::string(f.name) + " ("));
    CHECK(
        holds(first_line(r.out), "in alphabetical order: 80 of 144 pp edges meet only at core, 0 need to; use the order below"));
    CHECK(holds(text_of(s.path / "better"), f.line));
    const result again = run(s.path, "lint better" + allocation + job + f.options);
    CHECK(again.status == 0);
    CHECK(holds(again.out, "\nCost: 25,088, lower bound 25,088: optimal\n"));
  }
}

TEST_CASE("lint: the order of c10d is the names', whatever the file says") {
  const scratch s;
  write(s.path / "hosts", hosts());
  REQUIRE(run(s.path, "lint hosts" + allocation + job + "--out better").status == 0);
  const result r = run(s.path, "lint better --launched-by torchrun-c10d" + allocation + job);
  CHECK(r.status == 0);
  CHECK(first_line(r.out) ==
        "Your host file is sorted by name at rendezvous: 80 of 144 pp edges meet only at core, 0 need to; use the order below");
  CHECK(holds(r.out, "with --rdzv-backend static, --node-rank = line of the file does"));
}

TEST_CASE("lint: broken rules end with 1, on the screen and as a document") {
  const scratch s;
  write(s.path / "twice", hosts(":4") + hosts(":4"));  // two proxies of MPICH a host
  const result r = run(s.path, "lint twice" + allocation + job);
  CHECK(r.status == 1);
  CHECK(holds(first_line(r.out), "it breaks one rank a GPU: 96 ranks share a GPU with another"));
  CHECK(holds(r.out, "gpu-002:gpu0 holds ranks 0 and 96\n"));
  const result document = run(s.path, "lint twice" + allocation + job + "--json");
  CHECK(document.status == 1);
  const json value = json::parse(document.out);
  CHECK(value["format"] == "topoplan.lint");
  CHECK(value["feasible"] == false);
  CHECK(value["advice"] == "replace");
  CHECK(value["launched_by"] == "mpich");
  CHECK(value["layout"]["edges"]["pp"].size() == value["levels"].size());
  CHECK(value["suggested"]["cost"] == 25088);
  CHECK(value["suggested"]["hosts"].size() == 24);

  write(s.path / "turns", hosts(" slots=8"));
  const result turns = run(s.path, "lint turns --launched-by openmpi-by-node" + allocation + job);
  CHECK(turns.status == 1);
  CHECK(holds(first_line(turns.out), "it breaks tp=domain: 24 of 24 groups of 8 ranks leave one NVLink domain"));
  CHECK(run(s.path, "lint turns --launched-by openmpi-by-node --confine none" + allocation + job).status == 0);
}

TEST_CASE("lint: a host without room") {
  const scratch s;
  write(s.path / "hosts", "dgx-0001:4\ndgx-0002:4\n");
  const result r = run(s.path, "lint hosts --launched-by torchrun --cluster dgx-h100:2 --tp 8");
  CHECK(r.status == 1);
  CHECK(holds(first_line(r.out), "it breaks tp=domain"));
  CHECK(holds(r.out, "\nIdle: 8 usable GPUs on dgx-[0001-0002]\n"));
  CHECK(holds(r.out, "  note: the suggestion runs another number of ranks than your file on 2 hosts;"));
}

TEST_CASE("lint: a plan of place, and a map's degrees") {
  const scratch s;
  REQUIRE(run(s.path, "place" + allocation + job + "--out plan").status == 0);
  for (const char* what : {"plan", "plan/rank_map.json", "plan/rank_map.bin"}) {
    const result r = run(s.path, "lint " + std::string(what) + allocation);
    CHECK(r.status == 0);
    CHECK(first_line(r.out) == "Your rank map is good: no placement on these hosts costs less; keep it");
  }
  const result other = run(s.path, "lint plan" + allocation + "--tp 4");
  CHECK(other.status == 2);
  CHECK(holds(other.err, "--tp 4: the rank map plan is of tp 8"));
  CHECK(holds(run(s.path, "lint plan --launched-by mpich" + allocation).err, "--launched-by goes with a host list"));
  const result foreign = run(s.path, "lint plan --cluster dgx-h100:24");
  CHECK(foreign.status == 2);
  CHECK(holds(foreign.err, "puts ranks on host 'gpu-004'"));
}

TEST_CASE("lint: bad input and bad usage") {
  const scratch s;
  write(s.path / "hosts", "gpu-002\ngpu-099\n");
  write(s.path / "uneven", "gpu-002 slots=8\ngpu-004 slots=4\n");
  write(s.path / "few", "gpu-002\ngpu-004\n");
  const auto refusal = [&](const std::string& arguments) {
    const result r = run(s.path, "lint " + arguments + allocation);
    CHECK_MESSAGE(r.status == 2, arguments);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(holds(refusal("hosts --tp 8"), "topoplan: hosts:2: expected a host of "));
  CHECK(holds(refusal("uneven --tp 4"), "topoplan: uneven: expected --launched-by openmpi, deepspeed or torchrun"));
  CHECK(holds(refusal("few --tp 8 --dp 3"), "topoplan: few: expected 24 ranks, as the degrees make, found 16 ranks"));
  CHECK(holds(refusal("few --tp 8 --pp 3"), "topoplan: few starts 16 ranks, one a GPU: "));
  CHECK(holds(refusal("few --launched-by mpi"), "unknown launcher 'mpi'; known are torchrun"));
  CHECK(holds(refusal("uneven --include gpu-009"), "--include:1:1: expected a host of the hostfile"));
  CHECK(holds(refusal("few --force"), "--force is about what --out writes"));
  CHECK(holds(refusal("missing --tp 8"), "missing: No such file"));
  CHECK(holds(refusal("few --confine tp=rack"), "can't read confinement 'tp=rack'"));
}

#include <topoplan/import/hostfile.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::hostfile;
using topoplan::import::listed_host;

namespace {

// "a@1 b@3/8": names, lines, slots.
std::string listed(std::string_view text) {
  std::string out;
  for (const auto& host : hostfile(text, "hosts").hosts) {
    out += (out.empty() ? "" : " ") + host.name + "@" + std::to_string(host.line);
    if (host.slots) out += "/" + std::to_string(*host.slots);
  }
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("import/hostfile");

TEST_CASE("one name a line, comments, blank lines") {
  CHECK(listed("# allocation\nb\n\n  a  # first\n\tc\n") == "b@2 a@4 c@5");
  CHECK(listed("b") == "b@1");
  CHECK(listed("\xef\xbb\xbf"
               "b\r\na\r\n") == "b@1 a@2");
}

TEST_CASE("hostlists, several a line, as scontrol and shells print them") {
  CHECK(listed("gpu-[02-03,07]\nlogin\n") == "gpu-02@1 gpu-03@1 gpu-07@1 login@2");
  CHECK(listed("c a,b\n") == "c@1 a@1 b@1");
  CHECK(hostfile(example_file("hosts.txt"), "hosts.txt").hosts.size() == 24);
  CHECK(hostfile(example_file("hosts.txt"), "hosts.txt").source == "hosts.txt");
}

TEST_CASE("slots of Open MPI, DeepSpeed and MPICH") {
  CHECK(listed("a slots=8\nb slots=4 max_slots=8\nc max-slots=2\n") == "a@1/8 b@2/4 c@3");
  CHECK(listed("a:8\nb:4\n") == "a@1/8 b@2/4");
  CHECK(listed("n[1-2] slots=8\n") == "n1@1/8 n2@1/8");
  CHECK(listed("n[1-2]:8\n") == "n1@1/8 n2@1/8");
  CHECK(listed("a SLOTS=8\n") == "a@1/8");
  CHECK(listed("a b slots=2\n") == "a@1 b@1/2");
}

TEST_CASE("the files under tests/data") {
  CHECK(listed(data_file("hostfile/openmpi.txt")) == "gpu-09@2/8 gpu-10@3/8 gpu-02@4/8");
  CHECK(listed(data_file("hostfile/mpich.txt")) == "tray-3@1/4 tray-1@2/4 tray-2@3/4");
  CHECK(listed(data_file("hostfile/mixed.txt")) == "dgx-01@3 dgx-02@3 dgx-04@3 dgx-09.cluster.example@5 dgx-11@7 dgx-10@7");
}

TEST_CASE("what is no hostfile is refused where it stands") {
  const auto refused = [](std::string_view text, const char* message) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(hostfile(text, "hosts"), message, parse_error);
  };
  refused("", "hosts: expected at least one host, found none");
  refused("# nothing\n\n", "hosts: expected at least one host, found none");
  refused("a\nb\nA\n", "hosts:3:1: expected each host once, found 'A' again, which line 1 names");
  refused("n[1-3]\n\nx n2\n", "hosts:3:3: expected each host once, found 'n2' again, which line 1 names");
  refused("a slots=0\n", "hosts:1:3: expected a number of slots, 1 or more, found '0'");
  refused("a slots=x\n", "hosts:1:3: expected a number of slots, 1 or more, found 'x'");
  refused("a:\n", "hosts:1:3: expected a number of slots, 1 or more, found ''");
  refused("n1:8,n2:8\n", "hosts:1:4: expected a number of slots, 1 or more, found '8,n2:8'");
  refused("a gpus=8\n", "hosts:1:3: expected slots=N or the end of the line, found 'gpus=8'");
  refused("a slots 8\n", "hosts:1:3: expected slots=N or a host, found 'slots'");
  refused("slots=8\n", "hosts:1:1: expected a host before its slots, found 'slots=8'");
  refused("a\n  n[1 2]\n", "hosts:2:6: expected ',' or ']' for the bracket of column 4, found ' '");
  refused("a/b\n", "hosts:1:2: expected a host name, ',' or '[', found '/'");
  refused(std::string_view("a\0b", 3), "hosts:1:2: expected text, found a NUL byte; the file is binary, UTF-16 or damaged");
}

TEST_CASE("a million hosts, and no more than the limits") {
  CHECK(hostfile("n[0-999999]\n", "hosts").hosts.size() == 1'000'000);
  CHECK_THROWS_AS(hostfile("n[1-60]\nm[1-60]\n", "hosts", {100, 10000}), parse_error);
  CHECK(hostfile("n[1-50]\nm[1-50]\n", "hosts", {100, 10000}).hosts.size() == 100);
}

TEST_CASE("damaged files are read or refused") {
  for (const std::string name : {"openmpi", "mpich", "mixed"}) {
    const auto text = data_file("hostfile/" + name + ".txt");
    const auto whole = hostfile(text, "hosts");
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(damage);
      try {
        const auto read = hostfile(changed, "hosts");
        if (damage == "CRLF" || damage == "BOM" || damage == "tabs as blanks") CHECK(read == whole);
      } catch (const parse_error& e) {
        CHECK_MESSAGE((damage != "CRLF" && damage != "BOM" && damage != "tabs as blanks"), e.what());
        if (damage == "doubled lines" || damage == "twice")
          CHECK(std::string(e.what()).find("each host once") != std::string::npos);
      }
    }
    for (std::size_t length = 0; length < text.size(); ++length) {
      std::size_t read = 0;
      try {
        read = hostfile(text.substr(0, length), "hosts").hosts.size();
      } catch (const parse_error&) {
        continue;
      }
      CHECK(read <= whole.hosts.size() + 1);  // "gpu-02 sl" may be two hosts
    }
  }
}

TEST_CASE("SLURM_JOB_NODELIST as env prints it") {
  for (const char* text : {"SLURM_JOB_NODELIST=gpu-[1-2],x\n", "export SLURM_NODELIST=\"gpu-[1-2],x\"\n",
                           "SLURM_STEP_NODELIST='gpu-[1-2],x'", "declare -x SLURM_JOB_NODELIST=\"gpu-[1-2],x\"\n"}) {
    CAPTURE(text);
    const auto list = topoplan::import::hostfile(text, "t");
    REQUIRE(list.hosts.size() == 3);
    CHECK(list.hosts[0].name == "gpu-1");
    CHECK(list.hosts[2].name == "x");
  }
}

TEST_SUITE_END();

#include <topoplan/import/nvlink_domains.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::domain_table;
using import::fabric_standing;
using import::nvlink_domains;
using topoplan::parse_error;

namespace {

// "a..1.4: tray-01 tray-02; ..." with all digits between the first and the last of a UUID left out.
std::string domains_of(const domain_table& table) {
  std::string out;
  for (const auto& domain : table.domains) {
    out += (out.empty() ? "" : "; ") + domain.name.substr(0, 1) + ".." + domain.name.substr(35) + ":";
    for (const auto host : domain.hosts) out += " " + table.hosts[host].name;
  }
  return out;
}

// Hosts without a domain, and why.
std::string others_of(const domain_table& table) {
  std::string out;
  for (const auto& host : table.hosts) {
    if (!host.domain) out += (out.empty() ? "" : "; ") + host.name + ": " + std::string(to_string(host.standing));
  }
  return out;
}

void check_table(const domain_table& table) {
  std::size_t members = 0;
  bool sound = true;
  for (std::uint32_t d = 0; d < table.domains.size(); ++d) {
    for (const auto host : table.domains[d].hosts) sound = sound && table.hosts[host].domain == d;
    members += table.domains[d].hosts.size();
    sound = sound && !table.domains[d].hosts.empty();
  }
  for (const auto& host : table.hosts) {
    members -= host.domain ? 1U : 0U;
    sound = sound && host.domain.has_value() == (host.standing == fabric_standing::in_domain);
  }
  CHECK(sound);
  CHECK(members == 0);
}

}  // namespace

TEST_CASE("pdsh over whole outputs, lines of hosts mixed") {
  const auto table = nvlink_domains(data_file("domains/pdsh_whole.txt"), "pdsh.txt");
  check_table(table);
  CHECK(domains_of(table) == "a..1.32766: tray-01 tray-03; b..2.32766: tray-02");
  CHECK(others_of(table) == "dgx-01: a fabric of its own host; late-01: still registering; old-01: no fabric; sick-01: not told");
  CHECK(table.hosts[0].gpus == 2);
  CHECK(table.hosts[0].degraded == 1);
  CHECK(table.hosts[0].line == 1);
  CHECK(table.domains[0].key->clique == 32766);
  CHECK(has_note(table.notes, "tray-02: its GPUs don't agree on their NVLink fabric: 1 in a domain, 1 still registering", 2));
  CHECK(has_note(table.notes, "domain bbbbbbbb-0000-0000-0000-000000000002.32766 has 1 host here, another 2", 2));
  CHECK(has_note(table.notes, "tray-01: GPU 0009:01:00.0 reports its NVLink fabric as Unhealthy", 19));
  CHECK(has_note(table.notes, "late-01: GPU 0008:01:00.0 is still registering", 45));
  CHECK(has_note(table.notes, "sick-01: nothing of what it printed is a field", 52));
  CHECK(has_note(table.notes, "a host didn't answer: 'pdsh@mgmt: tray-04", 53));
}

TEST_CASE("blocks of hosts, as dshbak -c and clush -b print") {
  const auto table = nvlink_domains(data_file("domains/gathered.txt"), "g.txt");
  check_table(table);
  CHECK(domains_of(table) == "a..1.1: tray-01 tray-02 tray-03 tray-05; a..1.2: tray-04");
  CHECK(table.hosts[3].line == 4);
}

TEST_CASE("labels of kubectl") {
  const auto table = nvlink_domains(data_file("domains/kubectl.txt"), "k.txt");
  check_table(table);
  CHECK(domains_of(table) == "a..1.4: tray-01 tray-03; a..1.5: tray-02; b..2.4: tray-04");
  CHECK(others_of(table) == "cpu-01: not told");
  CHECK(has_note(table.notes, "cpu-01 has no label nvidia.com/gpu.clique", 5));
  const auto zero =
      nvlink_domains("dgx-1 00000000-0000-0000-0000-000000000000.0\ndgx-2: 00000000-0000-0000-0000-000000000000.0\n", "z.txt");
  check_table(zero);
  CHECK(domains_of(zero).empty());
  CHECK(others_of(zero) == "dgx-1: a fabric of its own host; dgx-2: a fabric of its own host");
}

TEST_CASE("a thousand uneven domains and hosts without any earn notes of bounded number") {
  std::string text = "big-1 00000000-0000-0000-0000-000000000001.1\nbig-2 00000000-0000-0000-0000-000000000001.1\n";
  for (int i = 2; i < 1002; ++i)
    text += "n" + std::to_string(i) + " 00000000-0000-0000-0000-000000000001." + std::to_string(i) + "\n";
  for (int i = 0; i < 100; ++i) text += "cpu-" + std::to_string(i) + " Ready\n";
  const auto table = nvlink_domains(text, "k.txt");
  CHECK(table.domains.size() == 1001);
  CHECK(has_note(table.notes,
                 "1000 domains have fewer hosts here than the 2 of another: 00000000-0000-0000-0000-000000000001.2 (1), ", 3));
  CHECK(has_note(table.notes, "cpu-0 has no label nvidia.com/gpu.clique", 1003));
  CHECK(has_note(table.notes, "; and 92 more like it", 1010));
  CHECK(table.notes.size() == 9);
  std::string log;
  for (int i = 0; i < 100; ++i) log += "pdsh@mgmt: n" + std::to_string(i) + ": ssh exited with exit code 255\n";
  for (int i = 0; i < 100; ++i) {
    const auto host = "n" + std::to_string(i);
    log += host + ": command not found\n";
  }
  const auto printed = nvlink_domains(log + data_file("domains/pdsh_whole.txt"), "p.txt");
  std::size_t unreached = 0;
  std::size_t nothing = 0;
  for (const auto& n : printed.notes) {
    unreached += n.text.find("didn't answer") != std::string::npos ? 1U : 0U;
    nothing += n.text.find("nothing of what it printed") != std::string::npos ? 1U : 0U;
  }
  CHECK(unreached == 8);
  CHECK(nothing == 8);
}

TEST_CASE("what names no domain, or two for a host, is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(nvlink_domains(text, "d.txt")), doctest::Contains(message), parse_error);
  };
  const std::string a = "aaaaaaaa-0000-0000-0000-000000000001";
  refuse("", "no line that begins with a host");
  refuse("    ClusterUUID : " + a + "\n    CliqueId : 1\n", "no line that begins with a host");
  refuse("h1: hello\nh2: hello\n", "hosts that say nothing of it");
  refuse("h1 " + a + ".1\nh2 " + a + ".1\nh1 " + a + ".2\n", "d.txt:3: expected one NVLink domain for host h1, found ");
  refuse("h1: CliqueId : 1\nh1: ClusterUUID : " + a + "\nh1: CliqueId : 2\nh1: ClusterUUID : " + a + "\n",
         "d.txt:3: expected one NVLink domain for host h1");
  refuse("h1 00000000-0000-0000-0000-000000000000.0\nh1 " + a + ".2\n", "a fabric of its own host and ");
  refuse("----\nnode[1-\n----\n CliqueId : 1\n", "d.txt:2:");
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) {
    auto table = nvlink_domains(text, source);
    check_table(table);
    return table;
  };
  for (const auto* name : {"pdsh_whole.txt", "gathered.txt", "kubectl.txt"}) {
    INFO(name);
    check_survives(reader, data_file(std::string("domains/") + name));
  }
}

TEST_CASE("the reference file: neither the clique nor the UUID alone is a domain") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real file isn't read");
    return;
  }
  const auto table = nvlink_domains(
      import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/cloud-topology/pdsh-nvidia-smi-clique.txt"), "pdsh");
  check_table(table);
  CHECK(domains_of(table) == "5..5.4000000004: node-10; 5..4.4000000005: node-07 node-08; 5..5.4000000005: node-09");
  for (const auto& host : table.hosts) CHECK(host.gpus == 2);
}

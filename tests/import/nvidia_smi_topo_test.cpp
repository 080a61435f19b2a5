#include <topoplan/import/nvidia_smi_topo.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::nvidia_smi_topo;
using topoplan::import::path_kind;

namespace {

struct expectation {
  std::string_view file;
  std::string_view rows;  // of GPUs: 1 whole, 0 cut, - missing
  std::string_view pairs;
  std::string_view groups;
  std::string_view nvlink;
  std::string_view nics;
  std::string_view nearest;
  std::string_view numa;
  std::string_view cpus;
};

void check(const import::node_topology& node, const expectation& expected) {
  CHECK(rows_of(node) == expected.rows);
  CHECK(pairs_of(node) == expected.pairs);
  CHECK(groups_of(node) == expected.groups);
  CHECK(nvlink_of(node) == expected.nvlink);
  CHECK(nics_of(node) == expected.nics);
  CHECK(nearest_of(node) == expected.nearest);
  CHECK(numa_of(node) == expected.numa);
  CHECK(cpus_of(node) == expected.cpus);
}

// What the reader promises of every text that it accepts.
void check_postcondition(const import::node_topology& node) {
  const std::size_t width = node.gpus.size() + node.nics.size();
  REQUIRE(!node.gpus.empty());
  REQUIRE(node.paths.size() == width * width);
  bool sound = true;
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      const auto p = node.between(a, b);
      sound = sound && p == node.between(b, a) && (p.kind == path_kind::self) == (a == b) &&
              (p.kind == path_kind::nvlink) == (p.nvlinks > 0) &&
              (p.kind != path_kind::nvlink || (a < node.gpus.size() && b < node.gpus.size()));
    }
  }
  CHECK(sound);
  std::size_t grouped = 0;
  for (const auto& group : nvlink_groups(node)) grouped += group.gpus.size();
  CHECK(grouped == node.gpus.size());
}

// A second reading of the format, as plain as can be: whitespace-separated cells behind GPUn, in a text that is whole.
std::size_t count_cells(const std::string& text, std::string_view prefix) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("GPU")) continue;
    for (std::size_t word = 0; word < line.size();) {
      const auto start = line.find_first_not_of(" \t", word);
      if (start == std::string::npos) break;
      word = std::min(line.find_first_of(" \t", start), line.size());
      count += word > start && std::string_view(line).substr(start, word - start).starts_with(prefix) ? 1U : 0U;
    }
  }
  return count;
}

const std::vector<std::string> own_files = {"padded-blanks",
                                            "colours-blank-affinities",
                                            "no-header-one-gpu-off-nvlink-cut",
                                            "mesh-glued-header-soc",
                                            "header-does-not-fit",
                                            "tail-only",
                                            "rows-missing",
                                            "peers-only",
                                            "blank-cpu-affinity",
                                            "blank-field-among-blanks",
                                            "then-p2p-matrix",
                                            "comment-and-grep-prefix",
                                            "grace-tray",
                                            "pairs-annotated",
                                            "numa-ids-with-gaps",
                                            "one-pair-narrower",
                                            "equally-near-pairs"};

}  // namespace

TEST_SUITE_BEGIN("import/nvidia_smi_topo");

TEST_CASE("the example's node") {
  const auto text = example_file("topo.txt");
  const auto node = nvidia_smi_topo(text, "topo.txt");
  check(node, {"topo.txt", "1x8", "NV18:28", "0,1,2,3,4,5,6,7 NV18", "shown",
               "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7 mlx5_8 mlx5_9",
               "PXB:0 PXB:2 PXB:3 PXB:4 PXB:5 PXB:7 PXB:8 PXB:9", "0x4 1x4", "0-55,112-167x4 56-111,168-223x4"});
  CHECK(node.notes.empty());
  CHECK(node.source == "topo.txt");
  CHECK(node.gpus[2].name == "GPU2");
  CHECK(node.gpus[2].line == 4);
  CHECK(node.nics[9].line == 19);
  CHECK(node.nics[9].complete);
  CHECK(count_cells(text, "NV") == 2 * 28);
  CHECK(node.between_nics(0, 5).kind == path_kind::sys);
  CHECK(node.to_nic(7, 9).kind == path_kind::pxb);
}

TEST_CASE("each trait of real outputs, on a small input") {
  const std::vector<expectation> table = {
      {"padded-blanks", "1x3", "NODE:1 SYS:2", "", "absent", "rocep1s0 rocep2s0 rocep130s0", "PIX:0 PIX:1 PIX:2", "0x2 1",
       "0-23x2 24-47"},
      {"colours-blank-affinities", "1x2", "NV4:1", "0,1 NV4", "shown", "", "unknownx2", "? 3", "?x2"},
      {"no-header-one-gpu-off-nvlink-cut", "1x3 0 -", "NODE:4 NV18:5 unknown:1", "0,2,3,4 ?", "shown",
       "NIC0? NIC1? NIC2? NIC3? NIC4? NIC5?", "PXB:0 PXB:1 PXB:2 unknownx2", "0x3 ?x2", "0-63,128-191x3 ?x2"},
      {"mesh-glued-header-soc", "1x4", "NV1:2 NV2:2 SYS:2", "0,1,2,3 mesh", "shown", "mlx5_0 mlx5_2 mlx5_1",
       "PIX:0x2 PIX:1 PIX:2", "?x4", "0-9x4"},
      {"header-does-not-fit", "1x4", "NV1:2 NV2:2 SYS:2", "0,1,2,3 mesh", "shown", "mlx5_0 mlx5_2 mlx5_1", "PIX:0x2 PIX:1 PIX:2",
       "?x4", "0-9x4"},
      {"tail-only", "-x2 1x2", "NV18:5 unknown:1", "0,1,2,3 ?", "shown", "mlx5_bond_0 mlx5_bond_1 mlx5_bond_2 mlx5_bond_3",
       "PXB:0 PXB:1 PXB:2 PXB:3", "?x2 1x2", "?x2 96-191x2"},
      {"rows-missing", "1x3 -", "NV8:6", "0,1,2,3 NV8", "shown", "NIC0? NIC1? NIC2? NIC3? NIC4?", "PIX:2 PIX:4 PIX:1 unknown",
       "0x3 ?", "0-47x3 ?"},
      {"peers-only", "1x4", "NODE:2 SYS:4", "", "unknown", "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4", "PIX:0 PIX:1 PIX:3 PIX:4",
       "0x2 1x2", "0-31x2 32-63x2"},
      {"blank-cpu-affinity", "1x2", "PHB:1", "", "absent", "ibp12s0", "NODE:0x2", "0 1", "3 ?"},
      {"blank-field-among-blanks", "1x2", "PHB:1", "", "absent", "", "unknownx2", "? 1", "? 0-7"},
      {"then-p2p-matrix", "1x3", "NODE:1 SYS:2", "", "absent", "", "unknownx3", "0x2 1", "0-11x2 12-23"},
      {"comment-and-grep-prefix", "1x2", "NV4:1", "0,1 NV4", "shown", "mlx5_0", "SYS:0 PHB:0", "1 0", "16-31 0-15"},
      {"grace-tray", "1x4", "NV18:6", "0,1,2,3 NV18", "shown", "", "unknownx4", "0x2 1x2", "0-71x2 72-143x2"},
      {"pairs-annotated", "1x4", "NV6:2 SYS:4", "0,1 NV6; 2,3 NV6", "shown", "NIC0? NIC1?", "PIX:0x2 PIX:1x2", "?x4", "?x4"},
      {"numa-ids-with-gaps", "1x2", "NV3:1", "0,1 NV3", "shown", "mlx5_0 mlx5_1", "NODE:0 NODE:1", "0 8", "0-79 80-159"},
      {"one-pair-narrower", "1x4", "NV16:1 NV18:5", "0,1,2,3 uneven", "shown", "", "unknownx4", "0x4", "0-55,112-167x4"},
      {"equally-near-pairs", "1x4", "NV12:6", "0,1,2,3 NV12", "shown", "mlx5_0 mlx5_1 mlx5_2 mlx5_3", "PXB:0,1x2 PXB:2,3x2",
       "0x2 1x2", "0-15x2 16-31x2"},
  };
  REQUIRE(table.size() == own_files.size());
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const auto node = nvidia_smi_topo(data_file("topo/" + std::string(expected.file) + ".txt"), std::string(expected.file));
    check(node, expected);
    check_postcondition(node);
  }
}

TEST_CASE("what a text leaves open is a note with its line") {
  const auto notes = [](const std::string& file) { return nvidia_smi_topo(data_file("topo/" + file + ".txt"), file).notes; };
  CHECK(has_note(notes("no-header-one-gpu-off-nvlink-cut"), "the header is missing", 1));
  CHECK(has_note(notes("no-header-one-gpu-off-nvlink-cut"), "GPU1 has no NVLink", 2));
  CHECK(has_note(notes("no-header-one-gpu-off-nvlink-cut"), "GPU3: the row stops after 2 of 11 columns", 4));
  CHECK(has_note(notes("rows-missing"), "rows are missing: GPU3, NIC0, NIC1, NIC2, NIC3, NIC4", 1));
  CHECK(has_note(notes("mesh-glued-header-soc"), "form a mesh", 2));
  CHECK(has_note(notes("header-does-not-fit"), "the header doesn't fit the rows", 1));
  CHECK(has_note(notes("peers-only"), "nothing is concluded", 1));
  CHECK(has_note(notes("then-p2p-matrix"), "P2P status matrix", 15));
  CHECK(has_note(notes("blank-field-among-blanks"), "all are left unknown", 2));
  CHECK(has_note(notes("one-pair-narrower"), "different numbers of NVLinks", 2));
  CHECK(has_note(notes("numa-ids-with-gaps"), "mlx5_1: the row stops after 1 of 4 columns", 5));
  CHECK(notes("padded-blanks").empty());
  CHECK(notes("grace-tray").empty());
  CHECK(nvidia_smi_topo(data_file("topo/grace-tray.txt"), "t").gpus[3].memory_numa == 26);
}

TEST_CASE("free text under the matrix is no NIC legend, a NIC legend is") {
  const std::string matrix = "\tGPU0\tNIC0\nGPU0\t X \tPIX\nNIC0\tPIX\t X \n";
  CHECK(nics_of(nvidia_smi_topo(matrix + "\nNIC0: mlx5_3\n", "t")) == "NIC0?");
  CHECK(nics_of(nvidia_smi_topo(matrix + "\nNIC Legend:\n\n  NIC0: mlx5_3\n", "t")) == "mlx5_3");
  const auto odd = nvidia_smi_topo(matrix + "\nNIC Legend:\n\n  NIC7: mlx5_3\n", "t");
  CHECK(nics_of(odd) == "NIC0?");
  CHECK(has_note(odd.notes, "NIC7, which has no column", 7));
  CHECK_THROWS_WITH_AS(nvidia_smi_topo(matrix + "\nNIC Legend:\n  NIC0: a\n  NIC0: b\n", "t"),
                       "t:7: expected one name for NIC0, found a and b", parse_error);
}

TEST_CASE("NVLink is absent only where it would be shown") {
  const std::string matrix = "\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n";
  const std::string legend = "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n";
  CHECK(nvlink_of(nvidia_smi_topo(matrix, "t")) == "unknown");
  CHECK(nvlink_of(nvidia_smi_topo(matrix + "\nLegend:\n\n  X    = Self\n", "t")) == "unknown");
  CHECK(nvlink_of(nvidia_smi_topo(matrix + legend, "t")) == "absent");
  CHECK(nvlink_of(nvidia_smi_topo("$ nvidia-smi topo -mp\n" + matrix + legend, "t")) == "unknown");
  CHECK(nvlink_of(nvidia_smi_topo("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tSYS\tSYS\n" + legend, "t")) == "unknown");
}

TEST_CASE("what is no such matrix, or contradicts itself, is refused with its line") {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)nvidia_smi_topo(text, "t");
    } catch (const parse_error& e) {
      return e.what();
    }
    return "accepted";
  };
  const auto holds = [&](const std::string& text, std::string_view part) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(refusal(text).find(part) != std::string::npos);
  };
  holds("", "t: expected the matrix of `nvidia-smi topo -m`, found none");
  holds("hello\nGPU 0: NVIDIA H100\n", "found none");
  holds("\tGPU0\tGPU1\tCPU Affinity\n", "t:1: expected rows of GPUs under the header");
  holds(data_file("topo/p2p-status.txt"), "t:1: expected the matrix of `nvidia-smi topo -m`, found a P2P status matrix");
  holds(data_file("topo/other-vendor.txt"), "another vendor's tool");
  holds("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tSYS\t X \n", "t:3:1: expected NV4 between GPU0 and GPU1 as in line 2, found SYS");
  holds("\tGPU0\tGPU1\nGPU0\tNV4\t X \nGPU1\t X \tNV4\n",
        "t:2:1: expected X in the column GPU0 of row GPU0 and only there, found NV4");
  holds("\tGPU0\tGPU1\nGPU0\t X \tXYZ\nGPU1\tSYS\t X \n",
        "t:2:10: expected X, NV#, PIX, PXB, PHB, NODE or SYS in each of 2 columns");
  holds("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \t0-3\n", "'0-3' after 1");
  holds("\tGPU0\tNIC0\nGPU0\t X \tNV4\n", "expected NVLink between GPUs only, found NV4 between GPU0 and NIC0");
  holds("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU0\t X \tSYS\nGPU1\tNV4\t X \n", "t:3:1: expected one row for GPU0, found another one");
  holds("\tGPU0\tGPU0\nGPU0\t X \tNV4\n", "'GPU0' twice");
  holds("\tGPU0\tNIC0\tGPU1\nGPU0\t X \tPIX\tSYS\n", "the GPU columns before the NICs");
  holds("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n\n\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n",
        "t:5: expected one matrix, of one host, found a second one that differs from that in line 1");
  holds("GPU0 X NV4\nGPU1 X NV4\n", "GPU1 with its X in column 1");
  holds("GPU0 X NV4 PIX\nNIC0 PIX PIX X\nNIC1 PIX X PIX\n", "as many GPU columns as the rows above have (2), found 0");
  holds("NIC0 X PIX\nNIC1 PIX X\n", "a matrix with GPUs");
  holds(std::string("GPU0 X\0", 7), "t:1:7: expected text, found a NUL byte");
  holds("\xff\xfeG\0P\0U\0", "UTF-16");
  std::string wide = "\t";
  for (int i = 0; i < 300; ++i) wide += "GPU" + std::to_string(i) + "\t";
  holds(wide + "\nGPU0\t X \n", "at most 256 columns, found 300");
}

TEST_CASE("a cut after any byte never changes what is read, it only leaves more open") {
  auto files = own_files;
  files.emplace_back("");
  for (const auto& file : files) {
    CAPTURE(file);
    const auto text = file.empty() ? example_file("topo.txt") : data_file("topo/" + file + ".txt");
    const auto whole = nvidia_smi_topo(text, "whole");
    std::size_t read = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
      import::node_topology cut;
      try {
        cut = nvidia_smi_topo(text.substr(0, length), "cut");
      } catch (const parse_error&) {
        continue;
      }
      ++read;
      REQUIRE(cut.gpus.size() <= whole.gpus.size());
      bool same = true;
      for (std::size_t a = 0; a < cut.gpus.size(); ++a) {
        for (std::size_t b = 0; b < cut.gpus.size(); ++b) {
          same = same && (cut.between(a, b) == whole.between(a, b) || cut.between(a, b).kind == path_kind::unknown);
        }
        for (std::size_t n = 0; n < std::min(cut.nics.size(), whole.nics.size()); ++n) {
          if (cut.gpus.size() == whole.gpus.size()) {
            same = same && (cut.to_nic(a, n) == whole.to_nic(a, n) || cut.to_nic(a, n).kind == path_kind::unknown);
          }
        }
      }
      CAPTURE(length);
      REQUIRE(same);
      REQUIRE((cut.nvlink == whole.nvlink || cut.nvlink == import::nvlink_view::unknown));
    }
    CHECK(read > text.size() / 4);
  }
}

TEST_CASE("damage of a paste is read alike, or refused") {
  for (const auto& file : own_files) {
    const auto text = data_file("topo/" + file + ".txt");
    const auto whole = nvidia_smi_topo(text, "whole");
    const bool ended = text.ends_with('\n');
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(file);
      CAPTURE(damage);
      try {
        const auto node = nvidia_smi_topo(changed, "changed");
        check_postcondition(node);
        if (damage == "CRLF" || damage == "BOM" || damage == "tabs as blanks" || (ended && damage == "doubled lines") ||
            damage == "a blank line each") {
          CHECK(node.paths == whole.paths);
          CHECK(nics_of(node) == nics_of(whole));
          CHECK(node.nvlink == whole.nvlink);
        }
        if (damage == "CRLF" || damage == "BOM") CHECK(cpus_of(node) == cpus_of(whole));
      } catch (const parse_error& e) {
        CHECK_MESSAGE((damage == "NUL" || damage == "tabs lost" || damage == "lines lost" || damage == "upper half" ||
                       damage == "lower half" || damage == "long line" || damage == "long list" || damage == "twice" || !ended),
                      e.what());
      }
    }
  }
}

TEST_CASE("swapped columns are noticed") {
  const auto text = example_file("topo.txt");
  const auto swap = [&](std::string_view a, std::string_view b) {
    auto out = text;
    const auto i = out.find(a);
    const auto j = out.find(b);
    out.replace(j, b.size(), a);
    out.replace(i, a.size(), b);
    return out;
  };
  CHECK_THROWS_AS(nvidia_smi_topo(swap("GPU3", "GPU5"), "t"), parse_error);
  CHECK_THROWS_AS(nvidia_smi_topo(swap("NIC0", "NIC5"), "t"), parse_error);
  // Then the first line is no header any more, and the rows decide.
  CHECK(nvidia_smi_topo(swap("GPU0", "NIC0"), "t").paths == nvidia_smi_topo(text, "t").paths);
}

TEST_CASE("the reference outputs are read as their conclusions say, or refused with the right reason") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const std::vector<expectation> table = {
#include "nvidia_smi_topo_reference.inc"
  };
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const auto text = import::read_file(folder + "/corpus/nvidia-smi-topo/" + std::string(expected.file));
    const auto node = nvidia_smi_topo(text, std::string(expected.file));
    check(node, expected);
    check_postcondition(node);
  }
  const auto read = [&](const std::string& name) {
    return nvidia_smi_topo(import::read_file(folder + "/corpus/nvidia-smi-topo/" + name), name);
  };
  CHECK_THROWS_WITH_AS(read("p2p-n-8gpu-ok.txt"), doctest::Contains("P2P status matrix (`topo -p2p`)"), parse_error);
  CHECK_THROWS_WITH_AS(read("ppu-alibaba-lookalike-icn.txt"), doctest::Contains("another vendor's tool"), parse_error);
  CHECK(has_note(read("b200-8gpu-one-gpu-off-nvlink-no-header.txt").notes, "GPU2 has no NVLink", 3));
  CHECK(has_note(read("nv12-2gpu-cgroup-10nic-truncated.txt").notes, "NIC3: the row stops after 1 of 12 columns", 7));
  CHECK(has_note(read("nv18-8gpu-8bond-tail-only.txt").notes, "rows are missing: GPU0, GPU1, GPU2, GPU3, GPU4;", 1));
  CHECK(has_note(read("power9-ac922-4gpu-6hca-numa8.txt").notes, "mlx5_5: the row stops after 7 of 10 columns", 11));
  CHECK(has_note(read("topo-mp-8gpu-14nic-gap.txt").notes, "nothing is concluded", 0));
  CHECK(read("raw-ansi-windows-empty-affinity.txt").gpus[0].memory_numa == std::nullopt);
}

TEST_SUITE_END();

#include "peers.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace topoplan_bench {

namespace fs = std::filesystem;
using topoplan::detail::arrangement;
using topoplan::detail::slot_tree;
using topoplan::detail::unit_graph;

namespace {

// The tree as a regular one of its largest sizes, with the positions of its slots in that. Levels with one child each are
// refused by Scotch and left out.
void write_target(const slot_tree& tree, const fs::path& path) {
  const std::size_t levels = tree.levels();
  std::vector<std::uint32_t> width(levels, 1);            // children of a node at most; of level 0: slots
  std::vector<std::vector<std::uint32_t>> place(levels);  // [level][node]: among its siblings
  for (std::uint32_t n = 0; n < tree.nodes(0); ++n) width[0] = std::max(width[0], tree.begin[0][n + 1] - tree.begin[0][n]);
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    std::vector<std::uint32_t> children(tree.nodes(l + 1), 0);
    for (std::uint32_t n = 0; n < tree.nodes(l); ++n) place[l].push_back(children[tree.up[l][n]]++);
    width[l + 1] = *std::max_element(children.begin(), children.end());
  }
  place[levels - 1].assign(tree.nodes(levels - 1), 0);
  std::vector<std::uint64_t> at;
  for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) {
    std::uint64_t position = 0;
    for (std::size_t l = levels; l-- > 0;)
      position = position * (l + 1 < levels ? width[l + 1] : 1) + place[l][tree.node_of(slot, l)];
    at.push_back(position * width[0] + slot - tree.begin[0][tree.node_of(slot, 0)]);
  }
  std::ofstream out(path);
  out << "sub " << at.size();
  for (const std::uint64_t a : at) out << ' ' << a;
  std::string text;
  int count = 0;
  for (std::size_t l = levels; l-- > 0;)
    if (width[l] > 1) {
      text += ' ' + std::to_string(width[l]) + ' ' + std::to_string(std::max<std::int64_t>(1, tree.distance[l]));
      ++count;
    }
  out << "\ntleaf " << count << text << '\n';
}

}  // namespace

bool have_scotch() { return std::system("command -v scotch_gmap >/dev/null 2>&1") == 0; }

mapped scotch(const unit_graph& graph, const slot_tree& tree, int orders) {
  const char* tmp = std::getenv("TMPDIR");
  std::string folder = std::string(tmp != nullptr ? tmp : "/tmp") + "/topoplan-scotch-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return {};
  const fs::path base(folder);
  write_target(tree, base / "t.tgt");
  std::vector<std::uint32_t> number(graph.units());
  std::iota(number.begin(), number.end(), 0U);
  std::uint64_t seed = 7;
  mapped best;
  for (int round = 0; round < orders; ++round) {
    std::vector<std::uint32_t> unit_of(graph.units());
    for (std::uint32_t u = 0; u < number.size(); ++u) unit_of[number[u]] = u;
    {
      std::ofstream out(base / "g.grf");
      out << "0\n" << graph.units() << '\t' << graph.arcs.size() << "\n0\t010\n";
      for (std::uint32_t v = 0; v < graph.units(); ++v) {
        std::vector<std::pair<std::uint32_t, std::int64_t>> arcs;
        for (const unit_graph::arc& a : graph.of(unit_of[v]))
          arcs.emplace_back(number[a.to], std::max<std::int64_t>(1, a.weight));
        std::sort(arcs.begin(), arcs.end());
        out << arcs.size();
        for (const auto& [to, weight] : arcs) out << '\t' << weight << ' ' << to;
        out << '\n';
      }
    }
    const std::string command =
        "scotch_gmap " + folder + "/g.grf " + folder + "/t.tgt " + folder + "/o.map -cq -b0 >/dev/null 2>&1";
    const auto start = std::chrono::steady_clock::now();
    const bool ran = std::system(command.c_str()) == 0;
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best.seconds = round == 0 ? took : std::min(best.seconds, took);
    if (ran) {
      std::ifstream in(base / "o.map");
      std::uint32_t count = 0;
      in >> count;
      arrangement slot_of(graph.units(), ~std::uint32_t{0});
      std::vector<bool> taken(tree.slots(), false);
      bool legal = count == graph.units();
      for (std::uint32_t i = 0; i < count && legal; ++i) {
        std::uint32_t v = 0;
        std::uint32_t slot = 0;
        in >> v >> slot;
        legal = in && v < graph.units() && slot < tree.slots() && !taken[slot];
        if (!legal) break;
        taken[slot] = true;
        slot_of[unit_of[v]] = slot;
      }
      legal = legal && std::find(slot_of.begin(), slot_of.end(), ~std::uint32_t{0}) == slot_of.end();
      if (legal) {
        const std::int64_t cost = topoplan::detail::cost_of(graph, tree, slot_of);
        if (!best.cost || cost < *best.cost) best.cost = cost;
      }
    }
    for (std::size_t i = number.size(); i > 1; --i) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      std::swap(number[i - 1], number[(seed >> 33U) % i]);
    }
  }
  fs::remove_all(base);
  return best;
}

}  // namespace topoplan_bench

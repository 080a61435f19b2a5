// How fast a rank map is built, written, opened and turned into text, for 131,072 and 1,048,576 ranks; the bars stand beside.
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/emit/slurm.hpp>
#include <topoplan/emit/torchrun.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/rank_map/binary.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace topoplan;
namespace fs = std::filesystem;

bool all_met = true;

// The best of several runs, in seconds: what the machine does when nobody else uses it.
template <class Work> double best(int runs, const Work& work) {
  double least = 1e9;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

enum class bar { at_least, at_most, none };

void row(std::uint32_t ranks, std::string_view what, double value, std::string_view unit, bar kind = bar::none,
         double limit = 0) {
  std::printf("%9u  %-40.*s %10.3f %-5.*s", ranks, static_cast<int>(what.size()), what.data(), value,
              static_cast<int>(unit.size()), unit.data());
  if (kind != bar::none) {
    const bool met = kind == bar::at_least ? value >= limit : value <= limit;
    all_met = all_met && met;
    std::printf("  %s %g  %s", kind == bar::at_least ? ">=" : "<=", limit, met ? "met" : "MISSED");
  }
  std::printf("\n");
}

struct parts {
  layout l;
  std::vector<std::string> hosts;
  rank_columns columns;
};

// Hosts of eight GPUs whose launch order isn't that of their names.
parts make_parts(std::uint32_t ranks) {
  parts p{layout(resolve({.tp = 8, .pp = 16}, ranks), orders::megatron), {}, {}};
  const std::uint32_t hosts = ranks / 8;
  for (std::uint32_t h = 0; h < hosts; ++h) p.hosts.push_back("gpu-" + std::to_string(100000 + h * 7919 % hosts));
  for (std::uint32_t r = 0; r < ranks; ++r) {
    p.columns.host.push_back(r / 8);
    p.columns.gpu.push_back(static_cast<std::uint16_t>(r % 8));
    p.columns.domain.push_back(r / 8);
  }
  return p;
}

// An ostream to /dev/null still pays for every byte's formatting and copying.
template <class Emit> void text_row(std::uint32_t ranks, std::string_view what, const Emit& emit, double limit) {
  std::ofstream out("/dev/null");
  double bytes = 0;
  const double seconds = best(5, [&] {
    out.seekp(0);
    emit(out);
    out.flush();
  });
  std::ostringstream counted;
  emit(counted);
  bytes = static_cast<double>(counted.str().size());
  row(ranks, what, bytes / seconds / 1e6, "MB/s", limit > 0 ? bar::at_least : bar::none, limit);
}

void measure(std::uint32_t ranks, const fs::path& folder) {
  const parts p = make_parts(ranks);
  row(ranks, "build", best(5, [&] { (void)rank_map(p.l, p.hosts, p.columns); }) * 1e3, "ms");
  const rank_map map(p.l, p.hosts, p.columns);
  const auto bytes = static_cast<double>(map.image().size());
  row(ranks, "size", bytes / 1e6, "MB", bar::at_most, 30.0 * ranks / 1'048'576);
  const std::string path = (folder / "map.bin").string();
  row(ranks, "binary: write", bytes / best(11, [&] { write_rank_map(path, map); }) / 1e9, "GB/s", bar::at_least, 1);

  const std::string_view somewhere = map.host_name(host_id{map.hosts() * 2 / 3});
  row(ranks, "binary: open + first look-up",
      best(21,
           [&] {
             const mapped_rank_map file = open_rank_map(path);
             if (file.gpu_of(rank_id{ranks / 2 + 5}) != 5) std::abort();
           }) *
          1e3,
      "ms", bar::at_most, 1);
  row(ranks, "binary: open + all that a host asks",
      best(21,
           [&] {
             const mapped_rank_map file = open_rank_map(path);
             const host_id h = file.find_host(somewhere).value();
             for (const rank_id r : file.ranks_on(h))
               if (file.gpu_of(r) != file.local_rank_of(r)) std::abort();
           }) *
          1e3,
      "ms");
  row(ranks, "binary: open + check all + view", best(5, [&] { (void)open_rank_map(path).view(); }) * 1e3, "ms");
  text_row(ranks, "JSON", [&](std::ostream& out) { emit::rank_map_json(out, map); }, 150);
  text_row(ranks, "torchrun script", [&](std::ostream& out) { emit::torchrun(out, map); }, 0);
  text_row(ranks, "Slurm hostfile", [&](std::ostream& out) { emit::slurm_hostfile(out, map); }, 0);
}

}  // namespace

int main() {
  std::string name = (fs::temp_directory_path() / "topoplan-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 2;
  std::printf("%9s  %-40s %10s\n", "ranks", "what", "best");
  for (const std::uint32_t ranks : {131'072U, 1'048'576U}) measure(ranks, name);
  fs::remove_all(name);
  return all_met ? 0 : 1;
}

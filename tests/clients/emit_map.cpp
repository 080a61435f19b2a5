// Writes a small rank map and its launchers' files for the tests with real clients: emit_map FOLDER SHAPE HOST HOST...
// SHAPE is contiguous (four ranks on each host, consecutive, on its GPUs in reverse; tp, ep and pp are 2) or interleaved (two
// ranks on each host, which take turns; ep and pp are 2).
#include <topoplan/core/error.hpp>
#include <topoplan/emit/groups_json.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/emit/slurm.hpp>
#include <topoplan/emit/torchrun.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/megatron_groups.hpp>
#include <topoplan/rank_map/binary.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace topoplan;

rank_map make_map(const std::vector<std::string>& hosts, bool contiguous) {
  rank_columns c;
  const std::uint32_t per_host = contiguous ? 4 : 2;
  const auto count = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t r = 0; r < count * per_host; ++r) {
    c.host.push_back(contiguous ? r / per_host : r % count);
    c.gpu.push_back(static_cast<std::uint16_t>(contiguous ? per_host - 1 - r % per_host : r / count * 3 + c.host.back() % 2));
    c.domain.push_back(c.host.back());
    c.rail.push_back(c.gpu.back());
    c.uuid.push_back("GPU-" + hosts[c.host.back()] + "-" + std::to_string(c.gpu.back()));
  }
  const degrees d{.tp = contiguous ? 2U : 1U, .ep = 2, .pp = 2};
  return {layout(resolve(d, c.host.size()), orders::megatron), hosts, c, {{"spare-host", {0, 1, 2, 3}}}, {7, 0}};
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) throw invalid_argument("usage: emit_map FOLDER contiguous|interleaved HOST...");
  const std::filesystem::path folder = arguments[0];
  const rank_map map = make_map({arguments.begin() + 2, arguments.end()}, arguments[1] == "contiguous");
  const auto file = [&](const char* name) {
    std::filesystem::create_directories((folder / name).parent_path());
    return std::ofstream(folder / name);
  };
  {
    auto out = file("rank_map.json");
    const megatron::group_set groups(megatron::options_for(map.layout()));
    emit::rank_map_json(out, map, [&](std::ostream& at) { emit::groups_value(at, groups); });
  }
  write_rank_map((folder / "rank_map.bin").string(), map);
  {
    auto out = file("torchrun/run.sh");
    emit::torchrun(out, map);
  }
  auto hostfile = file("slurm/hostfile");
  emit::slurm_hostfile(hostfile, map);
  auto wrapper = file("slurm/wrapper.sh");
  emit::slurm_wrapper(wrapper, map);
  auto run = file("slurm/srun.sh");
  emit::slurm_run(run, map);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "emit_map: %s\n", e.what());
  return 2;
}

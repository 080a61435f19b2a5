#include "plan_input.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/import/rank_map_file.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/rank_map/binary.hpp>

#include <cstddef>
#include <filesystem>
#include <span>

namespace topoplan_cli {

namespace fs = std::filesystem;

topoplan::rank_map read_plan(const std::string& given) {
  std::string path = given;
  if (fs::is_directory(given)) {
    path = (fs::path(given) / "rank_map.bin").string();
    if (!fs::exists(path)) path = (fs::path(given) / "rank_map.json").string();
    if (!fs::exists(path)) throw topoplan::io_error(given, "no plan here: neither rank_map.bin nor rank_map.json");
  }
  // plan.json holds the map too; its neighbour is what is read.
  if (const fs::path map = fs::path(path).parent_path() / "rank_map.json";
      fs::path(path).filename() == "plan.json" && fs::exists(map))
    path = map.string();
  const std::string text = topoplan::import::read_file(path);
  const std::string source = topoplan::import::source_name(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return topoplan::import::rank_map_file(text, source);
  return topoplan::read_rank_map(std::as_bytes(std::span(text)), source);
}

}  // namespace topoplan_cli

#include <topoplan/core/error.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <unistd.h>

#include "commands.hpp"
#include "formats.hpp"
#include "output_directory.hpp"
#include "plan_input.hpp"

namespace topoplan_cli {
namespace {

using topoplan::invalid_argument;

void write_format(std::ostream& out, const std::string& name, const topoplan::rank_map& map) {
  if (name == "json") return write_rank_map_json(out, map, false);
  if (name == "binary") return write_image(out, map);
  for (const format& f : launcher_formats())
    if (f.name == name && !f.needs_cluster) return f.write(out, map, {});
  throw invalid_argument("--for " + name + ": unknown; known are " + emit_names());
}

}  // namespace

int run_emit(const emit_options& o, std::ostream& out) {
  const topoplan::rank_map map = read_plan(o.rank_map);
  if (o.out.empty()) {
    if (o.format == "binary" && ::isatty(STDOUT_FILENO) == 1) throw invalid_argument("--for binary isn't text; give --out FILE");
    std::ostringstream text;  // nothing is printed when the format refuses the map half-way
    write_format(text, o.format, map);
    out << text.view();
    return 0;
  }
  const auto& formats = launcher_formats();
  const bool executable =
      std::any_of(formats.begin(), formats.end(), [&](const format& f) { return f.name == o.format && f.executable; });
  write_file(o.out, {{}, [&](std::ostream& file) { write_format(file, o.format, map); }, executable}, o.force);
  return 0;
}

}  // namespace topoplan_cli

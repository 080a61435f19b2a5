#include <topoplan/emit/cluster_file.hpp>

#include <ostream>

#include "cluster_input.hpp"
#include "commands.hpp"
#include "report.hpp"

namespace topoplan_cli {

int run_show(const show_options& o, std::ostream& out) {
  const topoplan::cluster c = load_cluster(o.cluster);
  if (o.json) {
    topoplan::emit::cluster_file(out, c);
    return 0;
  }
  report_cluster(out, c);
  report_sources(out, c);
  return 0;
}

}  // namespace topoplan_cli

#include <topoplan/emit/cluster_file.hpp>

#include <ostream>
#include <vector>

#include "cluster_input.hpp"
#include "commands.hpp"
#include "report.hpp"

namespace topoplan_cli {

int run_show(const show_options& o, std::ostream& out) {
  std::vector<topoplan::import::host_facts> facts;
  const topoplan::cluster c = load_cluster(o.cluster, &facts);
  if (o.json) {
    topoplan::emit::cluster_file(out, c);
    return 0;
  }
  report_cluster(out, c);
  report_sources(out, c);
  if (o.sources) report_facts(out, facts);
  return 0;
}

}  // namespace topoplan_cli

// What the program tells a person about a cluster and a plan.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/plan.hpp>

#include <iosfwd>

namespace topoplan_cli {

void report_cluster(std::ostream& out, const topoplan::cluster& c);
// Where every figure of the cluster comes from.
void report_sources(std::ostream& out, const topoplan::cluster& c);
void report_job(std::ostream& out, const topoplan::layout& job, const topoplan::cluster& c);
void report_plan(std::ostream& out, const topoplan::plan& p, const topoplan::cluster& c);

}  // namespace topoplan_cli

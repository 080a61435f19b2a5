// What the program tells a person about a cluster and a plan.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/import/facts.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/verdict.hpp>

#include <iosfwd>
#include <vector>

namespace topoplan_cli {

void report_cluster(std::ostream& out, const topoplan::cluster& c);
// Where every figure of the cluster comes from.
void report_sources(std::ostream& out, const topoplan::cluster& c);
// Where every fact about every host comes from.
void report_facts(std::ostream& out, const std::vector<topoplan::import::host_facts>& facts);
void report_job(std::ostream& out, const topoplan::layout& job, const topoplan::cluster& c);
// Every rule, kept or broken, and where.
void report_rules(std::ostream& out, const topoplan::verdict& v);
void report_plan(std::ostream& out, const topoplan::plan& p, const topoplan::cluster& c);

}  // namespace topoplan_cli

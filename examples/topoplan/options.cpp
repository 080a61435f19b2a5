#include "options.hpp"

namespace topoplan_cli {
namespace {

const CLI::Validator gigabits{[](const std::string& text) {
                                double rate = 0;
                                return CLI::detail::lexical_cast(text, rate) && rate > 0 && rate < 1e6
                                           ? std::string{}
                                           : "'" + text + "' is no rate in Gb/s; give a number above 0, such as 400";
                              },
                              ""};

}  // namespace

CLI::Validator quietly(CLI::Validator check) { return check.description(""); }

void add_cluster_options(CLI::App& command, cluster_options& o) {
  constexpr auto group = "Cluster: a spec or file, or the files you have";
  command.add_option("files", o.files, "Files of any of the formats below, told by their content")->type_name("FILE ...");
  command.add_option("--cluster", o.cluster, "Spec such as dgx-h100:128 or gb200-nvl72:16, or a file that show --json printed")
      ->group(group)
      ->type_name("SPEC|FILE");
  command
      .add_option("--node-topology", o.node_topologies,
                  "How a host looks inside: 'nvidia-smi topo -m', NCCL or hwloc XML; 'nvidia-smi -q',\n"
                  "'nvlink -s', ibstat, ibv_devinfo and ibdev2netdev add to it. HOSTS=FILE: only those\n"
                  "hosts are so; repeatable")
      ->group(group)
      ->type_name("[HOSTS=]FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--network", o.networks,
                  "The switches above the hosts: Slurm topology.conf or .yaml, ibnetdiscover, iblinkinfo,\n"
                  "topograph, AWS, OCI, Lambda, Kubernetes nodes; repeatable for the subnets of a\n"
                  "rail-only fabric")
      ->group(group)
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--domains", o.domains,
                  "Which hosts share NVLink: 'pdsh nvidia-smi -q', Slurm blocks, labels nvidia.com/gpu.clique;\n"
                  "'none': not even where --network says it")
      ->group(group)
      ->type_name("FILE|none");
  command
      .add_option("--host-table", o.host_table, "Whose InfiniBand adapter each GUID is, where descriptions don't tell: GUID HOST")
      ->group(group)
      ->type_name("FILE");
  command.add_option("--hosts", o.hosts, "The allocation, in any order: a host file, or an expression such as gpu-[001-024]")
      ->group(group)
      ->type_name("FILE|HOSTLIST");
  command.add_option("--exclude", o.exclude, "Hosts to leave out")->group(group)->type_name("FILE|HOSTLIST");
  command.add_option("--gpu", o.gpu, "GPU product, such as h100-sxm; without it the rates are assumed")
      ->group(group)
      ->type_name("NAME");
  command.add_option("--nic", o.nic_gbits, "Rate of a NIC in Gb/s; without it the rate is assumed")
      ->group(group)
      ->type_name("GBITS")
      ->check(gigabits);
  command
      .add_option("--format", o.format,
                  "Format of a file, instead of recognising it by content; it goes to the option that takes it")
      ->group(group)
      ->type_name("NAME");
}

void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->check(
        CLI::Validator([](const std::string& text) { return text.empty() ? "the value is empty" : std::string{}; }, ""));
  }
}

CLI::Option* positive(CLI::App& command, const std::string& name, std::uint32_t& value, const std::string& help,
                      const char* group) {
  return command.add_option(name, value, help)
      ->group(group)
      ->type_name("N")
      ->check(quietly(CLI::Range(std::uint32_t{1}, std::uint32_t{1} << 31U)));
}

void add_job_options(CLI::App& command, job_options& o) {
  constexpr auto group = "Job";
  positive(command, "--tp", o.tp, "Tensor parallel degree", group)->capture_default_str();
  positive(command, "--cp", o.cp, "Context parallel degree", group)->capture_default_str();
  positive(command, "--ep", o.ep, "Expert parallel degree", group)->capture_default_str();
  positive(command, "--expert-tp", o.expert_tp, "Tensor parallel degree of the experts (default: as --tp)", group);
  positive(command, "--pp", o.pp, "Pipeline parallel degree", group)->capture_default_str();
  positive(command, "--dp", o.dp, "Data parallel degree (default: usable GPUs / (tp*cp*pp), no remainder); others are spares",
           group);
  command.add_option("--order", o.order, "Order of the axes in a rank number, fastest first")
      ->group(group)
      ->type_name("A-B-...")
      ->default_str("tp-cp-ep-dp-pp");
}

void add_confine_option(CLI::App& command, std::vector<std::string>& confine, const char* group) {
  command
      .add_option("--confine", confine,
                  "Keep every group of these axes inside one NVLink domain or host, such as ep=domain\n"
                  "or tp,cp=domain; repeatable (default: tp=domain; 'none' for no such rule)")
      ->group(group)
      ->type_name("AXES=domain|host")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<topoplan::confinement> confinements_of(const std::vector<std::string>& given) {
  std::vector<topoplan::confinement> rules;
  for (const std::string& rule : given)
    if (rule != "none") rules.push_back(topoplan::parse_confinement(rule));
  if (rules.size() < given.size() && given.size() > 1)
    throw topoplan::invalid_argument("--confine none stands beside other --confine rules; give one or the other");
  return rules;
}

}  // namespace topoplan_cli

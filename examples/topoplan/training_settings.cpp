#include "training_settings.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/cost/link_parameters.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

namespace topoplan_cli {
namespace {

using namespace topoplan;
using apply_function = std::function<std::string(run_settings&, const std::string&)>;

constexpr auto batch = "Training, batch and schedule";
constexpr auto states = "Training, number formats, memory, optimizer";
constexpr auto software = "Training, software";
constexpr auto fabric = "Fabric";

template <class Number> bool read(const std::string& text, Number& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

template <class Set> apply_function count(std::uint32_t least, std::uint32_t most, Set set) {
  return [=](run_settings& s, const std::string& text) {
    std::uint32_t value = 0;
    if (!read(text, value) || value < least || value > most)
      return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    set(s, value);
    return std::string{};
  };
}

template <class Set> apply_function number(double least, double most, const char* expected, Set set) {
  return [=](run_settings& s, const std::string& text) {
    double value = 0;
    if (!read(text, value) || !(value >= least && value <= most)) return std::string(expected);
    set(s, value);
    return std::string{};
  };
}

template <class Set> apply_function two_or_four(Set set) {
  return [=](run_settings& s, const std::string& text) {
    if (text != "2" && text != "4") return std::string("2 or 4");
    set(s, static_cast<std::uint8_t>(text == "2" ? 2 : 4));
    return std::string{};
  };
}

template <class Set> apply_function flag(Set set) {
  return [=](run_settings& s, const std::string& text) {
    if (!text.empty() && text != "true") return std::string("true, or leave it out");
    set(s);
    return std::string{};
  };
}

// One of the names of an enumeration with values 0 ... size-1.
template <class Value, class Set> apply_function choice(std::size_t size, Set set) {
  return [=](run_settings& s, const std::string& text) {
    std::string known;
    for (std::size_t i = 0; i < size; ++i) {
      const auto value = static_cast<Value>(i);
      if (text == to_string(value)) {
        set(s, value);
        return std::string{};
      }
      (known += known.empty() ? "" : i + 1 == size ? " or " : ", ") += to_string(value);
    }
    return known;
  };
}

apply_function overlap(toggle training::* which) {
  return [=](run_settings& s, const std::string& text) {
    if (text != "on" && text != "off") return std::string("on or off");
    s.training.*which = text == "on" ? toggle::on : toggle::off;
    return std::string{};
  };
}

// The names of an enumeration as a help text shows them.
template <class Value> std::string names_of(std::size_t size) {
  std::string all;
  for (std::size_t i = 0; i < size; ++i) (all += i == 0 ? "" : i + 1 == size ? " or " : ", ") += to_string(static_cast<Value>(i));
  return all;
}

void add_batch(std::vector<setting>& all) {
  constexpr std::uint32_t many = 1U << 30U;
  all.push_back({"--seq-length", batch, "N", "Tokens of a sample (default: 4096)",
                 count(1, many, [](run_settings& s, std::uint32_t n) { s.training.sequence = n; })});
  all.push_back({"--micro-batch-size", batch, "N", "Samples of one pass of one replica (default: 1)",
                 count(1, many, [](run_settings& s, std::uint32_t n) { s.training.micro_batch = n; })});
  all.push_back({"--global-batch-size", batch, "N", "Samples of one step of the job (default: one micro-batch a replica)",
                 count(1, many, [](run_settings& s, std::uint32_t n) { s.training.global_batch = n; })});
  all.push_back({"--num-virtual-stages-per-pipeline-rank,--vpp", batch, "N", "Model chunks of a pipeline stage (default: 1)",
                 count(1, 1024, [](run_settings& s, std::uint32_t n) { s.training.virtual_stages = n; })});
  all.push_back({"--decoder-first-pipeline-num-layers", batch, "N", "Layers of the first stage (default: an even share)",
                 count(1, 100'000, [](run_settings& s, std::uint32_t n) { s.training.first_stage_layers = n; })});
  all.push_back({"--decoder-last-pipeline-num-layers", batch, "N", "Layers of the last stage (default: an even share)",
                 count(1, 100'000, [](run_settings& s, std::uint32_t n) { s.training.last_stage_layers = n; })});
  all.push_back({"--account-for-ends", batch, "",
                 "Embedding, head and multi-token prediction each take the place of a layer; Megatron-LM\nhas it as the next two",
                 flag([](run_settings& s) { s.embedding_counts = s.loss_counts = true; })});
  all.push_back({"--account-for-embedding-in-pipeline-split", batch, "", "The embedding's half of it; goes with the next",
                 flag([](run_settings& s) { s.embedding_counts = true; })});
  all.push_back({"--account-for-loss-in-pipeline-split", batch, "", "The head's half of it",
                 flag([](run_settings& s) { s.loss_counts = true; })});
}

void add_states(std::vector<setting>& all) {
  all.push_back({"--precision", states, "NAME", "Of the linear layers: " + names_of<precision>(5) + " (default: bf16)",
                 choice<precision>(5, [](run_settings& s, precision p) { s.training.precision = p; })});
  all.push_back({"--recompute-granularity", states, "NAME",
                 "What the backward pass computes again: " + names_of<recomputation>(4) + "\n(default: none)",
                 choice<recomputation>(4, [](run_settings& s, recomputation r) { s.training.recompute = r; })});
  all.push_back({"--sharding", states, "NAME", "Of states over replicas: " + names_of<sharding>(5) + "\n(default: zero1)",
                 choice<sharding>(5, [](run_settings& s, sharding v) { s.sharding = v; })});
  all.push_back({"--use-distributed-optimizer", states, "", "Megatron-LM's name for --sharding zero1",
                 flag([](run_settings& s) { s.distributed_optimizer = true; })});
  all.push_back({"--optimizer", states, "NAME", names_of<optimizer_kind>(5) + "\n(default: adam)",
                 choice<optimizer_kind>(5, [](run_settings& s, optimizer_kind o) { s.training.optimizer = o; })});
  all.push_back({"--no-master-weights", states, "", "No 32-bit copies of 16-bit parameters",
                 flag([](run_settings& s) { s.training.master_weights = false; })});
  all.push_back({"--grad-bytes", states, "2|4", "Bytes of an accumulated gradient (default: 4)",
                 two_or_four([](run_settings& s, std::uint8_t n) { s.training.gradient_bytes = n; })});
  all.push_back({"--grad-reduce-bytes", states, "2|4", "Bytes of a gradient on the wire (default: 4)",
                 two_or_four([](run_settings& s, std::uint8_t n) { s.training.reduction_bytes = n; })});
  all.push_back({"--lora", states, "", "Train adapters of low rank beside frozen weights",
                 flag([](run_settings& s) { s.training.tuning = finetuning::lora; })});
  all.push_back({"--qlora", states, "", "The same with the frozen weights in 4 bits",
                 flag([](run_settings& s) { s.training.tuning = finetuning::qlora; })});
  all.push_back({"--lora-rank", states, "N", "Rank of the adapters (default: 16)",
                 count(1, 65536, [](run_settings& s, std::uint32_t n) { s.lora_rank = n; })});
}

void add_software(std::vector<setting>& all) {
  all.push_back({"--software", software, "NAME",
                 "Which overlaps and fusions there are: " + names_of<software_profile>(4) + "\n(default: megatron-core)",
                 choice<software_profile>(4, [](run_settings& s, software_profile p) { s.training.software = p; })});
  all.push_back({"--sequence-parallel", software, "",
                 "Norms and residuals split over the tensor parallel ranks (default with tp > 1)",
                 flag([](run_settings& s) { s.sequence_parallel = true; })});
  all.push_back({"--no-sequence-parallel", software, "", "Not so", flag([](run_settings& s) { s.sequence_parallel = false; })});
  all.push_back({"--overlap-tp", software, "on|off",
                 "Tensor parallel communication behind matrix multiplications (default: as\n--software has it)",
                 overlap(&training::tp_overlap)});
  all.push_back({"--overlap-dp", software, "on|off", "Gradient reduction and parameter gathering behind compute",
                 overlap(&training::dp_overlap)});
  all.push_back({"--overlap-ep", software, "on|off", "All-to-all of experts behind another micro-batch's compute",
                 overlap(&training::expert_overlap)});
  all.push_back({"--overlap-pp", software, "on|off", "Sends and receives between stages behind compute",
                 overlap(&training::pipeline_overlap)});
  all.push_back({"--cross-entropy-loss-fusion", software, "",
                 "The loss keeps one copy of the logits (default: as --software has it)",
                 flag([](run_settings& s) { s.training.fused_loss = toggle::on; })});
  all.push_back({"--no-cross-entropy-loss-fusion", software, "", "Not so",
                 flag([](run_settings& s) { s.training.fused_loss = toggle::off; })});
  all.push_back({"--cp-unbalanced", software, "", "Context parallel ranks hold plain slices of the causal sequence",
                 flag([](run_settings& s) { s.training.cp_balanced = false; })});
  all.push_back(
      {"--release-factor", software, "F",
       "Overheads of experts over those of the calibration; below 1 for newer software (default: 1)",
       number(0.01, 100, "a number from 0.01 to 100", [](run_settings& s, double f) { s.training.release_factor = f; })});
}

void add_fabric(std::vector<setting>& all) {
  all.push_back(
      {"--fabric", fabric, "CLASS",
       "What joins NVLink domains, in place of what the cluster says, such as infiniband-ndr,\nroce, efa-v2 or ethernet-tcp",
       choice<fabric_class>(fabric_class_count, [](run_settings& s, fabric_class f) { s.fabric.fabric = f; })});
  all.push_back({"--paths", fabric, "ecmp|adaptive",
                 "How flows spread over equal paths (default: as where the class was measured)",
                 [](run_settings& s, const std::string& text) {
                   if (text != "ecmp" && text != "adaptive") return std::string("ecmp or adaptive");
                   s.fabric.paths = text == "ecmp" ? path_choice::ecmp : path_choice::adaptive;
                   return std::string{};
                 }});
  all.push_back({"--no-gpudirect", fabric, "", "NICs don't reach GPU memory: data pass through the host's",
                 flag([](run_settings& s) { s.fabric.gpudirect = false; })});
  all.push_back({"--untuned", fabric, "", "RoCE without PFC and ECN set up, or with few queue pairs",
                 flag([](run_settings& s) { s.fabric.tuned = false; })});
  all.push_back({"--no-sharp", fabric, "", "Switches don't reduce, also where they could",
                 flag([](run_settings& s) { s.fabric.sharp = false; })});
  all.push_back({"--power", fabric, "WATTS", "Power cap of a GPU below its own (default: none)",
                 number(1, 1e5, "watts, a number from 1 to 100000", [](run_settings& s, double w) { s.power_watts = w; })});
}

std::string plain_name(std::string_view name) {
  while (name.starts_with('-')) name.remove_prefix(1);
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '_', '-');
  return plain;
}

}  // namespace

const std::vector<setting>& all_settings() {
  static const std::vector<setting> all = [] {
    std::vector<setting> settings;
    add_batch(settings);
    add_states(settings);
    add_software(settings);
    add_fabric(settings);
    return settings;
  }();
  return all;
}

const setting* find_setting(std::string_view name) {
  const std::string wanted = plain_name(name);
  for (const setting& s : all_settings()) {
    for (std::size_t at = 0; at <= s.names.size();) {
      const std::size_t end = std::min(s.names.find(',', at), s.names.size());
      if (plain_name(std::string_view(s.names).substr(at, end - at)) == wanted) return &s;
      at = end + 1;
    }
  }
  return nullptr;
}

run_settings settings_of(const given_settings& given) {
  run_settings out;
  for (const auto& [name, value] : given) {
    const setting* s = find_setting(name);
    if (s == nullptr) throw invalid_argument("there is no setting " + quoted(name));
    if (const std::string expected = s->apply(out, value); !expected.empty())
      throw invalid_argument(s->names.substr(0, s->names.find(',')) + ' ' + quoted(value) + ": expected " + expected);
  }
  return out;
}

training training_of(const run_settings& s, const resolved_degrees& d) {
  training t = s.training;
  t.sequence_parallel = s.sequence_parallel.value_or(d.tp > 1);
  if (s.embedding_counts != s.loss_counts)
    throw invalid_argument(
        "--account-for-embedding-in-pipeline-split and --account-for-loss-in-pipeline-split go together here: both ends count as "
        "a "
        "layer, or neither; give both");
  t.ends_count_as_layers = s.embedding_counts;
  if (s.distributed_optimizer && s.sharding && *s.sharding != sharding::zero1)
    throw invalid_argument("--use-distributed-optimizer is --sharding zero1, and --sharding " +
                           std::string(to_string(*s.sharding)) + " is given too; give one of them");
  if (s.sharding) t.sharding = *s.sharding;
  if (s.lora_rank) {
    if (t.tuning == finetuning::full) throw invalid_argument("--lora-rank is about adapters; give --lora or --qlora too");
    t.lora_rank = *s.lora_rank;
  }
  return t;
}

}  // namespace topoplan_cli

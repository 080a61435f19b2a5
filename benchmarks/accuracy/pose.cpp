// Cells of a row to model, settings, degrees, machine and measured time.
#include "pose.hpp"

#include <topoplan/cluster/hardware.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/legality.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "defaults.hpp"
#include "models.hpp"

namespace accuracy {

namespace {

using namespace topoplan;

// Cells of one row, and the blanks that were filled.
class cells {
 public:
  cells(const csv_table& table, std::size_t row) : table_(table), row_(row) {}

  [[nodiscard]] std::string_view text(const char* column) const { return table_.at(row_, column); }
  [[nodiscard]] bool blank(const char* column) const { return text(column).empty(); }
  [[nodiscard]] double number(const char* column) const { return table_.number(row_, column, 0); }
  [[nodiscard]] std::uint32_t count(const char* column) const {
    const double value = number(column);
    return value > 0 ? static_cast<std::uint32_t>(value + 0.5) : 0;
  }
  // A degree: 1 where the cell is blank.
  [[nodiscard]] std::uint32_t degree(const char* column) const { return std::max(1U, count(column)); }

 private:
  const csv_table& table_;
  std::size_t row_;
};

[[nodiscard]] std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

[[nodiscard]] bool digit(char c) { return c >= '0' && c <= '9'; }

// The number that ends right before `at`; nothing if there is none.
[[nodiscard]] std::optional<double> number_before(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && (digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  double value = 0;
  if (begin == end || std::from_chars(text.data() + begin, text.data() + end, value).ec != std::errc{}) return {};
  return value;
}

// The number that begins right behind the first `word`; nothing if there is none.
[[nodiscard]] std::optional<double> number_after(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  if (at == text.npos) return {};
  at += word.size();
  while (at < text.size() && text[at] == ' ') ++at;
  double value = 0;
  if (std::from_chars(text.data() + at, text.data() + text.size(), value).ec != std::errc{}) return {};
  return value;
}

void fill(posed_run& run, std::string_view what) {
  if (!run.assumed.empty()) run.assumed += ", ";
  run.assumed += what;
}

// --- Machine ---------------------------------------------------------------------------------------------------------------

struct gpu_word {
  std::string_view words, gpu, family;
};
// The first entry of which a word stands in the small letters of the cell counts.
constexpr gpu_word gpu_words[] = {
    {"gb300", "gb300", "GB200"},         {"gb200", "gb200", "GB200"},    {"b300", "b300-sxm", "B200"},
    {"b200", "b200-sxm", "B200"},        {"h200", "h200-sxm", "H100"},   {"h800", "h800-sxm", "H100"},
    {"h100", "h100-sxm", "H100"},        {"selene", "a100-sxm", "A100"}, {"a100-40|a100_40|40gb", "a100-sxm-40gb", "A100"},
    {"a100|ampere", "a100-sxm", "A100"},
};

[[nodiscard]] bool read_machine(const cells& row, posed_run& run, std::string& why) {
  const std::string gpu = small(row.text("gpu_type"));
  for (const gpu_word& w : gpu_words) {
    if (!says(gpu, w.words)) continue;
    run.gpu = w.gpu;
    run.family = w.family;
    break;
  }
  if (run.gpu.empty()) {
    why = "GPU not known: " + std::string(row.text("gpu_type"));
    return false;
  }
  const bool grace = run.family == "GB200";
  run.gpus_per_host = row.blank("gpus_per_node") ? (grace ? 4 : 8) : row.count("gpus_per_node");
  run.domain_gpus = grace ? 72 : run.gpus_per_host;
  // Whole hosts, as many of each domain; a job smaller than a domain has one.
  const std::uint32_t gpus = row.count("n_gpus");
  run.used_domain_gpus = std::min(run.domain_gpus, std::max(1U, gpus));
  while (run.used_domain_gpus > run.gpus_per_host &&
         (gpus % run.used_domain_gpus != 0 || run.used_domain_gpus % run.gpus_per_host != 0))
    --run.used_domain_gpus;
  if (const std::size_t at = gpu.find('w'); at != gpu.npos) {
    const auto watts = number_before(gpu, at);
    if (watts && *watts < find_gpu(run.gpu).power.value) run.power_watts = *watts;
  }
  if (const std::size_t at = gpu.find("gb "); at != gpu.npos) {
    const auto size = number_before(gpu, at);
    if (size && *size > 1 && std::abs(*size - find_gpu(run.gpu).memory.value) > 1) run.memory_gigabytes = *size;
  }
  // Six stacks of HBM2e with 1024 pins at 3.2 Gbit/s.
  if (run.family == "H100" && says(gpu, "hbm2e")) run.memory_gigabytes_per_second = 2458;

  const std::string_view nic = row.text("nic");
  run.nic_gigabytes = default_nic_gigabytes(run.gpu);
  const auto links = [&]() -> double {
    const std::size_t x = nic.find('x');
    const auto n = x == nic.npos ? std::nullopt : number_before(nic, x);
    return n ? *n : 1;
  };
  std::optional<double> rate;
  if (const std::size_t at = nic.find("GB/s"); at != nic.npos) {
    if (const auto each = number_before(nic, at)) rate = *each * links() / run.gpus_per_host;
  } else if (const std::size_t gb = nic.find("Gb/s"); gb != nic.npos) {
    if (const auto all = number_before(nic, gb)) rate = *all / 8 / (says(nic, "per GPU") ? 1 : run.gpus_per_host);
  } else if (says(nic, "Omni-Path")) {
    rate = links() * 100 / 8 / run.gpus_per_host;
  } else {
    for (std::size_t g = nic.find('G'); g != nic.npos && !rate; g = nic.find('G', g + 1))
      if (g > 0 && digit(nic[g - 1]))
        if (const auto each = number_before(nic, g)) rate = *each * links() / 8 / run.gpus_per_host;
  }
  run.nic_stated = rate.has_value();
  if (rate) run.nic_gigabytes = *rate;
  run.fabric = says(nic, "RoCE")                        ? "roce"
               : says(nic, "InfiniBand|IB|HDR|NDR|XDR") ? "infiniband"
               : says(nic, "Omni-Path")                 ? "omni-path"
               : says(nic, "EFA")                       ? "efa"
               : says(nic, "TCPX")                      ? "tcpx"
               : says(nic, "thernet")                   ? "ethernet"
                                                        : "";
  if (says(nic, "oversubscribed"))
    if (const auto by = number_after(nic, "1:")) run.oversubscription = {*by};
  if (const auto pod = number_after(nic, "pod ")) run.pod_gpus = static_cast<std::uint32_t>(*pod);
  return true;
}

// --- Settings --------------------------------------------------------------------------------------------------------------

[[nodiscard]] bool read_precision(std::string_view cell, topoplan::precision& out) {
  const std::string text = small(cell);
  if (says(text, "nvfp4|fp4")) out = precision::nvfp4;
  // "FP8-CS (FP8-MX)": the first of two paired values.
  else if (text.starts_with("mxfp8") || text.starts_with("fp8-mx")) out = precision::mxfp8;
  else if (says(text, "fp8|float8")) out = precision::fp8;
  else if (says(text, "bf16")) out = precision::bf16;
  else if (text.empty() || says(text, "fp16|16-bit|mixed|amp")) out = precision::fp16;
  else return false;
  return true;
}

[[nodiscard]] bool read_recompute(std::string_view cell, const software_defaults& software, topoplan::recomputation& out) {
  const std::string text = small(cell);
  if (text.empty()) out = software.blank_recompute;
  else if (text.starts_with("none") || text == "no") out = recomputation::none;
  else if (text.starts_with("full")) out = recomputation::full;
  else if (text.starts_with("selective")) out = software.selective;
  else return false;
  return true;
}

// True if a list of modules to recompute holds the whole block of experts.
[[nodiscard]] bool recomputes_experts(std::string_view cell) { return says(small(cell), " moe)|(moe)|(moe,| moe,"); }

// The level nearest to computing the experts again, by their part of a layer's forward pass.
[[nodiscard]] topoplan::recomputation level_of_experts(const posed_run& run) {
  const layer_flops f = forward_flops(run.model_shape.kinds[run.model_shape.layers.back()], run.model_shape.hidden,
                                      run.training.sequence, attention_pairs::causal);
  return (f.routed_experts + f.shared_experts) / f.total() > 0.3 ? recomputation::half : recomputation::selective;
}

[[nodiscard]] bool read_sharding(std::string_view cell, const software_defaults& software, bool pipeline,
                                 topoplan::sharding& out) {
  if (cell.empty()) out = software.blank_sharding;
  else if (cell == "none") out = sharding::none;
  else if (cell.starts_with("DDP")) out = software.ddp;
  else if (cell.starts_with("ZeRO-1") || cell.starts_with("distributed optimizer")) out = sharding::zero1;
  else if (cell.starts_with("ZeRO-2")) out = sharding::zero2;
  else if (cell.starts_with("ZeRO-3")) out = sharding::zero3;
  else if (says(cell, "SHARD_GRAD_OP|no reshard")) out = sharding::zero3_kept;
  // FSDP2 keeps the parameters of a pipeline stage.
  else if (says(cell, "FSDP"))
    out = pipeline && software.as_many_micro_batches_as_stages ? sharding::zero3_kept : sharding::zero3;
  else return false;
  return true;
}

void read_overlaps(std::string_view notes, const software_defaults& software, training& t) {
  const std::string text = small(notes);
  t.tp_overlap = software.tp_overlap;
  t.fused_loss = software.fused_loss;
  t.dp_overlap = software.dp_overlap;
  // What is asynchronous is the all-reduce; the gathers of sequence parallelism aren't.
  if (software.asynchronous_tp_gradient) t.tp_overlap = t.sequence_parallel ? toggle::off : toggle::on;
  if (says(text, "asynctp|async tp|tp overlap|tp and pp communication overlapped")) t.tp_overlap = toggle::on;
  if (says(text, "vanilla tp")) t.tp_overlap = toggle::off;
  if (says(text, "all-reduce not overlapped|no gradient bucketing")) t.dp_overlap = toggle::off;
  if (says(text, "dp, tp and pp communication overlapped")) t.dp_overlap = t.pipeline_overlap = toggle::on;
  if (says(text, "a2a overlap|all-to-all overlap")) t.expert_overlap = toggle::on;
}

// How layers are laid over stages where they don't divide.
void read_layout(std::string_view notes, posed_run& run) {
  training& t = run.training;
  const auto layers = static_cast<std::uint32_t>(run.model_shape.layers.size());
  const std::uint32_t pp = run.degrees.pp;
  const std::uint32_t chunks = pp * std::max(1U, t.virtual_stages);
  if (pp <= 1 || layers % chunks == 0) return;
  if ((layers + 2) % chunks == 0) {
    t.ends_count_as_layers = true;
    fill(run, "embedding and head take the place of a layer each");
  } else if (const auto last = number_after(notes, "last stage "); last && t.virtual_stages <= 1) {
    t.last_stage_layers = static_cast<std::uint32_t>(*last);
    fill(run, "layers of the last stage from the note");
  } else if ((layers + 3) % chunks == 0) {
    // Head, loss and prediction layer take the place of three layers at the end.
    if (t.virtual_stages <= 1) {
      t.first_stage_layers = (layers + 3) / pp;
      t.last_stage_layers = layers - (pp - 1) * t.first_stage_layers;
    } else {
      t.ends_count_as_layers = true;
    }
    fill(run, "the end of the last stage takes the place of three layers");
  } else if (t.virtual_stages <= 1 && t.software == software_profile::megatron_2021 &&
             layers > (layers + pp - 1) / pp * (pp - 1)) {
    t.first_stage_layers = (layers + pp - 1) / pp;
    t.last_stage_layers = layers - (pp - 1) * t.first_stage_layers;
    fill(run, "the last stage holds what is left");
  } else {
    fill(run, "longer stages in the middle");
  }
}

[[nodiscard]] bool read_settings(const cells& row, const software_defaults& software, posed_run& run, std::string& why) {
  training& t = run.training;
  const std::string_view notes = row.text("notes");
  t.software = software.software;
  t.sequence = row.count("seq_len");
  if (t.sequence == 0) {
    t.sequence = 4096;
    fill(run, "sequence 4096");
  }
  t.global_batch = row.count("global_batch");
  if (t.global_batch == 0) {
    why = "global batch not stated";
    return false;
  }
  const auto refuse = [&](const char* column) {
    why = std::string(column) + " not understood: " + std::string(row.text(column));
    return false;
  };
  if (!read_precision(row.text("precision"), t.precision)) return refuse("precision");
  if (!read_recompute(row.text("recompute"), software, t.recompute)) return refuse("recompute");
  if (!read_sharding(row.text("zero_dist_opt"), software, run.degrees.pp > 1, t.sharding)) return refuse("zero_dist_opt");
  if (run.moe && recomputes_experts(row.text("recompute"))) {
    t.recompute = level_of_experts(run);
    fill(run, "recomputed experts count as " + std::string(to_string(t.recompute)));
  }
  if (row.blank("zero_dist_opt")) fill(run, "sharding " + std::string(to_string(t.sharding)));
  t.micro_batch = row.count("micro_batch");
  if (t.micro_batch == 0) {
    const std::uint32_t local = t.global_batch / run.degrees.dp;
    const bool by_stages = software.as_many_micro_batches_as_stages && run.degrees.pp > 1 && local % run.degrees.pp == 0;
    t.micro_batch = by_stages ? local / run.degrees.pp : 1;
    fill(run, "micro-batch " + std::to_string(t.micro_batch));
  }
  t.virtual_stages = row.count("vpp");
  if (t.virtual_stages == 0) {
    const std::string text = small(notes);
    t.virtual_stages = run.degrees.pp <= 1                                           ? 1
                       : says(text, "interleaved") && !says(text, "non-interleaved") ? 2
                                                                                     : software.virtual_stages;
    if (run.degrees.pp > 1) fill(run, "vpp " + std::to_string(t.virtual_stages));
  }
  if (run.degrees.pp <= 1) t.virtual_stages = 1;
  t.sequence_parallel =
      run.degrees.tp > 1 && (row.blank("seq_parallel") ? software.sequence_parallel : row.text("seq_parallel") == "yes");
  t.gradient_bytes = software.gradient_bytes;
  t.reduction_bytes = software.reduction_bytes;
  // DeepSpeed's BF16 optimizer holds 32-bit gradients beside the 16-bit ones and reduces them.
  if (t.software == software_profile::megatron_2021 && t.precision == precision::bf16) {
    t.gradient_bytes = 6;
    t.reduction_bytes = 4;
  }
  if (software.half_precision_states) {
    t.optimizer = optimizer_kind::adam_bf16_moments;
    t.master_weights = false;
  }
  t.cp_balanced = software.cp_balanced;
  run.asynchronous_tp_gradient = software.asynchronous_tp_gradient;
  run.memory_reading = software.memory_reading;
  if (says(std::string(row.text("model")) + " " + std::string(notes), "QLoRA")) t.tuning = finetuning::qlora;
  else if (says(std::string(row.text("model")) + " " + std::string(notes), "LoRA")) t.tuning = finetuning::lora;
  read_overlaps(notes, software, t);
  if (const auto release = number_after(notes, "container ")) run.release = *release;

  const recipe* published = recipe_of(software, folded_name(row.text("model")), run.gpu, to_string(t.precision), run.release,
                                      t.micro_batch, run.degrees.ep);
  if (published != nullptr) {
    if (row.blank("recompute")) t.recompute = published->recompute;
    const bool fully = t.sharding == sharding::zero3 || t.sharding == sharding::zero3_kept;
    if (published->sharding && (row.blank("zero_dist_opt") || fully)) t.sharding = *published->sharding;
    if (published->expert_overlap && t.expert_overlap == toggle::by_profile) t.expert_overlap = toggle::on;
    if (published->fused_experts) t.release_factor = fused_expert_factor;
    fill(run, "recipe: " + std::string(published->why));
  } else if (row.blank("recompute")) {
    fill(run, "recompute " + std::string(to_string(t.recompute)));
  }
  // DeepEP routes, permutes and sends in fused kernels.
  if (says(notes, "DeepEP")) t.release_factor = std::min(t.release_factor, fused_expert_factor);
  return true;
}

// --- Degrees and model -----------------------------------------------------------------------------------------------------

[[nodiscard]] bool read_degrees(const cells& row, bool experts, posed_run& run, std::string& why) {
  if (row.blank("tp") || row.blank("pp")) {
    why = "tp and pp not stated";
    return false;
  }
  const std::uint32_t gpus = row.count("n_gpus");
  if (gpus == 0) {
    why = "number of GPUs not stated";
    return false;
  }
  degrees d{.tp = row.degree("tp"), .cp = row.degree("cp"), .dp = row.count("dp"), .pp = row.degree("pp")};
  if (experts) {
    d.expert_tp = 1;
    d.ep = row.count("ep");
    if (d.ep == 0) {
      // Fully sharded layers of experts are spread over up to 64 GPUs.
      d.ep = std::max(1U, std::min(gpus / d.tp / d.cp / d.pp, 64U));
      fill(run, "ep " + std::to_string(d.ep));
    }
  }
  try {
    run.degrees = resolve(d, gpus);
  } catch (const topoplan::error& e) {
    why = e.what();
    return false;
  }
  return true;
}

[[nodiscard]] std::uint32_t read_vocabulary(std::string_view cell) {
  if (cell.starts_with('~')) return 0;  // a round figure: the table of models knows the right one, or the default does
  double value = 0;
  return std::from_chars(cell.data(), cell.data() + cell.size(), value).ec == std::errc{} ? static_cast<std::uint32_t>(value) : 0;
}

// Whether the embedding is used twice: as the printed size says, where that decides it.
void settle_tied_embeddings(double billions, posed_run& run) {
  transformer other = run.model_shape;
  if (billions <= 0 || !other.tied_embeddings) return;
  other.tied_embeddings = false;
  const double off = std::abs(static_cast<double>(parameters_of(run.model_shape).total()) / 1e9 - billions);
  const double off_other = std::abs(static_cast<double>(parameters_of(other).total()) / 1e9 - billions);
  if (off_other < 0.5 * off) run.model_shape = std::move(other);
}

[[nodiscard]] bool read_model(const cells& row, const software_defaults& software, posed_run& run, std::string& why) {
  const std::string_view notes = row.text("notes");
  model_cells m;
  m.name = row.text("model");
  m.layers = row.count("layers");
  m.hidden = row.count("hidden");
  m.mlp = row.count("ffn_hidden");
  m.heads = row.count("heads");
  m.kv_heads = row.count("kv_heads");
  m.vocabulary = read_vocabulary(row.text("vocab"));
  m.experts = row.count("moe_experts");
  m.top_k = row.count("moe_topk");
  m.positions = row.count("seq_len");
  m.prediction = software.prediction_layers ? !says(notes, "w/o MTP") : says(notes, "w/ MTP");
  m.parallel_block = says(notes, "parallel block") || notes.starts_with("MegaScale;");
  model_shape found = shape_of(m);
  if (!found.shape) {
    why = found.why;
    return false;
  }
  run.model_shape = std::move(*found.shape);
  if (!found.assumed.empty()) fill(run, found.assumed);
  settle_tied_embeddings(row.number("params_B"), run);
  run.moe = std::any_of(run.model_shape.kinds.begin(), run.model_shape.kinds.end(),
                        [](const layer_kind& k) { return k.feed_forward == feed_forward_kind::experts; });
  return true;
}

// --- What was measured -----------------------------------------------------------------------------------------------------

// Operations of one step as Narayanan et al. count them, full recomputation included.
// source: arXiv 2104.04473, equation 3.
[[nodiscard]] double hardware_flops_of_step(const posed_run& run) {
  const double layers = static_cast<double>(run.model_shape.layers.size());
  const double h = run.model_shape.hidden;
  const double s = run.training.sequence;
  return 96.0 * run.training.global_batch * s * layers * h * h *
         (1 + s / (6 * h) + run.model_shape.vocabulary / (16 * layers * h));
}

void read_measurements(const cells& row, const software_defaults& software, posed_run& run) {
  const double gpus = static_cast<double>(run.degrees.world());
  const double tokens = static_cast<double>(run.training.global_batch) * run.training.sequence;
  const double rate = row.number("measured_tokens_per_s_per_gpu");
  const double teraflops = row.number("measured_tflops_per_gpu");
  const std::string_view definition = row.text("tflops_definition");
  run.out_of_memory = says(row.text("notes"), "OUT OF MEMORY");
  if (rate > 0 && teraflops > 0 && !definition.starts_with("hardware")) run.printed_flops_per_token = teraflops * 1e12 / rate;
  // Tools print what they call GB as 2^30 bytes.
  run.measured_peak_bytes = row.number("measured_peak_mem_GB") * 1073741824.0;
  if (row.number("measured_step_time_s") > 0) {
    run.measured_seconds = row.number("measured_step_time_s");
    run.measured_from = "step time";
    return;
  }
  if (rate > 0) {
    run.measured_seconds = tokens / (rate * gpus);
    run.measured_from = "tokens/s";
    return;
  }
  double per_gpu = teraflops * 1e12;
  if (per_gpu > 0) {
    run.measured_from = "TFLOP/s";
  } else if (row.number("measured_MFU") > 0) {
    run.measured_from = "MFU";
    per_gpu = row.number("measured_MFU") / 100 * find_gpu(run.gpu).bf16.value * 1e12;
  }
  if (per_gpu <= 0) return;
  const double flops = run.measured_from == "TFLOP/s" && definition.starts_with("hardware")
                           ? hardware_flops_of_step(run)
                           : tokens * training_flops_per_token(run.model_shape, run.training, software.counted);
  run.measured_seconds = flops / (gpus * per_gpu);
}

}  // namespace

bool pose_run(const csv_table& runs, std::size_t index, posed_run& run, std::string& why) {
  const cells row(runs, index);
  run = {};
  run.row_id = static_cast<int>(row.number("row_id"));
  run.group = row.text("group");
  run.source = row.text("source");
  run.model = row.text("model");
  run.quality = row.text("quality");
  const software_defaults& software = software_of(run.source, row.text("notes"), row.text("zero_dist_opt"));
  run.software = software.name;
  if (!read_machine(row, run, why) || !read_model(row, software, run, why) || !read_degrees(row, run.moe, run, why) ||
      !read_settings(row, software, run, why))
    return false;
  read_layout(row.text("notes"), run);
  if (why = why_not_trainable(run.model_shape, run.training, run.degrees); !why.empty()) {
    why = "not a legal job: " + why;
    return false;
  }
  read_measurements(row, software, run);
  if (run.measured_seconds <= 0 && run.measured_peak_bytes <= 0 && !run.out_of_memory) {
    why = "no step time, throughput or memory printed";
    return false;
  }
  run.remark = doubt_about(run.row_id);
  run.suspicious = !run.remark.empty();
  return true;
}

std::vector<posed_run> pose_runs(const csv_table& runs, std::vector<unposed_run>& not_posed) {
  std::vector<posed_run> out;
  out.reserve(runs.rows());
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    posed_run run;
    std::string why;
    if (pose_run(runs, row, run, why)) out.push_back(std::move(run));
    else not_posed.push_back({run.row_id, run.group, run.source, why});
  }
  return out;
}

std::vector<posed_run> pose_runs(const std::string& path, std::vector<unposed_run>& not_posed) {
  return pose_runs(csv_table(path), not_posed);
}

}  // namespace accuracy

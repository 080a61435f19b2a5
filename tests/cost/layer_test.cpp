#include <topoplan/cost/layer.hpp>
#include <topoplan/workload/flops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cost/jobs.hpp"

using namespace topoplan;
using doctest::Approx;
using topoplan_test::job;
using topoplan_test::llama_job;

namespace {

// One layer and micro-batch of a kind.
layer_time layer_of(const job& j, std::size_t kind = 0) { return topoplan_test::price(j).kinds[kind]; }

job lossless_job(const degrees& d, std::uint64_t ranks) {
  job j = llama_job(d, ranks);
  j.gpu = topoplan_test::fast_memory();
  j.factors = topoplan_test::lossless();
  return j;
}

// Seconds that the messages of one axis take on their own, forward and backward.
struct alone {
  double forward = 0;
  double backward = 0;
};

alone messages(const job& j, std::size_t kind, axis over, const group_shape& g) {
  alone a;
  for (const message& m : traffic_of_layer(j.model, j.model.kinds[kind], j.settings, j.degrees)) {
    if (m.over != over) continue;
    const double once = collective_seconds(j.gpu.links, m.what, m.bytes, g);
    a.forward += m.forward * once;
    a.backward += m.backward * once;
  }
  return a;
}

// Experts spread over 16 ranks.
job expert_job(std::uint32_t ep) {
  job j = llama_job({.ep = ep}, std::max(16U, ep));
  j.model = topoplan_test::deepseek_v3();
  return j;
}

constexpr std::size_t sparse = 1;  // kind of deepseek_v3()

}  // namespace

TEST_CASE("without losses a dense layer takes its FLOPs over the peak, backward twice as long") {
  for (const std::uint32_t tp : {1U, 2U, 8U}) {
    const job j = lossless_job({.tp = tp}, 8);
    const layer_flops f = forward_flops(j.model.kinds[0], 4096, j.settings.sequence, attention_pairs::causal);
    const double tokens = j.settings.sequence;
    const layer_time l = layer_of(j);
    CHECK(l.forward.matrices == Approx(f.linear() * tokens / tp / 1e15));
    CHECK(l.forward.attention == Approx(f.attention_core * tokens / tp / 1e15));
    CHECK(l.backward.matrices == Approx(2 * l.forward.matrices));
    CHECK(l.backward.attention == Approx(2 * l.forward.attention));
    CHECK(l.total() == Approx(3 * f.total() * tokens / tp / 1e15));
    CHECK(l.again.total() == 0);
  }
}

TEST_CASE("without losses every layer of random models takes its FLOPs over the peak") {
  topoplan_test::random rng(21);
  for (int i = 0; i < 200; ++i) {
    job j = lossless_job({}, 1);
    j.settings.micro_batch = static_cast<std::uint32_t>(rng.between(1, 4));
    j.model = topoplan_test::random_model(rng);
    j.model.prediction_layers = 0;
    j.model.kinds[0].experts.shared_gate = false;  // its product with one column isn't priced
    const layer_kind& k = j.model.kinds[0];
    const layer_flops f = forward_flops(k, j.model.hidden, j.settings.sequence, attention_pairs::causal);
    const layer_time l = layer_of(j);
    CHECK(l.forward.matrices == Approx(f.linear() * j.settings.micro_batch * j.settings.sequence / 1e15).epsilon(1e-9));
    CHECK(l.backward.matrices == Approx(2 * l.forward.matrices));
    CHECK((l.forward.attention > 0) == (k.mixer == mixer_kind::attention));
    CHECK((l.forward.state_space > 0) == (k.mixer == mixer_kind::state_space));
  }
}

TEST_CASE("frozen weights have no gradients to compute, their adapters have") {
  job j = lossless_job({}, 1);
  const layer_time full = layer_of(j);
  j.settings.tuning = finetuning::lora;
  j.settings.lora_rank = 64;
  const layer_time frozen = layer_of(j);
  // Operations of the adapters: 2 a parameter and token forward, twice that backward.
  const double adapters = 2 * static_cast<double>(adapter_parameters(j.model.kinds[0], j.model.hidden, 64)) *
                          j.settings.sequence * j.settings.micro_batch / j.gpu.peak_16bit;
  CHECK(frozen.forward.matrices == Approx(full.forward.matrices + adapters));
  CHECK(frozen.backward.matrices == Approx(full.backward.matrices / 2 + 2 * adapters));
  CHECK(frozen.backward.attention == full.backward.attention);
  CHECK(frozen.forward.pointwise == full.forward.pointwise);
}

TEST_CASE("weights frozen in 4 bits are widened before each pass") {
  job j = llama_job({}, 1);
  j.settings.tuning = finetuning::lora;
  const layer_time wide = layer_of(j);
  j.settings.tuning = finetuning::qlora;
  const layer_time narrow = layer_of(j);
  const double bytes = (4.127 / 8 + 2) * static_cast<double>(parameters_of(j.model.kinds[0], j.model.hidden).total());
  const double seconds = bytes / (j.gpu.memory_rate * j.factors.memory);
  CHECK(narrow.forward.pointwise == Approx(wide.forward.pointwise + seconds));
  CHECK(narrow.backward.pointwise == Approx(wide.backward.pointwise + seconds));
  CHECK(narrow.forward.matrices == wide.forward.matrices);
}

TEST_CASE("a narrower format speeds up linear layers, not attention, and costs casts") {
  job j = lossless_job({}, 1);
  const layer_time half = layer_of(j);
  j.settings.precision = precision::fp8;
  CHECK(layer_of(j).forward.matrices == Approx(half.forward.matrices / 2));
  CHECK(layer_of(j).forward.attention == half.forward.attention);
  j.settings.precision = precision::nvfp4;
  CHECK(layer_of(j).forward.matrices == Approx(half.forward.matrices / 4));
  j.gpu = topoplan_test::usual_memory();
  const double casts = layer_of(j).forward.pointwise;
  j.settings.precision = precision::bf16;
  CHECK(casts > layer_of(j).forward.pointwise);
}

TEST_CASE("later boards, power caps and small sides change the rate of matrices as said") {
  job j = lossless_job({}, 1);
  const double usual = layer_of(j).forward.matrices;
  j.factors.board = 1.25;
  CHECK(layer_of(j).forward.matrices == usual);
  j.gpu.later_board = true;
  CHECK(layer_of(j).forward.matrices == Approx(usual / 1.25));
  j.gpu.later_board = false;
  j.gpu.power = 0.5;
  j.factors.power = 2;
  CHECK(layer_of(j).forward.matrices == Approx(usual * 4));
  j.gpu.power = 1;
  j.factors.matmul_side = 4096;
  j.settings.sequence = 4096;  // all sides are 4,096 or longer, at most four times as costly
  CHECK(layer_of(j).forward.matrices > 2 * usual);
  CHECK(layer_of(j).forward.matrices <= 4 * usual);
}

TEST_CASE("memory bounds a matrix with few rows") {
  job j = lossless_job({}, 1);
  j.settings.sequence = 1;
  j.gpu = topoplan_test::usual_memory();
  const double weights = static_cast<double>(parameters_of(j.model.kinds[0], 4096).dense());
  CHECK(layer_of(j).forward.matrices >= 2 * weights / 3e12 * 0.99);
}

TEST_CASE("a window shortens attention of a long sequence only") {
  job j = lossless_job({}, 1);
  j.settings.sequence = 8192;
  const double whole = layer_of(j).forward.attention;
  j.model.kinds[0].attention.window = 8192;
  CHECK(layer_of(j).forward.attention == Approx(whole));
  j.model.kinds[0].attention.window = 1024;
  CHECK(layer_of(j).forward.attention == Approx(whole * (1024 - 1024.0 * 1024 / 16384) / 4096));
}

TEST_CASE("attention without flash kernels computes all pairs and moves its scores") {
  job j = lossless_job({}, 1);
  const double fused = layer_of(j).forward.attention;
  j.settings.software = software_profile::megatron_2021;
  const double arithmetic = layer_of(j).forward.attention;
  CHECK(arithmetic > 2 * fused);
  j.gpu = topoplan_test::usual_memory();
  const double scores = 4096.0 * 4096 * 32;
  CHECK(layer_of(j).forward.attention == Approx(arithmetic + 13 * scores / 3e12));
  j.gpu = topoplan_test::fast_memory();
  j.model.kinds[0].attention.head_size = j.model.kinds[0].attention.value_size = 124;
  CHECK(layer_of(j).forward.attention == Approx(4 * arithmetic * 124 / 128));
}

TEST_CASE("context parallelism divides the causal work, unless the last rank gets the end of the sequence") {
  job j = lossless_job({}, 1);
  const double whole = layer_of(j).forward.attention;
  j = lossless_job({.cp = 4}, 4);
  CHECK(layer_of(j).forward.attention == Approx(whole / 4));
  CHECK(layer_of(j).forward.matrices == Approx(layer_of(lossless_job({}, 1)).forward.matrices / 4));
  j.settings.cp_balanced = false;
  // The last quarter sees 1 - 1/8 of the sequence on average, where all see a half.
  CHECK(layer_of(j).forward.attention == Approx(whole / 4 * 0.875 / 0.5));
  j.model.kinds[0].attention.window = 512;  // beyond the first 512 tokens all see as many
  CHECK(layer_of(j).forward.attention == Approx(whole / 4 * 512 / 2048));
}

TEST_CASE("fewer key and value heads than ranks: each rank computes one, and passes one on") {
  job j = lossless_job({.tp = 8}, 8);
  const double eight = layer_of(j).forward.matrices;
  j.model.kinds[0].attention.kv_heads = 1;
  CHECK(layer_of(j).forward.matrices == Approx(eight));
  job around = lossless_job({.tp = 8, .cp = 4}, 32);
  around.factors.cp_exposed = 1;
  const double passed = layer_of(around).forward.cp;
  around.model.kinds[0].attention.kv_heads = 2;
  CHECK(layer_of(around).forward.cp == Approx(passed));
}

TEST_CASE("tensor parallel communication is exposed as the factors say; what overlap takes away is hidden") {
  for (const bool sharded : {true, false}) {
    for (const toggle overlap : {toggle::off, toggle::on, toggle::by_profile}) {
      for (const software_profile software : {software_profile::megatron_2021, software_profile::megatron_core}) {
        job j = llama_job({.tp = 4}, 4);
        j.settings.sequence_parallel = sharded;
        j.settings.tp_overlap = overlap;
        j.settings.software = software;
        j.factors.tp_exposed = 0.25;
        j.factors.tp_exposed_plain = 0.75;
        j.factors.tp_exposed_backward = 0.5;
        const alone a = messages(j, 0, axis::tp, j.groups.tp);
        const bool on = overlap == toggle::on || (overlap == toggle::by_profile && software == software_profile::megatron_core);
        const double forward = on && sharded ? 0.25 : 0.75;
        const double backward = on ? (sharded ? 0.25 : 0.375) : 0.75;
        const layer_time l = layer_of(j);
        CHECK(l.forward.tp == Approx(forward * a.forward));
        CHECK(l.backward.tp == Approx(backward * a.backward));
        // Hidden is what would show without overlap and doesn't.
        CHECK(l.hidden.total() == Approx((0.75 - forward) * a.forward + (0.75 - backward) * a.backward));
      }
    }
  }
}

TEST_CASE("a tensor parallel group across domains costs more, by the network and by its own factor") {
  job j = llama_job({.tp = 16}, 16);
  const double across = layer_of(j).forward.tp;
  const double own = j.factors.tp_across_domains;
  j.factors.tp_across_domains = 1;
  CHECK(layer_of(j).forward.tp == Approx(across / own));
  j.groups.tp = group_in_domain(16);
  CHECK(layer_of(j).forward.tp < across / own);
  j.factors.tp_across_domains = 5;
  const double inside = layer_of(j).forward.tp;
  j.factors.tp_across_domains = 1;
  CHECK(layer_of(j).forward.tp == inside);
}

TEST_CASE("context parallel sends are exposed as the factor says; above 1 nothing is hidden") {
  job j = llama_job({.cp = 4}, 4);
  const alone a = messages(j, 0, axis::cp, j.groups.cp);
  j.factors.cp_exposed = 0.25;
  CHECK(layer_of(j).forward.cp == Approx(0.25 * a.forward));
  CHECK(layer_of(j).backward.cp == Approx(0.25 * a.backward));
  CHECK(layer_of(j).hidden.total() == Approx(0.75 * (a.forward + a.backward)));
  j.factors.cp_exposed = 0;
  CHECK(layer_of(j).forward.cp == 0);
  CHECK(layer_of(j).hidden.total() == Approx(a.forward + a.backward));
  j.factors.cp_exposed = 1.5;
  CHECK(layer_of(j).hidden.total() == 0);
  j.groups.cp = {.ranks = 4, .per_domain = 1, .per_host = 1, .domains = 4, .hosts = 4};
  CHECK(layer_of(j).forward.cp > 1.5 * a.forward);
}

TEST_CASE("expert exchange within a domain is its all-to-all; only overlap hides of it") {
  job j = expert_job(8);
  j.factors.expert_exposed = 0.5;
  j.factors.expert_exposed_overlapped = 0.125;
  const alone a = messages(j, sparse, axis::ep, j.groups.ep);
  CHECK(a.forward > 0);
  CHECK(layer_of(j, sparse).forward.ep == Approx(0.5 * a.forward));
  CHECK(layer_of(j, sparse).hidden.total() == 0);
  j.settings.expert_overlap = toggle::on;
  CHECK(layer_of(j, sparse).forward.ep == Approx(0.125 * a.forward));
  CHECK(layer_of(j, sparse).hidden.total() == Approx((0.5 - 0.125) * (a.forward + a.backward)));
  CHECK(layer_of(j, 0).forward.ep == 0);
}

TEST_CASE("across domains a token is sent once to each other domain that holds one of its experts") {
  job j = expert_job(64);
  j.factors.expert_exposed = 1;
  const double once = layer_of(j, sparse).forward.ep;
  CHECK(once > layer_of(expert_job(8), sparse).forward.ep);
  // Without that, top_k copies leave a rank as often as their experts are elsewhere.
  CHECK(once < messages(j, sparse, axis::ep, j.groups.ep).forward);
  // With one expert a token there is nothing to save.
  j.model.kinds[sparse].experts.top_k = 1;
  CHECK(layer_of(j, sparse).forward.ep == Approx(messages(j, sparse, axis::ep, j.groups.ep).forward).epsilon(0.05));
}

TEST_CASE("an expert over two ranks gathers the tokens of both and works on half its width") {
  job j = llama_job({.tp = 2, .ep = 4, .expert_tp = 1}, 8);
  j.model = topoplan_test::deepseek_v3();
  j.factors = topoplan_test::lossless();
  j.gpu = topoplan_test::fast_memory();
  job split = j;
  split.degrees = resolve({.tp = 2, .ep = 4, .expert_tp = 2}, 8);
  split.groups = topoplan_test::packed(split.degrees);
  // As many operations a rank, however its experts are cut.
  CHECK(layer_of(split, sparse).forward.matrices == Approx(layer_of(j, sparse).forward.matrices));
  j.factors.tp_exposed = split.factors.tp_exposed = 1;
  const alone more = messages(split, sparse, axis::expert_tp, split.groups.expert_tp);
  CHECK(more.forward > 0);
  CHECK(layer_of(split, sparse).forward.tp == Approx(layer_of(j, sparse).forward.tp + more.forward));
}

TEST_CASE("recomputation repeats the whole forward pass, half of it, or what is cheap") {
  topoplan_test::random rng(22);
  for (int i = 0; i < 100; ++i) {
    job j = topoplan_test::random_job(rng);
    const auto with = [&](recomputation r) {
      j.settings.recompute = r;
      return layer_of(j);
    };
    const layer_time none = with(recomputation::none);
    CHECK(none.again.total() == 0);
    const layer_time full = with(recomputation::full);
    CHECK(full.again.total() == Approx(none.forward.total()));
    CHECK(full.again.tp == none.forward.tp);
    CHECK(full.again.ep == none.forward.ep);
    CHECK(with(recomputation::half).again.total() == Approx(none.forward.total() / 2));
    const layer_time some = with(recomputation::selective);
    const bool flash = j.settings.software != software_profile::megatron_2021;
    CHECK(some.again.attention == (flash ? 0 : none.forward.attention));
    CHECK(some.again.pointwise == (flash ? none.forward.pointwise : 0));
    CHECK(some.again.matrices < none.forward.matrices);
    for (const layer_time* l : {&full, &some}) {
      CHECK(l->forward.total() == none.forward.total());
      CHECK(l->backward.total() == none.backward.total());
    }
  }
}

TEST_CASE("fixed times count once a layer and direction, those of experts by the release") {
  job j = expert_job(1);
  j.factors.layer = 0;
  j.factors.expert_layer = 0;
  const layer_time none = layer_of(j, sparse);
  j.factors.layer = 0.5;
  CHECK(layer_of(j, sparse).forward.pointwise == Approx(none.forward.pointwise + 0.5));
  CHECK(layer_of(j, sparse).backward.pointwise == Approx(none.backward.pointwise + 0.5));
  j.factors.expert_layer = 0.25;
  CHECK(layer_of(j, sparse).forward.experts == Approx(none.forward.experts + 0.25));
  j.settings.release_factor = 0.5;
  CHECK(layer_of(j, sparse).forward.experts < none.forward.experts + 0.125);
  CHECK(layer_of(j, sparse).forward.matrices == none.forward.matrices);
}

TEST_CASE("eager kernels move more than fused ones") {
  job j = llama_job({}, 1);
  const double fused = layer_of(j).forward.pointwise;
  j.settings.software = software_profile::fsdp_eager;
  CHECK(layer_of(j).forward.pointwise > fused);
  j.settings.software = software_profile::fsdp_compiled;
  CHECK(layer_of(j).forward.pointwise == fused);
}

TEST_CASE("every part of every layer of random jobs is a time") {
  topoplan_test::random rng(23);
  for (int i = 0; i < 500; ++i) {
    const job j = topoplan_test::random_job(rng);
    const priced_layers priced = topoplan_test::price(j);
    for (const layer_time& l : priced.kinds) {
      for (const time_parts* p : {&l.forward, &l.backward, &l.again})
        for (const double part : {p->matrices, p->attention, p->pointwise, p->experts, p->state_space, p->tp, p->cp, p->ep})
          CHECK((std::isfinite(part) && part >= 0));
      CHECK((std::isfinite(l.hidden.total()) && l.hidden.total() >= 0));
      CHECK(l.total() ==
            Approx(l.forward.compute() + l.backward.compute() + l.again.compute() + l.forward.tp + l.forward.cp + l.forward.ep +
                   l.backward.tp + l.backward.cp + l.backward.ep + l.again.tp + l.again.cp + l.again.ep));
    }
  }
}

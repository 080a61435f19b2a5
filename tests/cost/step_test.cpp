#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/parameters.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cost/jobs.hpp"

using namespace topoplan;
using doctest::Approx;
using topoplan_test::job;
using topoplan_test::llama_job;
using topoplan_test::time_of;

namespace {

// All layers alike, the ends next to nothing, no losses: stages take equally long.
job even_job(const degrees& d, std::uint64_t ranks, std::uint32_t micro_batches, std::uint32_t virtual_stages = 1) {
  job j = llama_job(d, ranks);
  j.model.vocabulary = 1;
  j.gpu = topoplan_test::fast_memory();
  j.factors = topoplan_test::lossless();
  j.settings.virtual_stages = virtual_stages;
  j.settings.global_batch = micro_batches * j.degrees.dp;
  return j;
}

double duration(const job& j) { return time_of(j).seconds; }

// Groups of data-parallel ranks on as many domains, one each.
group_shape spread(std::uint32_t ranks) {
  group_shape g;
  g.ranks = g.domains = g.hosts = ranks;
  return g;
}

double rank_parameters_of(const job& j) {
  const priced_layers p = topoplan_test::price(j);
  return 32 * p.parameters[0].dense + p.embedding_parameters + p.head_parameters;
}

}  // namespace

TEST_CASE("without losses a step takes the model's FLOPs over the peak of all GPUs") {
  topoplan_test::random rng(31);
  for (int i = 0; i < 60; ++i) {
    const auto power = [&](std::uint64_t most) { return std::uint32_t{1} << static_cast<std::uint32_t>(rng.between(0, most)); };
    const degrees d{.tp = power(3), .cp = power(2)};
    job j = llama_job(d, std::uint64_t{d.tp} * d.cp * power(3));
    j.gpu = topoplan_test::fast_memory();
    j.factors = topoplan_test::lossless();
    j.settings.sequence = 2048 * power(3);
    j.settings.micro_batch = power(2);
    j.settings.global_batch = j.settings.micro_batch * j.degrees.dp * power(3);
    const double tokens = static_cast<double>(j.settings.global_batch) * j.settings.sequence;
    const double work = tokens * training_flops_per_token(j.model, j.settings, attention_pairs::causal);
    const auto gpus = static_cast<double>(j.degrees.world());
    const step_time t = time_of(j);
    // Of the ends only gathering the embedding isn't arithmetic.
    const double gathered =
        j.settings.global_batch / (j.settings.micro_batch * j.degrees.dp) * topoplan_test::price(j).embedding.forward.tp;
    CHECK(t.seconds - gathered == Approx(work / gpus / 1e15).epsilon(1e-9));
    CHECK(t.bubble == 0);
    CHECK(t.dp == 0);
    CHECK(t.pp == 0);
  }
}

TEST_CASE("experts without losses take the FLOPs of the active parameters, however they are spread") {
  for (const std::uint32_t ep : {1U, 4U, 16U}) {
    job j = llama_job({.ep = ep}, 16);
    j.model = topoplan_test::deepseek_v3();
    j.model.kinds[0].attention.head_size = j.model.kinds[1].attention.head_size = 128;
    j.gpu = topoplan_test::fast_memory();
    j.factors = topoplan_test::lossless();
    j.settings.global_batch = 64;
    const double work = 64 * 4096.0 * training_flops_per_token(j.model, j.settings, attention_pairs::causal);
    CHECK(duration(j) == Approx(work / 16 / 1e15).epsilon(1e-9));
  }
}

TEST_CASE("the bubble of 1F1B is (P - 1) / (P - 1 + M) of a step, interleaved (P - 1) / (P - 1 + V M)") {
  // source: Narayanan et al., arXiv 2104.04473, section 2.2.
  for (const std::uint32_t pp : {1U, 2U, 4U, 8U}) {
    for (const std::uint32_t m : {8U, 16U, 64U}) {
      for (const std::uint32_t v : {1U, 2U, 4U}) {
        if (pp == 1 && v > 1) continue;
        const step_time t = time_of(even_job({.pp = pp}, pp, m, v));
        CHECK(t.bubble / t.seconds == Approx((pp - 1.0) / (pp - 1.0 + v * m)).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("the slowest stage sets the pace, the others add one pass each") {
  job j = llama_job({.pp = 4}, 4);
  j.settings.global_batch = 32;
  j.factors.pp_exposed = j.factors.pp_exposed_plain = 0;
  j.factors.step = j.factors.straggler = 0;
  j.gpu.memory_rate = 1e18;  // no time for states
  const priced_layers p = topoplan_test::price(j);
  const double layer = p.kinds[0].total();
  const auto dearest = [&](double first, double middle, double last) {
    const double a = first * layer + p.embedding.total();
    const double b = middle * layer;
    const double c = last * layer + p.head.total();
    const double most = std::max({a, b, c});
    return 32 * most + (a + 2 * b + c - most);
  };
  CHECK(duration(j) == Approx(dearest(8, 8, 8)).epsilon(1e-6));
  j.settings.first_stage_layers = 12;
  j.settings.last_stage_layers = 4;
  CHECK(duration(j) == Approx(dearest(12, 8, 4)).epsilon(1e-6));
  j.settings.first_stage_layers = 9;
  j.settings.last_stage_layers = 3;
  const double shorter = duration(j);
  CHECK(shorter == Approx(dearest(9, 10, 3)).epsilon(1e-6));
  j.settings.first_stage_layers = 4;
  j.settings.last_stage_layers = 8;
  CHECK(duration(j) == Approx(dearest(4, 10, 8)).epsilon(1e-6));
  CHECK(shorter != duration(j));
}

TEST_CASE("full recomputation adds one forward pass of the layers, its communication included") {
  job j = llama_job({.tp = 4, .cp = 2, .pp = 2}, 16);
  j.settings.global_batch = 16;
  const step_time none = time_of(j);
  j.settings.recompute = recomputation::full;
  const step_time full = time_of(j);
  const time_parts forward = topoplan_test::price(j).kinds[0].forward;
  CHECK(forward.tp > 0);
  CHECK(forward.cp > 0);
  CHECK(none.again == 0);
  CHECK(full.again == Approx(16 * 16 * forward.total()));
  CHECK(full.layers.total() == Approx(none.layers.total()));
  CHECK(full.bubble > none.bubble);
}

TEST_CASE("the parts of a step add up, and each is a time") {
  topoplan_test::random rng(32);
  for (int i = 0; i < 2000; ++i) {
    const job j = topoplan_test::random_job(rng);
    const step_time t = time_of(j);
    CHECK(std::abs(topoplan_test::sum_of_parts(t) / t.seconds - 1) < 1e-9);
    for (const double part : {t.layers.total(), t.again, t.ends, t.accumulate, t.bubble, t.pp, t.dp, t.optimizer, t.fixed,
                              t.straggler, t.hidden.total()})
      CHECK((std::isfinite(part) && part >= 0));
  }
}

TEST_CASE("more work never takes less time") {
  topoplan_test::random rng(33);
  for (int i = 0; i < 1000; ++i) {
    const job j = topoplan_test::random_job(rng);
    const double before = duration(j) * (1 - 1e-12);
    const auto with = [&](auto change) {
      job more = j;
      change(more);
      return duration(more);
    };
    CHECK(with([](job& m) { m.settings.global_batch *= 2; }) > before);
    CHECK(with([](job& m) { m.settings.sequence *= 2; }) > before);
    CHECK(with([](job& m) { m.model.vocabulary *= 2; }) > before);
    CHECK(with([](job& m) {
            for (layer_kind& k : m.model.kinds) {
              k.mlp.size *= 2;
              k.experts.size *= 2;
              k.experts.shared_size *= 2;
            }
          }) >= before);
    CHECK(with([](job& m) { m.model.layers.insert(m.model.layers.end(), m.model.layers.begin(), m.model.layers.end()); }) >
          before);
    if (j.settings.recompute == recomputation::none)
      CHECK(with([](job& m) { m.settings.recompute = recomputation::full; }) > before);
  }
}

TEST_CASE("slower links, memory and arithmetic are never faster") {
  topoplan_test::random rng(34);
  for (int i = 0; i < 1000; ++i) {
    const job j = topoplan_test::random_job(rng);
    const double before = duration(j) * (1 - 1e-12);
    job slow = j;
    slow.gpu.links.facts.nic_rate /= 4;
    CHECK(duration(slow) >= before);
    slow = j;
    slow.gpu.links.facts.nvlink_rate /= 4;
    CHECK(duration(slow) >= before);
    slow = j;
    slow.gpu.memory_rate /= 2;
    CHECK(duration(slow) >= before);
    slow = j;
    slow.gpu.peak_16bit /= 2;
    slow.gpu.peak_fp8 /= 2;
    slow.gpu.peak_fp4 /= 2;
    CHECK(duration(slow) > before);
    slow = j;
    for (group_shape* g : {&slow.groups.dp, &slow.groups.dp_cp, &slow.groups.expert_dp, &slow.groups.pp}) g->ring_load = 7;
    CHECK(duration(slow) >= before);
  }
}

TEST_CASE("reducing gradients costs the collectives of the sharding over their rate, exposed as the factor says") {
  job j = llama_job({}, 32);
  j.factors.dp_rate = 0.5;
  j.factors.dp_exposed = 0.25;
  const double p = rank_parameters_of(j);
  const group_shape& g = j.groups.dp_cp;
  CHECK(g.ranks == 32);
  j.settings.dp_overlap = toggle::off;
  const double reduce = collective_seconds(j.gpu.links, collective::reduce_scatter, 4 * p, g);
  const double gather = collective_seconds(j.gpu.links, collective::all_gather, 2 * p, g);
  CHECK(time_of(j).dp == Approx((reduce + gather) / 0.5));
  CHECK(time_of(j).hidden.total() == 0);
  j.settings.sharding = sharding::zero2;
  CHECK(time_of(j).dp == Approx((reduce + gather) / 0.5));
  j.settings.reduction_bytes = 2;
  CHECK(time_of(j).dp < (reduce + gather) / 0.5);
  j.settings.sharding = sharding::none;
  const double all = 2 * collective_seconds(j.gpu.links, collective::all_reduce, 2 * p, g);
  CHECK(time_of(j).dp == Approx(all));
  // Overlapped, a quarter shows, and what the last micro-batch can't cover.
  j.settings.dp_overlap = toggle::on;
  CHECK(time_of(j).dp == Approx(all / 4));
  CHECK(time_of(j).hidden.total() == Approx(0.75 * all));
  j.gpu.links.facts.nic_rate /= 1000;
  const double slow = 2 * collective_seconds(j.gpu.links, collective::all_reduce, 2 * p, g);
  const double backward = topoplan_test::sum_of_parts(time_of(j)) - time_of(j).dp;
  CHECK(time_of(j).dp > 0.9 * slow - backward);
  CHECK(time_of(j).dp + time_of(j).hidden.total() == Approx(slow));
  j.settings.software = software_profile::megatron_2021;
  j.settings.dp_overlap = toggle::by_profile;
  CHECK(time_of(j).dp == Approx(slow));
}

TEST_CASE("a factor above 1 hides nothing") {
  job j = llama_job({}, 32);
  j.factors.dp_exposed = 1.5;
  CHECK(time_of(j).hidden.total() == 0);
}

TEST_CASE("a ring over a tier seven times oversubscribed takes longer, up to seven times") {
  job j = llama_job({}, 32);
  j.settings.dp_overlap = toggle::off;
  const double fair = time_of(j).dp;
  j.groups.dp_cp.ring_load = 1;
  CHECK(time_of(j).dp == fair);
  j.groups.dp_cp.ring_load = 7;
  CHECK(time_of(j).dp > 5 * fair);
  CHECK(time_of(j).dp <= 7 * fair);
}

TEST_CASE("more replicas of the same work never reduce faster") {
  for (const sharding s : {sharding::none, sharding::zero1, sharding::zero3}) {
    double before = 0;
    for (std::uint32_t dp = 16; dp <= 1024; dp *= 2) {
      job j = llama_job({}, dp);
      j.settings.sharding = s;
      j.settings.global_batch = 4 * dp;
      j.factors.gather_hidden = j.factors.gather_hidden_prefetched = 0;
      const double now = time_of(j).dp;
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("fully sharded parameters are gathered for every pass of every micro-batch") {
  job j = llama_job({}, 32);
  j.settings.software = software_profile::fsdp_eager;
  j.settings.sharding = sharding::zero3;
  j.factors.gather_hidden = 0;
  j.factors.gather_rate = 0.5;
  j.settings.global_batch = 32;
  const double p = rank_parameters_of(j);
  const group_shape& g = j.groups.dp_cp;
  const double parts = 33;  // 32 layers, and the ends
  const double gather = parts * collective_seconds(j.gpu.links, collective::all_gather, 2 * p / parts, g);
  const double scatter = parts * collective_seconds(j.gpu.links, collective::reduce_scatter, 4 * p / parts, g);
  CHECK(time_of(j).dp == Approx(2 * (2 * gather + scatter)));
  j.settings.global_batch = 96;
  CHECK(time_of(j).dp == Approx(3 * 2 * (2 * gather + scatter)));
  j.settings.sharding = sharding::zero3_kept;
  CHECK(time_of(j).dp == Approx(3 * 2 * (gather + scatter)));
  // Under a pipeline they stay gathered for the step.
  job stages = llama_job({.pp = 2}, 64);
  stages.settings.sharding = sharding::zero3;
  stages.factors.gather_hidden_prefetched = 0;
  const double few = time_of(stages).dp;
  stages.settings.global_batch = 32 * 8;
  CHECK(time_of(stages).dp == few);
  // Frozen parameters are gathered as well, their gradients are none.
  j.settings.sharding = sharding::zero3;
  j.settings.tuning = finetuning::lora;
  CHECK(time_of(j).dp == Approx(3 * 2 * 2 * gather));
}

TEST_CASE("gathers hide behind compute, or compute behind them, by the part of the profile") {
  job j = llama_job({}, 32);
  j.settings.sharding = sharding::zero3;
  j.factors.gather_hidden = 0;
  j.factors.gather_hidden_prefetched = 1;
  j.settings.software = software_profile::fsdp_compiled;
  const step_time exposed = time_of(j);
  CHECK(exposed.hidden.total() == 0);
  j.factors.gather_hidden = 0.5;
  const step_time half = time_of(j);
  const double compute = exposed.layers.total() + exposed.ends + exposed.accumulate;
  CHECK(half.hidden.total() == Approx(0.5 * std::min(compute, exposed.dp)));
  CHECK(half.dp + half.hidden.total() == Approx(exposed.dp));
  j.settings.software = software_profile::megatron_core;
  // The first gather and the last scatter show.
  CHECK(time_of(j).dp == Approx(exposed.dp - 0.97 * std::min(compute, exposed.dp)));
  // Stacks of 2021 gather through one NIC of a host.
  j.settings.software = software_profile::megatron_2021;
  j.factors.gather_hidden_prefetched = 0;
  CHECK(time_of(j).dp > 2 * exposed.dp);
}

TEST_CASE("of frozen weights only the adapters are reduced and updated") {
  job j = llama_job({}, 32);
  j.factors.dp_rate = 1;
  j.settings.dp_overlap = toggle::off;
  const step_time full = time_of(j);
  CHECK(full.accumulate > 0);
  const double adapters = 32 * static_cast<double>(adapter_parameters(j.model.kinds[0], j.model.hidden, j.settings.lora_rank));
  const group_shape& g = j.groups.dp_cp;
  for (const finetuning tuning : {finetuning::lora, finetuning::qlora}) {
    j.settings.tuning = tuning;
    const step_time t = time_of(j);
    CHECK(t.dp == Approx(collective_seconds(j.gpu.links, collective::reduce_scatter, 4 * adapters, g) +
                         collective_seconds(j.gpu.links, collective::all_gather, 2 * adapters, g)));
    CHECK(t.dp < 0.1 * full.dp);
    CHECK(t.accumulate == 0);
    CHECK(t.optimizer == Approx(34 * adapters / 32 / (3e12 * j.factors.memory)));
  }
}

TEST_CASE("gradients sharded by ZeRO-2 leave after each micro-batch, under a pipeline once a step") {
  job j = llama_job({}, 32);
  j.settings.dp_overlap = toggle::off;
  j.settings.global_batch = 32 * 4;
  const double once = time_of(j).dp;
  const double p = rank_parameters_of(j);
  const double reduce = collective_seconds(j.gpu.links, collective::reduce_scatter, 4 * p, j.groups.dp_cp) / j.factors.dp_rate;
  j.settings.sharding = sharding::zero2;
  CHECK(time_of(j).dp == Approx(once + 3 * reduce));
  job stages = llama_job({.pp = 2}, 64);
  stages.settings.global_batch = 32 * 4;
  stages.settings.dp_overlap = toggle::off;
  const double last = time_of(stages).dp;
  stages.settings.sharding = sharding::zero2;
  CHECK(time_of(stages).dp == Approx(last));
}

TEST_CASE("the optimizer moves what its states are, divided by the ranks that share them") {
  job j = llama_job({}, 32);
  const double p = rank_parameters_of(j);
  const double rate = 3e12 * j.factors.memory;
  j.settings.sharding = sharding::none;
  CHECK(time_of(j).optimizer == Approx(34 * p / rate));
  j.settings.sharding = sharding::zero1;
  CHECK(time_of(j).optimizer == Approx(34 * p / 32 / rate));
  j.settings.optimizer = optimizer_kind::adam_8bit;
  CHECK(time_of(j).optimizer == Approx(22 * p / 32 / rate));
}

TEST_CASE("sends between stages: once each way for every chunk and micro-batch, scattered over a tensor-parallel group") {
  job j = llama_job({.tp = 4, .pp = 4}, 16);
  j.settings.global_batch = 8;
  j.factors.pp_exposed_plain = 0.5;
  j.factors.pp_exposed = 0.25;
  const double state = 4096.0 * 4096 * 2;
  const auto once = [&](double bytes) { return collective_seconds(j.gpu.links, collective::send_recv, bytes, j.groups.pp); };
  CHECK(time_of(j).pp == Approx(8 * 2 * once(state / 4) * 0.5));
  j.settings.sequence_parallel = false;
  CHECK(time_of(j).pp == Approx(8 * 2 * once(state) * 0.5));
  j.settings.software = software_profile::megatron_2021;
  const double gather = collective_seconds(j.gpu.links, collective::all_gather, state, j.groups.tp);
  CHECK(time_of(j).pp == Approx(8 * 2 * (once(state / 4) + gather) * 0.5));
  j.settings.software = software_profile::megatron_core;
  j.settings.sequence_parallel = true;
  j.settings.virtual_stages = 2;
  CHECK(time_of(j).pp == Approx(8 * 2 * 2 * once(state / 4) * 0.25));
  j.settings.pipeline_overlap = toggle::off;
  CHECK(time_of(j).pp == Approx(8 * 2 * 2 * once(state / 4) * 0.5));
  j.groups.pp = group_in_domain(4);
  CHECK(time_of(j).pp < 8 * 2 * 2 * once(state / 4) * 0.5 + 1e-12);
}

TEST_CASE("stragglers grow with doublings of 8-GPU hosts") {
  const auto share = [](std::uint32_t gpus) {
    job j = llama_job({}, gpus);
    j.factors.straggler = 0.01;
    const step_time t = time_of(j);
    return t.straggler / (t.seconds - t.straggler);
  };
  CHECK(share(4) == 0);
  CHECK(share(8) == 0);
  CHECK(share(16) == Approx(0.01));
  CHECK(share(128) == Approx(0.04));
}

TEST_CASE("a global batch that isn't said is one micro-batch a replica; a ragged one is rounded up") {
  job j = llama_job({.pp = 2}, 16);
  const double one = duration(j);
  j.settings.global_batch = 8;
  CHECK(duration(j) == one);
  j.settings.global_batch = 9;
  const double two = duration(j);
  j.settings.global_batch = 16;
  CHECK(duration(j) == two);
  CHECK(two > one);
}

TEST_CASE("the ends: a larger vocabulary costs the last stage, a prediction layer one layer and a head more") {
  job j = llama_job({.pp = 2}, 2);
  j.settings.global_batch = 4;
  const step_time without = time_of(j);
  CHECK(without.ends > 0);
  j.model.prediction_layers = 1;
  const priced_layers p = topoplan_test::price(j);
  j.model.prediction_layers = 0;
  const priced_layers plain = topoplan_test::price(j);
  CHECK(p.head.total() == Approx(2 * plain.head.total()));
  CHECK(p.prediction.total() > plain.kinds[0].total());
  CHECK(p.prediction.total() < 1.5 * plain.kinds[0].total());
  CHECK(plain.prediction.total() == 0);
  CHECK(p.head_parameters - plain.head_parameters ==
        static_cast<double>(parameters_of(j.model.kinds[0], 4096).total() + 2 * 4096 * 4096 + 3 * 4096));
  // The fused loss moves less.
  j.settings.fused_loss = toggle::off;
  CHECK(topoplan_test::price(j).head.total() > plain.head.total());
  CHECK(topoplan_test::price(j).embedding.forward.tp == 0);
}

TEST_CASE("experts reduce their gradients over their own group") {
  job j = llama_job({.ep = 8}, 32);
  j.model = topoplan_test::deepseek_v3();
  j.settings.dp_overlap = toggle::off;
  const double before = time_of(j).dp;
  j.groups.expert_dp = spread(4);
  j.groups.expert_dp.ring_load = 7;
  CHECK(time_of(j).dp > before);
  j.groups.dp_cp = {};
  const double experts = 58 * topoplan_test::price(j).parameters[1].experts + topoplan_test::price(j).expert_parameters_of_head;
  CHECK(time_of(j).dp == Approx((collective_seconds(j.gpu.links, collective::reduce_scatter, 4 * experts, j.groups.expert_dp) +
                                 collective_seconds(j.gpu.links, collective::all_gather, 2 * experts, j.groups.expert_dp)) /
                                j.factors.dp_rate));
  j.groups.expert_dp = {};
  CHECK(time_of(j).dp == 0);
}

TEST_CASE("a stage's share of the optimizer: experts by their own replicas, a tied table on both ends") {
  job j = llama_job({.ep = 8}, 32);
  j.model = topoplan_test::deepseek_v3();
  j.model.prediction_layers = 0;
  const double rate = 3e12 * j.factors.memory;
  const priced_layers p = topoplan_test::price(j);
  const double dense = 3 * p.parameters[0].dense + 58 * p.parameters[1].dense + p.embedding_parameters + p.head_parameters;
  const double experts = 58 * p.parameters[1].experts;
  CHECK(experts > 0);
  CHECK(time_of(j).optimizer == Approx(34 * (dense / 32 + experts / 4) / rate));
  j.model.prediction_layers = 1;
  const double more = p.parameters[1].dense + 2 * 7168.0 * 7168 + 3 * 7168;
  CHECK(time_of(j).optimizer == Approx(34 * ((dense + more) / 32 + (experts + p.parameters[1].experts) / 4) / rate));

  job ends = llama_job({.pp = 2}, 2);
  const step_time own = time_of(ends);
  ends.model.tied_embeddings = true;
  CHECK(time_of(ends).optimizer == Approx(own.optimizer));
  CHECK(time_of(ends).accumulate == Approx(own.accumulate));
}

TEST_CASE("prediction layers are recomputed as layers are") {
  job j = llama_job({}, 1);
  j.model.prediction_layers = 1;
  const double ends = time_of(j).ends;
  j.settings.recompute = recomputation::full;
  CHECK(time_of(j).ends == Approx(ends));
  CHECK(time_of(j).again == Approx(33 * topoplan_test::price(j).kinds[0].forward.total()));
}

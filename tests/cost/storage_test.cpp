#include <topoplan/cost/storage.hpp>
#include <topoplan/workload/parameters.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace topoplan;
using namespace topoplan::literals;
using doctest::Approx;

TEST_SUITE_BEGIN("cost/storage");

namespace {

// BLOOM as its configuration states it: 70 layers of 14336, 250880 tokens.
std::uint64_t bloom_parameters() {
  transformer t;
  t.hidden = 14336;
  t.vocabulary = 250880;
  t.tied_embeddings = true;
  t.norm_bias = true;
  t.end_norms = 2;
  layer_kind k;
  k.attention = {.heads = 112, .kv_heads = 112, .head_size = 128, .value_size = 128, .qkv_bias = true, .output_bias = true};
  k.mlp = {.size = 4 * 14336, .gated = false, .bias = true};
  k.norm_bias = true;
  t.kinds = {k};
  t.layers.assign(70, 0);
  return parameters_of(t).total();
}

bool mentions(const std::vector<std::string>& warnings, const std::string& part) {
  for (const auto& w : warnings) {
    if (w.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("published checkpoints") {
  const training t;
  // BigScience: 2.3 TB with the optimizer, 329 GB of weights; both are binary units.
  const auto bloom = bloom_parameters();
  CHECK(bloom == 176'247'271'424);
  const double tib = 1024.0 * 1024 * 1024 * 1024;
  const auto full = checkpoint_of(bloom, t, 48, 384);
  CHECK(static_cast<double>(full.total.value) / tib == Approx(2.3).epsilon(0.03));
  const auto weights = checkpoint_of(bloom, t, 48, 384, checkpoint_content::weights);
  CHECK(static_cast<double>(weights.total.value) / tib * 1024 == Approx(329).epsilon(0.005));
  // DeepSeek-V3 with its prediction module: about 1.4 TB in the distributed format.
  const auto deepseek = checkpoint_of(671'026'419'200 + 11'610'068'224, t, 16, 1024, checkpoint_content::weights);
  CHECK(static_cast<double>(deepseek.total.value) / 1e12 == Approx(1.4).epsilon(0.04));
  // Llama 3 405B on 16,384 GPUs: 1 MB to 4 GB a GPU.
  const auto llama = checkpoint_of(405'853'388'800, t, 128, 16384);
  CHECK(llama.per_writer > 1_MB);
  CHECK(llama.per_writer < 4_GB);
  CHECK(llama.per_writer.value == (405'853'388'800 * 14 + 16383) / 16384);
}

TEST_CASE("bytes for each parameter, and who writes them") {
  training t;
  const auto state = [&] { return checkpoint_bytes_per_parameter(t, checkpoint_content::training_state); };
  CHECK(state() == 14);
  t.optimizer = optimizer_kind::adam_bf16_moments;
  CHECK(state() == 10);
  t.optimizer = optimizer_kind::adam_8bit;
  CHECK(state() == 8);
  t.optimizer = optimizer_kind::sgd_momentum;
  CHECK(state() == 10);
  t.optimizer = optimizer_kind::muon;
  CHECK(state() == 10);
  t.optimizer = optimizer_kind::adam;
  t.master_weights = false;
  CHECK(state() == 10);
  CHECK(checkpoint_bytes_per_parameter(t, checkpoint_content::weights) == 2);

  t = {};
  const auto by = [&](checkpoint_writers who) {
    return checkpoint_of(1'000'000, t, 16, 64, checkpoint_content::training_state, who);
  };
  CHECK(by(checkpoint_writers::one_rank).writers == 1);
  CHECK(by(checkpoint_writers::one_rank).per_writer == 14_MB);
  CHECK(by(checkpoint_writers::one_replica).writers == 16);
  CHECK(by(checkpoint_writers::one_replica).per_writer == bytes{875'000});
  CHECK(by(checkpoint_writers::all_ranks).writers == 64);
  CHECK(by(checkpoint_writers::all_ranks).per_writer == bytes{218'750});
}

TEST_CASE("writing: the slower of the writers' hosts and of the whole") {
  const training t;
  const storage_rates s{.host_read = 4_GBps, .host_write = 2_GBps, .total_read = 60_GBps, .total_write = 30_GBps};
  const auto by = [&](checkpoint_writers who) {
    const auto c = checkpoint_of(100'000'000'000, t, 64, 1024, checkpoint_content::training_state, who);
    return write_time(c, s, 8).value;
  };
  CHECK(by(checkpoint_writers::one_rank) == Approx(700));             // 1.4 TB by one host of 2 GB/s
  CHECK(by(checkpoint_writers::one_replica) == Approx(1400.0 / 16));  // 8 hosts
  CHECK(by(checkpoint_writers::all_ranks) == Approx(1400.0 / 30));    // 128 hosts could write 256 GB/s
  CHECK(read_time(1_TB, s, 8).value == Approx(1000.0 / 32));
  CHECK(read_time(1_TB, s, 128).value == Approx(1000.0 / 60));
}

TEST_CASE("mean time between failures: what Llama 3 measured, and it falls with size") {
  CHECK(mean_time_between_failures(2048, failures_llama3).value / 3600 == Approx(3.1).epsilon(0.01));
  // RSC projects 1.8 h at 16,384 GPUs and 0.23 h at 131,072.
  CHECK(mean_time_between_failures(2048, failures_rsc1).value / 3600 == Approx(1.8).epsilon(0.01));
  CHECK(mean_time_between_failures(16384, failures_rsc1).value / 3600 == Approx(0.23).epsilon(0.03));
  CHECK(mean_time_between_failures(4096, failures_llama3).value * 2 ==
        Approx(mean_time_between_failures(2048, failures_llama3).value));
}

TEST_CASE("Young and Daly: M 3.1 h, C 30 s are 13.6 min and 7.3 %") {
  const seconds m{3.1 * 3600};
  const auto young = young_interval(30_s, m);
  CHECK(young.value / 60 == Approx(13.6).epsilon(0.005));
  CHECK(lost_fraction(young, 30_s, m) == Approx(0.073).epsilon(0.01));
  CHECK(lost_fraction(young, 30_s, m, 300_s) == Approx(0.0733 + 300 / m.value).epsilon(0.002));
  CHECK(lost_fraction(young, 30_s, m, 0_s, 60_s) - lost_fraction(young, 30_s, m) == Approx(60 / m.value));
  const auto daly = daly_interval(30_s, m);
  CHECK(daly.value == Approx(young.value - 30).epsilon(0.02));
  CHECK(daly_interval(100_s, 40_s).value == 40);
}

TEST_CASE("Young's interval loses least, Daly's least by the exact model of exponential failures") {
  // Daly's model of the wall-clock time of work w: M e^(R/M) (e^((tau+C)/M) - 1) w / tau.
  for (const double c : {1.0, 30.0, 300.0}) {
    for (const double m : {3000.0, 11160.0, 1e6}) {
      CAPTURE(c);
      CAPTURE(m);
      const auto time = [&](double tau) { return m * (std::exp((tau + c) / m) - 1) / tau; };
      const double daly = daly_interval(seconds{c}, seconds{m}).value;
      const double young = young_interval(seconds{c}, seconds{m}).value;
      for (const double factor : {0.5, 0.8, 0.9, 1.1, 1.25, 2.0}) {
        CHECK(time(daly) < time(daly * factor));
        CHECK(lost_fraction(seconds{young}, seconds{c}, seconds{m}) <
              lost_fraction(seconds{young * factor}, seconds{c}, seconds{m}));
      }
    }
  }
}

TEST_CASE("a plan: two tiers, the drain must fit") {
  const training t;
  checkpoint_request r;
  r.what = checkpoint_of(405'853'388'800, t, 128, 16384);
  r.hosts = 2048;
  r.storage = {.total_read = 7000_GBps, .total_write = 2000_GBps};
  r.snapshot_rate = snapshot_rate_pcie5;
  auto p = plan_checkpoints(r);
  CHECK(p.stall.value == Approx(1 + 405.853 * 14 / 16384 / 55).epsilon(1e-4));
  CHECK(p.drain.value == Approx(405.853 * 14 / 2000).epsilon(1e-4));
  CHECK(p.host_memory.value == 8 * r.what.per_writer.value);
  CHECK(p.restart.value == Approx(300 + 405.853 * 14 / 7000).epsilon(1e-4));
  CHECK(p.lost < 0.1);
  CHECK(p.warnings.empty());

  auto blocking = r;
  blocking.asynchronous = false;
  const auto b = plan_checkpoints(blocking);
  CHECK(b.stall.value == Approx(1 + p.drain.value));
  CHECK(b.drain.value == 0);
  CHECK(b.host_memory == bytes{});
  CHECK(b.lost > p.lost);

  r.storage.total_write = 20_GBps;
  p = plan_checkpoints(r);
  CHECK(p.interval.value == Approx(p.drain.value + p.stall.value));
  CHECK(mentions(p.warnings, "draining a checkpoint takes 284 s, longer than the best interval of"));
  blocking.storage.total_write = 20_GBps;
  CHECK(mentions(plan_checkpoints(blocking).warnings, "each checkpoint stops the step for 285 s"));
  CHECK(mentions(plan_checkpoints(blocking).warnings, "asynchronous copy to host memory"));

  r.storage.node_local = true;
  CHECK(mentions(plan_checkpoints(r).warnings, "checkpoints are on disks of the hosts only"));
}

TEST_CASE("what a plan can't start from") {
  checkpoint_request r;
  CHECK_THROWS_WITH_AS(plan_checkpoints(r), doctest::Contains("a rate of writing"), invalid_argument);
  r.storage.total_write = 1_GBps;
  r.hosts = 0;
  CHECK_THROWS_WITH_AS(plan_checkpoints(r), doctest::Contains("without hosts"), invalid_argument);
  r.hosts = 1;
  r.failures.per_1000_host_days = 0;
  CHECK_THROWS_WITH_AS(plan_checkpoints(r), doctest::Contains("failure rate"), invalid_argument);
  r.failures = failures_rsc2;
  r.snapshot_rate = {};
  CHECK_THROWS_WITH_AS(plan_checkpoints(r), doctest::Contains("snapshot rate"), invalid_argument);
}

TEST_CASE("targets of the reference architecture") {
  const auto is = [](storage_grade grade, double hosts, double read, double write) {
    CAPTURE(hosts);
    CHECK(storage_target_of(grade, hosts).read.gigabytes() == Approx(read));
    CHECK(storage_target_of(grade, hosts).write.gigabytes() == Approx(write).epsilon(0.08));  // 7 and 30, 62 and 250 are rounded
  };
  is(storage_grade::good, 1, 4, 2);
  is(storage_grade::better, 1, 8, 4);
  is(storage_grade::best, 1, 40, 20);
  is(storage_grade::good, 32, 15, 7);
  is(storage_grade::better, 32, 40, 20);
  is(storage_grade::best, 32, 125, 62);
  is(storage_grade::good, 128, 60, 30);
  is(storage_grade::better, 128, 160, 80);
  is(storage_grade::best, 128, 500, 250);
  CHECK(grade_storage(500_GBps, 250_GBps, 128) == storage_grade::best);
  CHECK(grade_storage(499_GBps, 250_GBps, 128) == storage_grade::better);
  CHECK(grade_storage(500_GBps, 30_GBps, 128) == storage_grade::good);
  CHECK(grade_storage(59_GBps, 250_GBps, 128) == storage_grade::below);
  CHECK(to_string(storage_grade::below) == "below good");
}

TEST_CASE("data: tokens are little, many small files are much") {
  CHECK(bytes_per_token(50257) == 2);
  CHECK(bytes_per_token(128256) == 4);
  // 16 million tokens in 10 s.
  CHECK(data_rate(1.6e6, bytes_per_token(128256)).value == Approx(6.4e6));
  const storage_rates s{.host_read = 4_GBps, .total_read = 15_GBps};
  CHECK(data_warnings({.tokens_per_second = 1.6e6, .samples_per_second = 200}, s, 32).empty());
  const auto files = data_warnings({.tokens_per_second = 1.6e6, .samples_per_second = 200, .one_file_each = true}, s, 32);
  REQUIRE(files.size() == 1);
  CHECK(mentions(files, "each sample is a file of its own, of about 32 kB: 200 files a second"));
  CHECK(mentions(files, "pack samples into shards"));
  CHECK(mentions(data_warnings({.tokens_per_second = 1e10}, s, 32), "training reads 40000 MB/s, storage gives 15000 MB/s"));
  CHECK(mentions(data_warnings({.tokens_per_second = 1e10}, s, 2), "storage gives 8000 MB/s"));
}

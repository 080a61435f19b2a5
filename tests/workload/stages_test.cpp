#include <topoplan/workload/stages.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

using namespace topoplan;

namespace {

transformer model_of(std::uint32_t layers, std::uint32_t dense_first) {
  transformer m;
  m.kinds.resize(2);
  m.layers.assign(layers, 1);
  for (std::uint32_t i = 0; i < dense_first; ++i) m.layers[i] = 0;
  return m;
}

std::vector<std::uint32_t> sizes(const stage_split& s) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < s.stages(); ++i) out.push_back(s.layers(i));
  return out;
}

using list = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("layers that divide are split evenly, the rest goes to stages in the middle") {
  CHECK(sizes(split_layers(model_of(32, 0), {}, 4)) == list{8, 8, 8, 8});
  CHECK(sizes(split_layers(model_of(10, 0), {}, 4)) == list{2, 3, 3, 2});
  CHECK(sizes(split_layers(model_of(3, 0), {}, 1)) == list{3});
}

TEST_CASE("an end that counts as a layer takes its place: Llama 3 405B runs 126 layers on 16 stages as 7, 8, ..., 8, 7") {
  training t;
  t.ends_count_as_layers = true;
  list want(16, 8);
  want.front() = want.back() = 7;
  CHECK(sizes(split_layers(model_of(126, 0), t, 16)) == want);
}

TEST_CASE("the first and last stage can be set") {
  training t;
  t.first_stage_layers = 4;
  t.last_stage_layers = 1;
  CHECK(sizes(split_layers(model_of(61, 3), t, 16)) == [] {
    list want(16, 4);
    want.back() = 1;
    return want;
  }());
  t.last_stage_layers = 2;
  CHECK_THROWS_WITH_AS((void)split_layers(model_of(61, 3), t, 16),
                       doctest::Contains("the rest doesn't divide by the other stages"), invalid_argument);
}

TEST_CASE("virtual stages deal chunks round the stages, kinds included") {
  training t;
  t.virtual_stages = 2;
  const stage_split s = split_layers(model_of(8, 3), t, 2);  // chunks of 2: stage 0 has layers 0 1 4 5, stage 1 has 2 3 6 7
  CHECK(s.of(0)[0] == 2);
  CHECK(s.of(0)[1] == 2);
  CHECK(s.of(1)[0] == 1);
  CHECK(s.of(1)[1] == 3);
}

TEST_CASE("more chunks than layers are refused with the numbers") {
  training t;
  t.virtual_stages = 4;
  CHECK_THROWS_WITH_AS((void)split_layers(model_of(30, 0), t, 8),
                       doctest::Contains("as many layers are needed as there are chunks, 32"), invalid_argument);
  CHECK_THROWS_WITH_AS((void)split_layers(model_of(30, 0), {}, 0), doctest::Contains("pp is 0"), invalid_argument);
}

TEST_CASE("every split holds every layer once, and stages differ by one layer a chunk at most") {
  topoplan_test::random rng(7);
  for (int i = 0; i < 500; ++i) {
    training t;
    t.virtual_stages = 1 + static_cast<std::uint32_t>(rng.below(4));
    const auto pp = 1 + static_cast<std::uint32_t>(rng.below(12));
    const auto layers = pp * t.virtual_stages + static_cast<std::uint32_t>(rng.below(60));
    const transformer m = model_of(layers, static_cast<std::uint32_t>(rng.below(layers)));
    const stage_split s = split_layers(m, t, pp);
    REQUIRE(s.stages() == pp);
    list count(2, 0);
    for (std::uint32_t stage = 0; stage < pp; ++stage) {
      for (std::size_t k = 0; k < 2; ++k) count[k] += s.of(stage)[k];
      CHECK(s.layers(stage) + t.virtual_stages >= s.layers(0));
      CHECK(s.layers(stage) <= s.layers(0) + t.virtual_stages);
    }
    CHECK(count[0] == static_cast<std::uint32_t>(std::count(m.layers.begin(), m.layers.end(), 0)));
    CHECK(count[0] + count[1] == layers);
  }
}

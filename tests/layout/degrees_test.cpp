#include <topoplan/layout/degrees.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support/random.hpp"

using topoplan::axis;
using topoplan::degrees;
using topoplan::resolve;
using topoplan::resolve_for;
using topoplan::resolved_degrees;

namespace {

template <class Call> std::string refusal(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return {};
}

void check_resolve(const degrees& d, std::uint64_t world) {
  const std::uint64_t expert_tp = d.expert_tp == 0 ? d.tp : d.expert_tp;
  const std::uint64_t dense = std::uint64_t{d.tp} * d.cp * d.pp;
  const std::uint64_t expert = expert_tp * d.ep * d.pp;
  const bool legal = world > 0 && world % dense == 0 && world % expert == 0 && (d.dp == 0 || d.dp * dense == world);
  CAPTURE(world);
  const std::string message = refusal([&] { return resolve(d, world); });
  CHECK(message.empty() == legal);
  if (!legal) return;
  const resolved_degrees r = resolve(d, world);
  CHECK(r.world() == world);
  CHECK(std::uint64_t{r.tp} * r.cp * r.dp * r.pp == world);
  CHECK(std::uint64_t{r.expert_tp} * r.ep * r.expert_dp * r.pp == world);
  CHECK((r.tp == d.tp && r.cp == d.cp && r.ep == d.ep && r.pp == d.pp && r.expert_tp == expert_tp));
}

void check_resolve_for(const degrees& d, std::uint64_t gpus) {
  const std::uint64_t expert_tp = d.expert_tp == 0 ? d.tp : d.expert_tp;
  const std::uint64_t dense = std::uint64_t{d.tp} * d.cp * d.pp;
  const std::uint64_t expert = expert_tp * d.ep * d.pp;
  std::uint64_t largest = 0;
  for (std::uint64_t dp = 1; dp * dense <= gpus; ++dp)
    if (dp * dense % expert == 0) largest = dp;
  CAPTURE(gpus);
  const std::string message = refusal([&] { return resolve_for(d, gpus); });
  const std::uint64_t world = d.dp == 0 ? gpus : d.dp * dense;
  const bool legal = world > 0 && world % dense == 0 && world % expert == 0;
  CHECK(message.empty() == legal);
  if (legal) CHECK(resolve_for(d, gpus).world() == world);
  else if (d.dp == 0 && gpus < dense) CHECK(message.find("needs at least that many GPUs") != std::string::npos);
  else if (largest == 0) CHECK(message.find("no dp fits " + std::to_string(gpus) + " GPUs") != std::string::npos);
  else
    CHECK(message.find("the largest legal dp on " + std::to_string(gpus) + " GPUs is " + std::to_string(largest) +
                       ", which leaves " + std::to_string(gpus - largest * dense) + " GPUs as spares") != std::string::npos);
}

}  // namespace

TEST_CASE("resolve fills in what is open") {
  CHECK(resolve({.tp = 4, .cp = 2, .ep = 4, .pp = 2}, 64) ==
        resolved_degrees{.tp = 4, .cp = 2, .ep = 4, .dp = 4, .pp = 2, .expert_tp = 4, .expert_dp = 2});
  CHECK(resolve({.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32}, 256) ==
        resolved_degrees{.tp = 8, .cp = 1, .ep = 64, .dp = 32, .pp = 1, .expert_tp = 1, .expert_dp = 4});
  CHECK(resolve({}, 1).world() == 1);
  CHECK(resolve({}, topoplan::max_world).dp == 1U << 31U);
}

TEST_CASE("a degree is looked up by its axis") {
  const resolved_degrees r = resolve({.tp = 4, .cp = 3, .ep = 2, .expert_tp = 2, .pp = 5}, 4 * 3 * 5 * 7);
  CHECK(r.of(axis::tp) == 4);
  CHECK(r.of(axis::cp) == 3);
  CHECK(r.of(axis::ep) == 2);
  CHECK(r.of(axis::dp) == 7);
  CHECK(r.of(axis::pp) == 5);
  CHECK(r.of(axis::expert_tp) == 2);
  CHECK(r.of(axis::expert_dp) == 21);
}

TEST_CASE("what doesn't divide is refused with the numbers") {
  CHECK(refusal([] { return resolve({.tp = 4}, 10); }) ==
        "world size 10 isn't divisible by tp*cp*pp = 4*1*1 = 4; the largest legal dp is 2 (8 ranks)");
  CHECK(refusal([] { return resolve({.tp = 2, .ep = 3, .expert_tp = 2}, 16); }) ==
        "world size 16 isn't divisible by expert_tp*ep*pp = 2*3*1 = 6; the largest legal dp is 6 (12 ranks)");
  CHECK(refusal([] { return resolve({.tp = 2, .ep = 3, .expert_tp = 2}, 4); }) ==
        "world size 4 isn't divisible by expert_tp*ep*pp = 2*3*1 = 6; no dp gives a world of at most 4 ranks");
  CHECK(refusal([] { return resolve({.tp = 4, .dp = 3, .pp = 2}, 64); }) ==
        "dp 3 contradicts world size 64: with tp*cp*pp = 4*1*2 = 8, dp is 8");
  CHECK(refusal([] { return resolve({.tp = 0}, 8); }) == "tp is 0; a degree is at least 1");
  CHECK(refusal([] { return resolve({.cp = 0}, 8); }) == "cp is 0; a degree is at least 1");
  CHECK(refusal([] { return resolve({.ep = 0}, 8); }) == "ep is 0; a degree is at least 1");
  CHECK(refusal([] { return resolve({.pp = 0}, 8); }) == "pp is 0; a degree is at least 1");
  CHECK(refusal([] { return resolve({}, 0); }) == "world size 0 is outside 1 ... 2147483648");
  CHECK(refusal([] { return resolve({}, topoplan::max_world + 1); }) == "world size 2147483649 is outside 1 ... 2147483648");
}

TEST_CASE("a cluster with a remainder is refused with the largest legal dp and its spares") {
  CHECK(refusal([] { return resolve_for({.tp = 8, .pp = 4}, 190); }) ==
        "190 usable GPUs aren't divisible by tp*cp*pp = 8*1*4 = 32; the largest legal dp on 190 GPUs is 5, which leaves 30 GPUs "
        "as spares");
  CHECK(refusal([] { return resolve_for({.tp = 2, .ep = 12, .expert_tp = 1}, 40); }) ==
        "40 usable GPUs aren't divisible by expert_tp*ep*pp = 1*12*1 = 12; the largest legal dp on 40 GPUs is 18, which leaves 4 "
        "GPUs as spares");
  CHECK(refusal([] { return resolve_for({.tp = 8, .pp = 4}, 31); }) ==
        "tp*cp*pp = 8*1*4 = 32 needs at least that many GPUs, and 31 are usable");
  CHECK(refusal([] { return resolve_for({.tp = 2, .ep = 12, .expert_tp = 1, .dp = 5}, 40); }) ==
        "dp 5 gives a world of 10 ranks, which isn't divisible by expert_tp*ep*pp = 1*12*1 = 12; the largest legal dp on 40 GPUs "
        "is 18, which leaves 4 GPUs as spares");
  CHECK(resolve_for({.tp = 8, .dp = 32}, 288).world() == 256);
  CHECK(resolve_for({.tp = 8, .dp = 32}, 100).world() == 256);  // seats are another question
}

TEST_CASE("products beyond the limit are refused instead of wrapped around") {
  constexpr std::uint32_t half = 1U << 16U;
  CHECK(refusal([] { return resolve({.tp = half, .cp = half}, 65536); }) ==
        "world size 65536 isn't divisible by tp*cp*pp = 65536*65536*1 = more than 2147483648; no dp gives a world of at most "
        "65536 ranks");
  CHECK(refusal([] { return resolve_for({.tp = half, .dp = half}, 64); }) ==
        "tp*cp*pp = 65536*1*1 = 65536 times dp 65536 exceeds the limit of 2147483648 ranks");
  CHECK(refusal([] { return resolve_for({.tp = half, .cp = half, .pp = half}, 64); }).find("needs at least that many") !=
        std::string::npos);
  constexpr std::uint32_t third = 1U << 22U;  // the product of three is 0 in 64 bits
  CHECK(refusal([] { return resolve({.tp = third, .cp = third, .pp = third}, 64); }).find("more than 2147483648") !=
        std::string::npos);
  CHECK(refusal([] { return resolve({.ep = ~0U, .expert_tp = ~0U}, 64); }).find("more than 2147483648") != std::string::npos);
}

TEST_CASE("resolve and resolve_for on random degrees") {
  topoplan_test::random rng(21);
  const auto small = [&](std::uint64_t first, std::uint64_t last) {
    return static_cast<std::uint32_t>(rng.between(first, last));
  };
  for (int i = 0; i < 20000; ++i) {
    const degrees d{.tp = small(1, 4),
                    .cp = small(1, 3),
                    .ep = small(1, 6),
                    .expert_tp = small(0, 3),
                    .dp = rng.below(3) == 0 ? small(1, 6) : 0,
                    .pp = small(1, 3)};
    CAPTURE(d.tp);
    CAPTURE(d.cp);
    CAPTURE(d.ep);
    CAPTURE(d.expert_tp);
    CAPTURE(d.dp);
    CAPTURE(d.pp);
    check_resolve(d, rng.below(150));
    check_resolve(d, std::uint64_t{d.tp} * d.cp * d.pp * rng.between(1, 12));
    check_resolve_for(d, rng.below(150));
  }
}

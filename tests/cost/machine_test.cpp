#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/machine.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace topoplan;
using doctest::Approx;

std::string refusal(const cluster& c) {
  try {
    (void)machine_of(c, {});
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST_CASE("figures of the catalogue become operations, bytes, and bytes a second") {
  const gpu_model& g = find_gpu("h100-sxm");
  const machine m = machine_of(g, {});
  CHECK(m.gpu == g.title);
  CHECK(m.peak_16bit == Approx(989e12));
  CHECK(m.peak_fp8 == Approx(1979e12));
  CHECK(m.peak_fp4 == 0);
  CHECK(m.memory_rate == Approx(3.35e12));
  CHECK(m.power == 1);
  CHECK(machine_of(find_gpu("a100-sxm"), {}).peak_fp8 == 0);
}

TEST_CASE("memory is as large as the driver says, within 1 %") {
  // source: nvidia-smi -q, total FB memory usage in MiB.
  const auto gpu_memory = [](const char* gpu) { return machine_of(find_gpu(gpu), {}).memory / 1048576; };
  CHECK(gpu_memory("h100-sxm") == Approx(81559).epsilon(0.01));
  CHECK(gpu_memory("h200-sxm") == Approx(143771).epsilon(0.01));
  CHECK(gpu_memory("b200-sxm") == Approx(183359).epsilon(0.01));
  CHECK(gpu_memory("b300-sxm") == Approx(275040).epsilon(0.01));
}

TEST_CASE("boards of one family share one peak in 4 bits") {
  CHECK(machine_of(find_gpu("b200-sxm"), {}).peak_fp4 == machine_of(find_gpu("gb300"), {}).peak_fp4);
  CHECK(machine_of(find_gpu("gb200"), {}).peak_fp4 > machine_of(find_gpu("gb200"), {}).peak_fp8);
}

TEST_CASE("every GPU has the family of its architecture") {
  const auto family = [](const char* gpu) { return machine_of(find_gpu(gpu), {}).family; };
  CHECK(family("a100-sxm-40gb") == gpu_family::ampere);
  CHECK(family("h20") == gpu_family::hopper);
  CHECK(family("gh200") == gpu_family::hopper);
  CHECK(family("b200-sxm") == gpu_family::blackwell);
  CHECK(family("b300-sxm") == gpu_family::blackwell);
  CHECK(family("gb200") == gpu_family::grace_blackwell);
  CHECK(family("gb300") == gpu_family::grace_blackwell);
  CHECK(family("l40s") == gpu_family::other);
  CHECK(to_string(gpu_family::ampere) == "A100");
  CHECK(to_string(gpu_family::other) == "other");
}

TEST_CASE("later boards are B300 and GB300") {
  CHECK(machine_of(find_gpu("b300-sxm"), {}).later_board);
  CHECK(machine_of(find_gpu("gb300"), {}).later_board);
  CHECK_FALSE(machine_of(find_gpu("b200-sxm"), {}).later_board);
  CHECK_FALSE(machine_of(find_gpu("gb200"), {}).later_board);
}

TEST_CASE("a power cap is between a third of the part's power and all of it") {
  const gpu_model& g = find_gpu("h100-sxm");
  CHECK(machine_of(g, {}, 350).power == Approx(0.5));
  CHECK(machine_of(g, {}, 700).power == 1);
  CHECK_THROWS_WITH_AS((void)machine_of(g, {}, 1000), doctest::Contains("the H100-SXM 80GB takes 233 to 700 W"),
                       invalid_argument);
  CHECK_THROWS_AS((void)machine_of(g, {}, 5), invalid_argument);
  CHECK(machine_of(g, {}, 0).power == 1);
}

TEST_CASE("a GPU without published arithmetic is refused by name") {
  CHECK_THROWS_WITH_AS((void)machine_of(find_gpu("b100"), {}), doctest::Contains("B100: its arithmetic or memory"),
                       invalid_argument);
  CHECK_THROWS_AS((void)machine_of(find_gpu("v100-sxm"), {}), invalid_argument);
}

TEST_CASE("the machine of a cluster is that of its usable GPUs") {
  cluster c = make_cluster("dgx-h100:3");
  const interconnect links = interconnect_of(c);
  const machine m = machine_of(c, links);
  CHECK(m.family == gpu_family::hopper);
  CHECK(m.links.facts == links.facts);
  CHECK(machine_of(c, links, 350).power == Approx(0.5));

  c.gpu_models.push_back("A100-SXM 80GB");
  c.hosts[1].model = static_cast<std::uint16_t>(c.gpu_models.size() - 1);
  CHECK(refusal(c).find(c.hosts[1].name + " has A100-SXM 80GB, " + c.hosts[0].name + " has ") != std::string::npos);
  c.hosts[1].cordoned = true;
  CHECK(machine_of(c, links).family == gpu_family::hopper);

  for (host& h : c.hosts) h.cordoned = true;
  CHECK(refusal(c) == "the cluster has no usable GPU");
}

TEST_CASE("a cluster of unknown GPUs is refused with what to do") {
  cluster c = make_cluster("dgx-h100:1");
  c.gpu_models[c.hosts[0].model] = "X900";
  const std::string why = refusal(c);
  CHECK(why.find("X900") != std::string::npos);
  CHECK(why.find("--gpu") != std::string::npos);
}

}  // namespace

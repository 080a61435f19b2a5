// Tests of import/calibration_file.hpp: what is read, what stays, and what is refused at its line.
#include <topoplan/import/calibration_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topoplan;

namespace {

user_calibration read(const std::string& members) {
  return import::calibration_file("{\"format\": \"topoplan.calibration\", \"version\": 1" + members + "}", "own.json");
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(import::calibration_file(text, "own.json"));
  } catch (const parse_error& e) {
    return e.what();
  }
  return {};
}

// The refusal of a document whose members begin in line 2.
std::string refusal_of(const std::string& members) {
  return refusal("{\"format\": \"topoplan.calibration\", \"version\": 1,\n" + members + "}");
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a calibration without parts is topoplan's own") {
  const user_calibration c = read("");
  CHECK(c == user_calibration{});
  CHECK_FALSE(c.replaces(gpu_family::hopper));
  CHECK(read(", \"note\": \"measured in May\", \"links\": [], \"steps\": {}, \"memory\": {}") == c);
}

TEST_CASE("links: times are microseconds, what isn't given stays out") {
  const user_calibration c = read(
      ", \"links\": [{\"fabric\": \"roce\", \"collective\": \"all-reduce\", \"latency_us\": 31.7, \"efficiency\": 0.8},"
      "{\"family\": \"hopper\", \"collective\": \"all-to-all\", \"step_us\": 4e-1, \"half_size_bytes\": 1048576, \"power\": 1}]");
  REQUIRE(c.links.rows.size() == 2);
  const link_override& roce = c.links.rows[0];
  CHECK(roce.fabric == fabric_class::roce);
  CHECK_FALSE(roce.family);
  CHECK(roce.what == collective::all_reduce);
  CHECK(roce.first == 31.7e-6);  // not 31.7 * 1e-6, which is another number
  CHECK_FALSE(roce.step);
  CHECK(roce.efficiency == 0.8);
  CHECK_FALSE(roce.half_size);
  const link_override& hopper = c.links.rows[1];
  CHECK(hopper.family == link_family::hopper);
  CHECK(hopper.step == 0.4e-6);
  CHECK(hopper.half_size == 1048576);
  CHECK(hopper.power == 1);

  link_facts facts;
  facts.nvlink_rate = 450e9;
  facts.nic_rate = 50e9;
  facts.fabric = fabric_class::roce;
  const interconnect mine = interconnect_of(facts, {}, c.links);
  CHECK(mine.network[0].efficiency == 0.8);
  CHECK(mine.network[0].known == evidence::measured);
  CHECK(mine.network[0].step == interconnect_of(facts).network[0].step);
}

TEST_CASE("steps and memory: members by name, the others as shipped") {
  const user_calibration c =
      read(", \"steps\": {\"grace-blackwell\": {\"matmul_fp8\": 0.61}, \"ampere\": {}}, \"memory\": {\"context\": 2e9}");
  CHECK(c.replaces(gpu_family::grace_blackwell));
  CHECK(c.replaces(gpu_family::ampere));
  CHECK_FALSE(c.replaces(gpu_family::hopper));
  step_calibration expected = calibration_of(gpu_family::grace_blackwell);
  expected.matmul_fp8 = 0.61;
  CHECK(family_factors{gpu_family::other, c.factors_of(gpu_family::grace_blackwell)} ==
        family_factors{gpu_family::other, expected});
  CHECK(c.factors_of(gpu_family::hopper).matmul_16bit == calibration_of(gpu_family::hopper).matmul_16bit);
  CHECK(c.memory.context == 2e9);
  CHECK(c.memory.tight == memory_calibration{}.tight);
}

TEST_CASE("every factor has a name of its own, and its shipped value lies within its bounds") {
  for (const gpu_family family : gpu_families) {
    for (const auto& f : step_factors) {
      CAPTURE(std::string(f.name));
      const step_calibration shipped = calibration_of(family);
      CHECK(shipped.*f.value >= f.least);
      CHECK(shipped.*f.value <= f.most);
      step_calibration one;
      one.*f.value = -1;
      for (const auto& other : step_factors) CHECK((one.*other.value == -1) == (other.name == f.name));
    }
  }
  for (const auto& f : memory_factors) {
    memory_calibration one;
    CHECK(one.*f.value >= f.least);
    CHECK(one.*f.value <= f.most);
    one.*f.value = -1;
    for (const auto& other : memory_factors) CHECK((one.*other.value == -1) == (other.name == f.name));
  }
}

TEST_CASE("what is refused, at its line, with what was expected") {
  CHECK(holds(refusal("[]"), "topoplan.calibration"));
  CHECK(holds(refusal("{\"format\": \"topoplan.plan\", \"version\": 1}"), "'topoplan.plan'"));
  CHECK(holds(refusal("{\"format\": \"topoplan.calibration\"}"), "'version'"));
  CHECK(holds(refusal("{\"format\": \"topoplan.calibration\",\n\"version\": 2}"), "own.json:2:12: expected version 1, found 2"));
  CHECK(holds(refusal_of("\"link\": []"), "own.json:2:"));
  CHECK(holds(refusal_of("\"link\": []"), "format, version, note, links, steps, memory"));
  CHECK(holds(refusal_of("\"steps\": {\"h100\": {}}"), "ampere, hopper, blackwell, grace-blackwell, other"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\n\"matmul\": 0.8}}"), "own.json:3:"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\n\"matmul\": 0.8}}"), "found the name 'matmul'"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\"matmul_16bit\": 80}}"), "matmul_16bit, a number from 0.01 to 2, found 80"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\"matmul_16bit\": \"0.8\"}}"), "matmul_16bit, a number"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\"matmul_16bit\": null}}"), "found nothing"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": {\"step\": -1}}"), "step, a number from 0 to 10, found -1"));
  CHECK(holds(refusal_of("\"steps\": {\"hopper\": 3}"), "a map from names to numbers"));
  CHECK(holds(refusal_of("\"memory\": {\"contexts\": 1}"), "context, process_context"));
  CHECK(holds(refusal_of("\"links\": {}"), "a list"));
  CHECK(holds(refusal_of("\"links\": [{\"collective\": \"all-reduce\", \"step_us\": 1}]"), "found neither"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"hopper\", \"fabric\": \"roce\", \"collective\": \"all-reduce\"}]"),
              "found both"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"h100\", \"collective\": \"all-reduce\", \"step_us\": 1}]"),
              "volta, ampere, hopper"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"hopper\", \"collective\": \"allreduce\", \"step_us\": 1}]"),
              "all-reduce, all-gather"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"hopper\", \"collective\": \"all-reduce\"}]"), "a figure: latency_us"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"hopper\", \"collective\": \"all-reduce\", \"latency\": 1}]"),
              "found the key 'latency'"));
  CHECK(holds(refusal_of("\"links\": [{\"family\": \"hopper\", \"collective\": \"all-reduce\", \"efficiency\": 95}]"),
              "efficiency, a number from 0.001 to 2, found 95"));
  CHECK(holds(refusal("{"), "own.json:1:"));
}

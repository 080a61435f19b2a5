#include <topoplan/import/gpu_fabric.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

using namespace topoplan::import;

namespace {

constexpr auto zero = "00000000-0000-0000-0000-000000000000";
constexpr auto some = "aaaaaaaa-1111-2222-3333-444444444444";

gpu_fabric fabric(fabric_state state, const std::string& status, const std::string& uuid, std::optional<std::uint32_t> clique) {
  gpu_fabric f;
  f.state = state;
  f.status = status;
  f.cluster_uuid = uuid;
  f.clique = clique;
  return f;
}

}  // namespace

TEST_CASE("what a Fabric section means") {
  using enum fabric_state;
  CHECK(standing_of(fabric(none, "", "", {})) == fabric_standing::none);
  CHECK(standing_of(fabric(not_started, "", "", {})) == fabric_standing::not_ready);
  CHECK(standing_of(fabric(in_progress, "", "", {})) == fabric_standing::not_ready);
  CHECK(standing_of(fabric(completed, "Success", zero, 0)) == fabric_standing::own_host);
  CHECK(standing_of(fabric(completed, "Success", zero, 32766)) == fabric_standing::own_host);
  CHECK(standing_of(fabric(completed, "Success", some, 0)) == fabric_standing::in_domain);
  CHECK(standing_of(fabric(completed, "", some, 7)) == fabric_standing::in_domain);
  CHECK(standing_of(fabric(completed, "Success", "", {})) == fabric_standing::not_told);
  CHECK(standing_of(fabric(completed, "Success", some, {})) == fabric_standing::not_told);
  CHECK(standing_of(fabric(completed, "Unknown Error", some, 7)) == fabric_standing::failed);
  CHECK(standing_of(fabric(unclear, "", some, 7)) == fabric_standing::not_told);
  CHECK(standing_of(fabric(not_given, "", some, 7)) == fabric_standing::in_domain);
  CHECK(standing_of(fabric(not_given, "", "", {})) == fabric_standing::not_told);
}

TEST_CASE("a domain has a key of two parts") {
  const auto key = domain_of(fabric(fabric_state::completed, "Success", some, 7));
  REQUIRE(key);
  CHECK(to_string(*key) == std::string(some) + ".7");
  CHECK(parse_domain_key(to_string(*key)) == key);
  CHECK(*key != *parse_domain_key(std::string(some) + ".8"));
  CHECK(*key != *parse_domain_key("bbbbbbbb-1111-2222-3333-444444444444.7"));
  CHECK(parse_domain_key("AAAAAAAA-1111-2222-3333-444444444444.7") == key);
  CHECK(parse_domain_key(std::string(some) + ".4294967295")->clique == 4294967295U);
  for (const auto* text : {"", "7", "aaaaaaaa-1111-2222-3333-444444444444", "aaaaaaaa-1111-2222-3333-444444444444.",
                           "aaaaaaaa-1111-2222-3333-444444444444.x", "aaaaaaaa-1111-2222-3333-444444444444.4294967296",
                           "aaaaaaaa-1111-2222-3333-44444444444g.7", "aaaaaaaa01111-2222-3333-444444444444.7"}) {
    INFO(text);
    CHECK(!parse_domain_key(text));
  }
  CHECK(!domain_of(fabric(fabric_state::in_progress, "", some, 7)));
  CHECK(is_zero_uuid(zero));
  CHECK(!is_zero_uuid(some));
  CHECK(!is_zero_uuid("0-0"));
}

TEST_CASE("a fault of the fabric is told and takes no domain away") {
  auto f = fabric(fabric_state::completed, "Success", some, 2);
  CHECK(!is_degraded(f));
  f.health = "Healthy";
  f.bandwidth = "Full";
  CHECK(!is_degraded(f));
  f.health = "Unhealthy";
  CHECK(is_degraded(f));
  CHECK(domain_of(f));
  f.health.clear();
  f.bandwidth = "Degraded";
  CHECK(is_degraded(f));
}

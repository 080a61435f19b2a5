#include <topoplan/cluster/spec.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.hpp"

using topoplan::cluster_spec;
using topoplan::fabric_kind;
using topoplan::parse_spec;

namespace {

// What parse_spec says about a bad spec: the column and the message.
std::pair<std::size_t, std::string> complaint(std::string_view text) {
  try {
    (void)parse_spec(text);
  } catch (const topoplan::parse_error& e) {
    return {e.where().column, e.what()};
  }
  return {0, "no exception"};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE_BEGIN("cluster/spec");

TEST_CASE("a spec is read into its parts") {
  CHECK(parse_spec("dgx-h100:128") == cluster_spec{.product = "dgx-h100", .count = 128});
  CHECK(parse_spec("gb200-nvl72:16") == cluster_spec{.product = "gb200-nvl72", .count = 16});
  const cluster_spec full{.product = "hgx-h100",
                          .count = 96,
                          .leaf = 32,
                          .oversubscription = {2},
                          .fabric = fabric_kind::roce,
                          .rails = 4,
                          .names = "gpu-"};
  CHECK(parse_spec("hgx-h100:96 leaf=32 oversubscription=2 fabric=roce rails=4 names=gpu-") == full);
  CHECK(parse_spec("  hgx-h100:96\tnames=gpu- rails=4\n fabric=roce oversubscription=2:1 leaf=32 ") == full);
  CHECK(parse_spec("dgx-b200:512 oversubscription=1,7:1").oversubscription == std::vector<double>{1, 7});
  CHECK(parse_spec("dgx-b200:512 oversubscription=1.125").oversubscription == std::vector<double>{1.125});
  CHECK(parse_spec("GB200:2").product == "gb200-nvl72");
  CHECK(parse_spec("dgx-b300:72 fabric=infiniband") == parse_spec("dgx-b300:72 fabric=ib"));
}

TEST_CASE("a spec prints in one canonical line") {
  CHECK(to_string(parse_spec("dgx-h100:128")) == "dgx-h100:128");
  CHECK(to_string(parse_spec("hgx-h100:96   fabric=roce  leaf=32 oversubscription=2.0 ")) ==
        "hgx-h100:96 leaf=32 oversubscription=2 fabric=roce");
  CHECK(to_string(parse_spec("GB200:2 names=a- rails=2 fabric=infiniband")) == "gb200-nvl72:2 fabric=ib rails=2 names=a-");
  CHECK(to_string(parse_spec("dgx-b200:512 oversubscription=1,1.125:1")) == "dgx-b200:512 oversubscription=1,1.125");
}

TEST_CASE("reading what was printed gives the same spec, and printing is a fixed point") {
  topoplan_test::random rng(11);
  const auto systems = topoplan::system_catalogue();
  const std::vector<fabric_kind> fabrics{fabric_kind::infiniband, fabric_kind::roce,      fabric_kind::spectrum_x,
                                         fabric_kind::efa,        fabric_kind::slingshot, fabric_kind::ethernet};
  for (int i = 0; i < 2000; ++i) {
    cluster_spec spec;
    spec.product = systems[rng.below(systems.size())].name;
    spec.count = static_cast<std::uint32_t>(rng.between(1, 4096));
    if (rng.below(2) == 0) spec.leaf = static_cast<std::uint32_t>(rng.between(1, 256));
    for (std::uint64_t ratios = rng.below(4); ratios > 0; --ratios)
      spec.oversubscription.push_back(1 + static_cast<double>(rng.below(5000)) / 700);
    if (rng.below(2) == 0) spec.fabric = rng.pick(fabrics);
    if (rng.below(2) == 0) spec.rails = static_cast<std::uint16_t>(rng.between(1, 16));
    if (rng.below(2) == 0) spec.names = "n" + std::to_string(rng.below(100)) + "-";
    const std::string text = to_string(spec);
    CAPTURE(text);
    CHECK(parse_spec(text) == spec);
    CHECK(to_string(parse_spec(text)) == text);
  }
}

TEST_CASE("an unknown product lists the products and the near ones") {
  const auto [column, text] = complaint("dgx-h10:8");
  CHECK(column == 1);
  CHECK(contains(text, "cluster spec 'dgx-h10:8':1:1: expected PRODUCT:COUNT with a product of"));
  for (const topoplan::system_model& s : topoplan::system_catalogue()) CHECK(contains(text, s.name));
  CHECK(contains(text, "found 'dgx-h10'; did you mean dgx-h100"));
  CHECK(contains(complaint("").second, "found nothing"));
  CHECK(contains(complaint("leaf=3").second, "expected PRODUCT:COUNT"));
}

TEST_CASE("each bad part is reported with its column and what is accepted there") {
  struct bad {
    std::string_view text;
    std::size_t column;
    std::string_view says;
  };
  const bad cases[] = {
      {"dgx-h100", 9, "expected ':' and the number of hosts, 1 to 2097152, as in dgx-h100:16, found nothing"},
      {"dgx-h100:", 10, "found nothing"},
      {"dgx-h100:0", 10, "found '0'"},
      {"dgx-h100:-4", 10, "found '-4'"},
      {"dgx-h100:x", 10, "found 'x'"},
      {"dgx-h100:12x", 10, "found '12x'"},
      {"dgx-h100:2097153", 10, "1 to 2097152"},
      {"dgx-h100:99999999999999999999", 10, "number of hosts"},
      {"gb200-nvl72:0", 13, "number of racks, 1 to 233016"},
      {"dgx-h100 :8", 9, "found nothing"},
      {"dgx-h100:8 lef=3", 12,
       "an option of leaf=N, oversubscription=R[,R...], fabric=KIND, rails=N, names=PREFIX, found 'lef=3'"},
      {"dgx-h100:8 leaf", 12, "found 'leaf'"},
      {"dgx-h100:8 leaf=", 17, "leaf=N, hosts or racks of a leaf group, 1 to 65536, found nothing"},
      {"dgx-h100:8 leaf=0", 17, "found '0'"},
      {"dgx-h100:8 leaf=3 leaf=4", 19, "each option once, found 'leaf=4'"},
      {"dgx-h100:8 oversubscription=0.5", 29, "each 1 to 1000"},
      {"dgx-h100:8 oversubscription=2,", 31, "found nothing"},
      {"dgx-h100:8 oversubscription=1,x", 31, "found 'x'"},
      {"dgx-h100:8 oversubscription=nan", 29, "found 'nan'"},
      {"dgx-h100:8 oversubscription=inf", 29, "found 'inf'"},
      {"dgx-h100:8 oversubscription=1:7", 29, "found '1:7'"},
      {"dgx-h100:8 fabric=token-ring", 19,
       "a fabric of ib, infiniband, roce, spectrum-x, efa, slingshot, ethernet, found 'token-ring'"},
      {"dgx-h100:8 rails=0", 18, "rails=N, 1 to 64"},
      {"dgx-h100:8 rails=65", 18, "rails=N, 1 to 64"},
      {"dgx-h100:8 names=", 18, "names=PREFIX"},
      {"dgx-h100:8 names=-a", 18, "beginning with a letter or digit"},
      {"dgx-h100:8 names=a_b", 18, "found 'a_b'"},
  };
  for (const bad& b : cases) {
    CAPTURE(b.text);
    const auto [column, text] = complaint(b.text);
    CAPTURE(text);
    CHECK(column == b.column);
    CHECK(contains(text, b.says));
  }
}

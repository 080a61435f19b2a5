#include <topoplan/layout/order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

using topoplan::axis;
using topoplan::mesh_order;
using topoplan::order;

static_assert(std::is_trivially_copyable_v<order>);
static_assert(!std::is_convertible_v<mesh_order, order> && !std::is_constructible_v<order, mesh_order>);
static_assert(!std::is_convertible_v<std::string_view, order>, "a text says no direction");
static_assert(topoplan::orders::megatron[0] == axis::tp && topoplan::orders::megatron.size() == 5);

TEST_CASE("every order of every subset of axes prints and reads back, and turns around and back") {
  std::array<axis, 5> axes{axis::tp, axis::cp, axis::ep, axis::dp, axis::pp};
  int orders = 0;
  std::sort(axes.begin(), axes.end());
  do {
    for (std::size_t length = 1; length <= axes.size(); ++length) {
      std::string text;
      std::string backwards;
      for (std::size_t i = 0; i < length; ++i) {
        const std::string name(to_string(axes[i]));
        text += (i == 0 ? "" : "-") + name;
        backwards.insert(0, name + (i == 0 ? "" : "-"));
      }
      const order o(text);
      REQUIRE(to_string(o) == text);
      REQUIRE(o.size() == length);
      REQUIRE(std::equal(o.begin(), o.end(), axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(length)));
      for (const axis a : axes) REQUIRE(o.contains(a) == (std::find(o.begin(), o.end(), a) != o.end()));
      REQUIRE(to_string(to_slowest_first(o)) == backwards);
      REQUIRE(to_fastest_first(to_slowest_first(o)) == o);
      REQUIRE(to_slowest_first(o) == mesh_order(backwards));
      ++orders;
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  CHECK(orders == 600);
}

TEST_CASE("orders that differ in length or sequence differ") {
  CHECK(order("tp") != order("tp-cp"));
  CHECK(order("tp-cp") != order("cp-tp"));
  CHECK(order("tp-cp") == order("tp-cp"));
}

TEST_CASE("what isn't an order is refused with the text and the token") {
  const auto refusal = [](const char* text) -> std::string {
    try {
      static_cast<void>(order(text));
    } catch (const topoplan::invalid_argument& e) {
      return e.what();
    }
    return {};
  };
  const std::string made_of = "; an order is made of tp, cp, ep, dp and pp, such as tp-cp-ep-dp-pp";
  CHECK(refusal("") == "order '' holds ''" + made_of);
  CHECK(refusal("tp-") == "order 'tp-' holds ''" + made_of);
  CHECK(refusal("tp--pp") == "order 'tp--pp' holds ''" + made_of);
  CHECK(refusal("tp,cp") == "order 'tp,cp' holds 'tp,cp'" + made_of);
  CHECK(refusal("TP-pp") == "order 'TP-pp' holds 'TP'" + made_of);
  CHECK(refusal("tp-xx") == "order 'tp-xx' holds 'xx'" + made_of);
  CHECK(refusal("expert_tp-ep") == "order 'expert_tp-ep' holds 'expert_tp'" + made_of);
  CHECK(refusal("tp-cp-ep-dp-pp-tp") == "order 'tp-cp-ep-dp-pp-tp' names tp twice");
  CHECK(refusal("pp-pp") == "order 'pp-pp' names pp twice");
}

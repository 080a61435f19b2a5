#include <topoplan/workload/traffic.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "workload/models.hpp"

using namespace topoplan;
using doctest::Approx;

namespace {

// The bytes that a layer passes over an axis with that collective, forward and backward.
struct amount {
  double forward = 0;
  double backward = 0;
};

amount sent(const layer_traffic& traffic, axis over, collective what) {
  amount a;
  for (const message& m : traffic) {
    if (m.over != over || m.what != what) continue;
    a.forward += m.bytes * m.forward;
    a.backward += m.bytes * m.backward;
  }
  return a;
}

}  // namespace

TEST_CASE("tensor parallelism reduces twice a pass, or gathers and scatters as much with sequence parallelism") {
  const transformer m = topoplan_test::llama_8b();
  training t;
  t.sequence = 4096;
  t.micro_batch = 2;
  t.sequence_parallel = false;
  resolved_degrees d;
  d.tp = 4;
  const double state = 2.0 * 4096 * 2 * 4096;
  const layer_traffic plain = traffic_of_layer(m, m.kinds[0], t, d);
  CHECK(sent(plain, axis::tp, collective::all_reduce).forward == Approx(2 * state));
  CHECK(sent(plain, axis::tp, collective::all_reduce).backward == Approx(2 * state));
  t.sequence_parallel = true;
  const layer_traffic sharded = traffic_of_layer(m, m.kinds[0], t, d);
  CHECK(sent(sharded, axis::tp, collective::all_reduce).forward == 0);
  CHECK(sent(sharded, axis::tp, collective::all_gather).forward == Approx(2 * state));
  CHECK(sent(sharded, axis::tp, collective::reduce_scatter).forward == Approx(2 * state));
}

TEST_CASE("a degree of 1 sends nothing") {
  const transformer m = topoplan_test::deepseek_v3();
  for (const layer_kind& k : m.kinds) CHECK(traffic_of_layer(m, k, {}, {}).count == 0);
}

TEST_CASE("experts exchange top_k copies of each token twice a pass, 2 bytes an element") {
  const transformer m = topoplan_test::deepseek_v3();
  training t;
  t.sequence = 4096;
  resolved_degrees d;
  d.ep = 64;
  d.dp = 64;
  const layer_traffic traffic = traffic_of_layer(m, m.kinds[1], t, d);
  const amount a = sent(traffic, axis::ep, collective::all_to_all);
  CHECK(a.forward == Approx(2.0 * 4096 * 8 * 7168 * 2));
  CHECK(a.backward == Approx(a.forward));
  CHECK(sent(traffic_of_layer(m, m.kinds[0], t, d), axis::ep, collective::all_to_all).forward == 0);
}

TEST_CASE("context parallelism passes keys and values round the ring, gradients back with them") {
  const transformer m = topoplan_test::llama_8b();
  training t;
  t.sequence = 8192;
  resolved_degrees d;
  d.cp = 4;
  const amount a = sent(traffic_of_layer(m, m.kinds[0], t, d), axis::cp, collective::send_recv);
  CHECK(a.forward == Approx(3 * 2048.0 * (2 * 8 * 128) * 2));
  CHECK(a.backward == Approx(2 * a.forward));
}

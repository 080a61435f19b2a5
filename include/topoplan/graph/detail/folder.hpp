// Reads a graph once and puts the cluster together that it shows.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/detail/fold_network.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/nvlink.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// What a graph doesn't say.
struct fold_options {
  std::string name = "graph";  // of the cluster, and the source of its figures
  std::string gpu_model = "unknown";
  fabric_kind fabric = fabric_kind::unknown;
  std::vector<std::string> host_names = {};  // for graphs whose hosts are numbers; "host-3" where it is too short
};

// A property that says on which host a vertex is: a name, or a number.
template <class Map, class Vertex>
concept host_property_of = property_of<Map, Vertex, std::string_view> || property_of<Map, Vertex, std::uint64_t>;

namespace detail {

// Reads a graph once and puts the cluster together.
template <class Graph, class Kind, class Host, class Link, class Rate> class folder {
 public:
  using vertex = vertex_of<Graph>;

  folder(const Graph& g, const Kind& kind, const Host& host, const Link& link, const Rate& rate, const fold_options& options)
      : g_(g), kind_(kind), host_(host), link_(link), rate_(rate), options_(options) {}

  [[nodiscard]] cluster fold() {
    c_.name = options_.name;
    c_.fabric = options_.fabric;
    c_.gpu_models = {options_.gpu_model.empty() ? std::string("unknown") : options_.gpu_model};
    find_hosts();
    if (c_.gpus.empty()) throw invalid_argument(options_.name + ": the graph has no vertex of kind gpu, so it makes no cluster");
    find_domains();
    find_bridges_and_nics();
    find_network();
    return std::move(c_);
  }

 private:
  [[nodiscard]] provenance from() const { return {confidence::derived, options_.name}; }
  [[nodiscard]] std::size_t number(vertex v) const { return static_cast<std::size_t>(get(get(boost::vertex_index, g_), v)); }
  [[nodiscard]] vertex_kind kind_of(vertex v) const { return static_cast<vertex_kind>(read(kind_, v)); }
  [[nodiscard]] std::string gpu_text(std::uint32_t g) const {
    return c_.host_of(gpu_id{g}).name + " GPU " + std::to_string(c_.gpus[g].index);
  }

  static constexpr bool named = property_of<Host, vertex, std::string_view>;
  using host_key = std::conditional_t<named, std::string, std::uint64_t>;
  [[nodiscard]] host_key key_of(vertex v) const {
    if constexpr (named) return std::string(static_cast<std::string_view>(read(host_, v)));
    else return static_cast<std::uint64_t>(read(host_, v));
  }
  [[nodiscard]] std::string name_of_host(const host_key& key) const {
    if constexpr (named) return key;
    else return key < options_.host_names.size() ? options_.host_names[key] : "host-" + std::to_string(key);
  }
  // The host of a vertex; no_number if no GPU is there.
  [[nodiscard]] std::uint32_t host_at(vertex v) const {
    const auto at = host_number_.find(key_of(v));
    return at == host_number_.end() ? no_number : at->second;
  }

  // Visits the far end and the rate of each link of that kind.
  template <class Visit> void for_links(vertex v, link_kind wanted, const Visit& visit) const {
    for (auto [e, e_end] = out_edges(v, g_); e != e_end; ++e) {
      const auto edge = *e;
      if (static_cast<link_kind>(read(link_, edge)) == wanted)
        visit(target(edge, g_), static_cast<bytes_per_second>(read(rate_, edge)));
    }
  }

  void find_hosts() {
    std::vector<std::vector<vertex>> gpus;
    for (auto [v, v_end] = vertices(g_); v != v_end; ++v) {
      if (kind_of(*v) != vertex_kind::gpu) continue;
      const auto [at, fresh] = host_number_.emplace(key_of(*v), static_cast<std::uint32_t>(gpus.size()));
      if (fresh) {
        gpus.emplace_back();
        c_.hosts.emplace_back();
        c_.hosts.back().name = name_of_host(at->first);
      }
      gpus[at->second].push_back(*v);
    }
    gpu_at_.assign(num_vertices(g_), no_number);
    for (std::uint32_t h = 0; h < gpus.size(); ++h) {
      c_.hosts[h].first_gpu = static_cast<std::uint32_t>(c_.gpus.size());
      c_.hosts[h].gpu_count = static_cast<std::uint16_t>(gpus[h].size());
      for (std::uint16_t i = 0; i < gpus[h].size(); ++i) {
        gpu_at_[number(gpus[h][i])] = static_cast<std::uint32_t>(c_.gpus.size());
        gpu one;
        one.host = host_id{h};
        one.index = i;
        c_.gpus.push_back(one);
      }
    }
  }

  void find_domains() {
    const auto domains = nvlink_domains(g_, kind_, link_, rate_);
    std::vector<std::uint32_t> first(domains.size(), no_number);
    std::vector<bool> wide(domains.size(), false);
    for (std::uint32_t d = 0; d < domains.size(); ++d) {
      for (const vertex v : domains[d].gpus) {
        const std::uint32_t g = gpu_at_[number(v)];
        c_.gpus[g].domain = domain_id{d};
        wide[d] = wide[d] || c_.gpus[g].host != c_.gpus[gpu_at_[number(domains[d].gpus[0])]].host;
      }
      c_.nvlink.rate = std::max(c_.nvlink.rate, domains[d].rate);
    }
    c_.nvlink.from = from();
    adopt_strays(wide);
    renumber_domains(domains.size());
    for (const auto& d : domains) describe(d);
  }

  // A domain that spans hosts takes all their GPUs: one that its NVLinks don't reach is of no use where it is.
  void adopt_strays(const std::vector<bool>& wide) {
    for (host& h : c_.hosts) {
      std::uint32_t spanning = no_number;
      for (std::uint32_t g = h.first_gpu; g < h.first_gpu + h.gpu_count; ++g)
        if (spanning == no_number && wide[c_.gpus[g].domain.value]) spanning = c_.gpus[g].domain.value;
      for (std::uint32_t g = h.first_gpu; spanning != no_number && g < h.first_gpu + h.gpu_count; ++g) {
        if (c_.gpus[g].domain.value == spanning) continue;
        c_.gpus[g].domain = domain_id{spanning};
        c_.gpus[g].health = gpu_health::unhealthy;
        c_.notes.push_back(gpu_text(g) + " isn't on the NVLinks that its host shares with others: it is marked unhealthy");
      }
    }
  }
  void renumber_domains(std::size_t count) {
    std::vector<std::uint32_t> to(count, no_number);
    for (gpu& g : c_.gpus) {
      if (to[g.domain.value] == no_number) to[g.domain.value] = c_.domains++;
      g.domain = domain_id{to[g.domain.value]};
    }
  }
  void describe(const nvlink_domain<vertex>& d) {
    const std::string which =
        "the " + std::to_string(d.gpus.size()) + " GPUs from " + gpu_text(gpu_at_[number(d.gpus[0])]) + " on";
    if (d.unjoined_pairs != 0)
      c_.notes.push_back("the NVLinks of " + which + " form a mesh: " + std::to_string(d.unjoined_pairs) + " of " +
                         std::to_string(d.gpus.size() * (d.gpus.size() - 1) / 2) + " pairs aren't joined");
    for (const vertex v : d.slower)
      c_.notes.push_back(gpu_text(gpu_at_[number(v)]) + " has slower NVLinks than others of its domain");
    if (d.gpus.size() == 1 && d.rate.value == 0 && c_.nvlink.rate.value > 0 &&
        c_.gpus[gpu_at_[number(d.gpus[0])]].health == gpu_health::ok)
      c_.notes.push_back(gpu_text(gpu_at_[number(d.gpus[0])]) + " has no NVLink, unlike others");
  }

  void find_bridges_and_nics() {
    std::vector<std::uint32_t> nic_at(num_vertices(g_), no_number), bridge_at(num_vertices(g_), no_number);
    std::vector<std::uint32_t> bridges(c_.hosts.size(), 0);
    std::vector<std::vector<vertex>> nics(c_.hosts.size());
    for (auto [v, v_end] = vertices(g_); v != v_end; ++v) {
      const vertex_kind kind = kind_of(*v);
      if (kind != vertex_kind::nic && kind != vertex_kind::host_bridge) continue;
      const std::uint32_t h = host_at(*v);
      if (h == no_number) continue;
      if (kind == vertex_kind::nic) nics[h].push_back(*v);
      else bridge_at[number(*v)] = bridges[h]++;
    }
    for (std::uint32_t h = 0; h < nics.size(); ++h)
      for (const vertex v : nics[h]) {
        nic_at[number(v)] = static_cast<std::uint32_t>(nics_.size());
        nics_.push_back(read_nic(v, h));
      }
    nic_of_.resize(c_.gpus.size(), no_number);
    for (auto [v, v_end] = vertices(g_); v != v_end; ++v)
      if (const std::uint32_t g = gpu_at_[number(*v)]; g != no_number) attach(*v, g, nic_at, bridge_at, bridges);
    c_.pcie.from = from();
  }

  [[nodiscard]] folded_nic read_nic(vertex v, std::uint32_t h) const {
    folded_nic nic{h, 0, {}, 0};
    for_links(v, link_kind::network, [&](vertex to, bytes_per_second rate) {
      if (!is_network_switch(kind_of(to))) return;
      nic.rate += rate.value;
      nic.leafs.push_back(static_cast<std::uint32_t>(number(to)));
    });
    std::sort(nic.leafs.begin(), nic.leafs.end());
    return nic;
  }

  // The NUMA node and the NIC of a GPU: a NIC that is joined with it, else its share of those at its bridge.
  void attach(vertex v, std::uint32_t g, const std::vector<std::uint32_t>& nic_at, const std::vector<std::uint32_t>& bridge_at,
              const std::vector<std::uint32_t>& bridges) {
    std::uint32_t near = no_number;
    std::vector<std::uint32_t> at_bridge, mates;
    for_links(v, link_kind::pcie, [&](vertex to, bytes_per_second rate) {
      c_.pcie.rate = std::max(c_.pcie.rate, rate);
      if (nic_at[number(to)] != no_number) near = std::min(near, nic_at[number(to)]);
      if (bridge_at[number(to)] == no_number) return;
      if (bridges[c_.gpus[g].host.value] > 1) c_.gpus[g].numa = static_cast<std::int16_t>(bridge_at[number(to)]);
      for_links(to, link_kind::pcie, [&](vertex other, bytes_per_second) {
        if (nic_at[number(other)] != no_number) at_bridge.push_back(nic_at[number(other)]);
        if (gpu_at_[number(other)] != no_number) mates.push_back(gpu_at_[number(other)]);
      });
    });
    if (near == no_number && !at_bridge.empty()) {
      std::sort(at_bridge.begin(), at_bridge.end());
      const auto place =
          static_cast<std::size_t>(std::count_if(mates.begin(), mates.end(), [&](std::uint32_t m) { return m < g; }));
      near = at_bridge[place * at_bridge.size() / mates.size()];
    }
    nic_of_[g] = near;
  }

  void find_network() {
    for (const std::size_t odd : number_rails(nics_))
      c_.notes.push_back(c_.hosts[nics_[odd].host].name + " has a NIC on the switches of rail " +
                         std::to_string(nics_[odd].rail) + ", out of order");
    std::uint32_t rails = 1;
    for (const folded_nic& nic : nics_) rails = std::max(rails, nic.rail + 1);
    c_.rails = static_cast<std::uint16_t>(rails);
    for (std::size_t g = 0; g < c_.gpus.size(); ++g)
      if (nic_of_[g] != no_number) c_.gpus[g].rail = static_cast<std::uint16_t>(nics_[nic_of_[g]].rail);
    set_nic_rate();

    const auto hosts = static_cast<std::uint32_t>(c_.hosts.size());
    std::vector<folded_tier> tiers = tier_finder<Graph, Kind, Link, Rate>(g_, kind_, link_, rate_).find(nics_, hosts);
    const bool known = std::any_of(nics_.begin(), nics_.end(), [](const folded_nic& n) { return !n.leafs.empty(); });
    if (!known) {
      tiers = {{std::vector<std::uint32_t>(hosts, 0), 1, 1}};
      c_.notes.push_back("the graph shows no switch that a NIC hangs on: one leaf group for all hosts is assumed");
    }
    for (std::uint32_t h = 0; h < hosts; ++h) c_.hosts[h].leaf = tiers[0].parent[h];
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      tier level;
      level.name = tier_name(t, tiers.size());
      level.oversubscription = tiers[t].oversubscription > 0 ? tiers[t].oversubscription : 1;
      level.from = known ? from() : provenance{confidence::assumed, options_.name};
      const name_series name(level.name, tiers[t].groups, 1);
      for (std::uint32_t n = 0; n < tiers[t].groups; ++n)
        level.nodes.push_back({name(n), t + 1 < tiers.size() ? tiers[t + 1].parent[n] : 0});
      c_.tiers.push_back(std::move(level));
    }
  }

  // NIC rate of a host over its GPUs; of the hosts, the smallest.
  void set_nic_rate() {
    std::vector<double> sum(c_.hosts.size(), 0);
    for (const folded_nic& nic : nics_) sum[nic.host] += nic.rate;
    double least = 0, most = 0;
    for (std::size_t h = 0; h < sum.size(); ++h) {
      const double rate = sum[h] / c_.hosts[h].gpu_count;
      least = h == 0 ? rate : std::min(least, rate);
      most = std::max(most, rate);
    }
    c_.nic = {bytes_per_second{least}, {}, from()};
    if (most > least * (1 + 1e-9)) c_.notes.push_back("hosts differ in NIC rate per GPU; the smallest is taken");
  }

  const Graph& g_;
  const Kind& kind_;
  const Host& host_;
  const Link& link_;
  const Rate& rate_;
  const fold_options& options_;
  cluster c_;
  std::unordered_map<host_key, std::uint32_t> host_number_;
  std::vector<std::uint32_t> gpu_at_;  // by vertex
  std::vector<std::uint32_t> nic_of_;  // by GPU
  std::vector<folded_nic> nics_;
};

}  // namespace detail

}  // namespace topoplan::inline v1

// A simulated InfiniBand fabric, made from a fabric_graph and written as each tool would print it, or as ibsim reads it.
#pragma once

#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan_test {

struct ib_net_port {
  std::uint32_t device = 0;
  std::uint32_t number = 0;
};

struct ib_net_cable {
  ib_net_port a;
  ib_net_port b;
  std::string rate;  // 4xNDR
};

struct ib_net_device {
  bool is_switch = false;
  std::string name;
  std::uint64_t guid = 0;
  std::uint32_t ports = 0;
  std::uint32_t lid = 0;
};

struct ib_net {
  std::vector<ib_net_device> devices;
  std::vector<ib_net_cable> cables;

  [[nodiscard]] std::uint32_t find(std::string_view name) const {
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
      if (devices[d].name == name) return d;
    }
    return topoplan::no_host;
  }
  // The cables between two devices, as indices.
  [[nodiscard]] std::vector<std::size_t> between(std::string_view a, std::string_view b) const {
    std::vector<std::size_t> found;
    for (std::size_t c = 0; c < cables.size(); ++c) {
      const auto& x = devices[cables[c].a.device].name;
      const auto& y = devices[cables[c].b.device].name;
      if ((x == a && y == b) || (x == b && y == a)) found.push_back(c);
    }
    return found;
  }
  // pre: such a cable exists. Returns the port on a's side.
  ib_net_port unplug(std::string_view a, std::string_view b) {
    const auto c = between(a, b).front();
    const ib_net_cable cable = cables[c];
    cables.erase(cables.begin() + static_cast<std::ptrdiff_t>(c));
    return devices[cable.a.device].name == a ? cable.a : cable.b;
  }
};

// NICs become adapters "HOST mlx5_N", switches keep their names; everything else has no port.
inline ib_net ib_net_of(const topoplan::fabric_graph& g, const std::string& rate) {
  ib_net net;
  std::vector<std::uint32_t> device(num_vertices(g), topoplan::no_host);
  for (std::uint32_t v = 0; v < num_vertices(g); ++v) {
    const auto kind = g[v].kind;
    const bool nic = kind == topoplan::vertex_kind::nic;
    if (!nic && kind != topoplan::vertex_kind::leaf && kind != topoplan::vertex_kind::spine &&
        kind != topoplan::vertex_kind::core)
      continue;
    device[v] = static_cast<std::uint32_t>(net.devices.size());
    const std::string name =
        nic ? g[boost::graph_bundle].hosts[g[v].host] + " mlx5_" + std::to_string(g[v].index) : topoplan::name_of(v, g);
    net.devices.push_back({!nic, name, 0x2c90300000000ULL + (std::uint64_t{v} + 1) * 16, 0, device[v] + 1});
  }
  for (auto [at, end] = edges(g); at != end; ++at) {
    const auto from = device[static_cast<std::uint32_t>(source(*at, g))];
    const auto to = device[static_cast<std::uint32_t>(target(*at, g))];
    if (from == topoplan::no_host || to == topoplan::no_host || from > to) continue;
    if (g[*at].kind != topoplan::link_kind::network) continue;
    for (std::uint32_t i = 0; i < std::max(1U, g[*at].count); ++i) {
      net.cables.push_back({{from, ++net.devices[from].ports}, {to, ++net.devices[to].ports}, rate});
    }
  }
  return net;
}

class ib_net_writer {
 public:
  explicit ib_net_writer(const ib_net& net) : net_(net), at_(net.devices.size()) {
    for (std::size_t c = 0; c < net.cables.size(); ++c) {
      at_[net.cables[c].a.device].push_back({net.cables[c].a.number, net.cables[c].b, net.cables[c].rate});
      at_[net.cables[c].b.device].push_back({net.cables[c].b.number, net.cables[c].a, net.cables[c].rate});
    }
    for (auto& ports : at_)
      std::sort(ports.begin(), ports.end(), [](const auto& x, const auto& y) { return x.number < y.number; });
  }

  // `ibnetdiscover`, and what ibsim reads: switches first, or adapters first.
  [[nodiscard]] std::string records(bool switches_first = true) const {
    std::string out = "#\n# Topology file: generated on Mon Nov 30 18:18:15 2026\n#\n";
    for (const bool switches : {switches_first, !switches_first}) {
      for (std::uint32_t d = 0; d < net_.devices.size(); ++d) {
        if (net_.devices[d].is_switch == switches) add_record(out, d);
      }
    }
    return out;
  }

  // `ibnetdiscover -p`
  [[nodiscard]] std::string report() const {
    std::string out;
    for (std::uint32_t d = 0; d < net_.devices.size(); ++d) {
      for (const auto& port : at_[d]) {
        const auto x = port.rate.find('x') + 1;
        out += end(d, port.number) + ' ' + port.rate.substr(0, x) + ' ' + port.rate.substr(x) + " - " +
               end(port.peer.device, port.peer.number) + " ( '" + net_.devices[d].name + "' - '" +
               net_.devices[port.peer.device].name + "' )\n";
      }
    }
    return out;
  }

  // `iblinkinfo`, or `iblinkinfo -l`
  [[nodiscard]] std::string link_info(bool line_by_line) const {
    std::string out;
    for (std::uint32_t d = 0; d < net_.devices.size(); ++d) {
      const ib_net_device& device = net_.devices[d];
      if (!line_by_line) {
        out += device.is_switch ? "Switch: " + topoplan::import::guid_text(device.guid) + ' ' + device.name + ":\n"
                                : "CA: " + device.name + ":\n";
      }
      for (const auto& port : at_[d]) {
        if (line_by_line) out += guid(d, port.number) + " \"                 " + device.name + "\" ";
        else out += device.is_switch ? "      " : "      " + guid(d, port.number) + ' ';
        out += lid_and_port(d, port.number) + " ==( 4X        " + signalling(port.rate) + " Gbps Active/  LinkUp)==>  " +
               (line_by_line ? guid(port.peer.device, port.peer.number) + ' ' : "") +
               lid_and_port(port.peer.device, port.peer.number) + " \"" + net_.devices[port.peer.device].name + "\" ( )\n";
      }
    }
    return out;
  }

 private:
  struct plugged {
    std::uint32_t number;
    ib_net_port peer;
    std::string rate;
  };

  static std::string hex(std::uint64_t value) { return topoplan::import::guid_text(value).substr(2); }
  static std::string short_hex(std::uint64_t value) {
    const auto text = hex(value);
    return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
  }
  static std::string signalling(const std::string& rate) {
    return rate == "4xNDR" ? "106.25" : rate == "4xHDR" ? "53.125" : rate == "4xEDR" ? "25.78125" : "10.0";
  }
  [[nodiscard]] std::string id(std::uint32_t d) const {
    return std::string(net_.devices[d].is_switch ? "\"S-" : "\"H-") + hex(net_.devices[d].guid) + '"';
  }
  [[nodiscard]] std::uint64_t port_guid(std::uint32_t d, std::uint32_t number) const {
    return net_.devices[d].guid + (net_.devices[d].is_switch ? 0 : number);
  }
  [[nodiscard]] std::string guid(std::uint32_t d, std::uint32_t number) const {
    return topoplan::import::guid_text(port_guid(d, number));
  }
  [[nodiscard]] std::string lid_and_port(std::uint32_t d, std::uint32_t number) const {
    return "  " + std::to_string(net_.devices[d].lid) + "    " + std::to_string(number) + "[  ]";
  }
  [[nodiscard]] std::string end(std::uint32_t d, std::uint32_t number) const {
    return std::string(net_.devices[d].is_switch ? "SW " : "CA ") + std::to_string(net_.devices[d].lid) + ' ' +
           std::to_string(number) + ' ' + guid(d, number);
  }

  void add_record(std::string& out, std::uint32_t d) const {
    const ib_net_device& device = net_.devices[d];
    const std::string base = short_hex(device.guid);
    out += "\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x" + base + '\n';
    out += device.is_switch ? "switchguid=0x" + base + '(' + base + ")\n" : "caguid=0x" + base + '\n';
    out += (device.is_switch ? "Switch\t" : "Ca\t") + std::to_string(std::max(device.ports, 1U)) + ' ' + id(d) + "\t\t# \"" +
           device.name + '"' + (device.is_switch ? " enhanced port 0 lid 0 lmc 0" : "") + '\n';
    for (const auto& port : at_[d]) {
      const auto& peer = net_.devices[port.peer.device];
      out += '[' + std::to_string(port.number) + ']';
      if (!device.is_switch) out += '(' + short_hex(port_guid(d, port.number)) + ") ";
      out += '\t' + id(port.peer.device) + '[' + std::to_string(port.peer.number) + ']';
      if (!peer.is_switch) out += '(' + short_hex(port_guid(port.peer.device, port.peer.number)) + ") ";
      out += device.is_switch ? "\t\t# " : "\t\t# lid 0 lmc 0 ";
      out += '"' + peer.name + "\" lid 0 " + port.rate + '\n';
    }
  }

  const ib_net& net_;
  std::vector<std::vector<plugged>> at_;  // of each device, by port
};

// Hosts "gpu-000" ... with 8 GPUs and 8 NICs, one leaf a rail in each group; spines join all leafs, or, in a rail-only fabric,
// those of `rails / planes` rails. Each leaf has `uplinks` cables to each spine of its plane.
struct rail_fabric {
  std::uint32_t groups = 2;
  std::uint32_t hosts_per_group = 4;
  std::uint32_t spines = 4;  // of a plane
  std::uint32_t uplinks = 1;
  std::uint32_t planes = 1;
};

inline topoplan::fabric_graph graph_of(const rail_fabric& f) {
  constexpr std::uint32_t rails = 8;
  using topoplan::link_kind;
  using topoplan::vertex_kind;
  topoplan::fabric_graph_builder g("simulated");
  g.set_fabric(topoplan::fabric_kind::infiniband);
  g.set_gpu_model("unknown GPU");
  const auto rate = topoplan::gigabits_per_second(400);
  std::vector<std::uint32_t> nics;
  for (std::uint32_t h = 0; h < f.groups * f.hosts_per_group; ++h) {
    const std::string number = std::to_string(h);
    const auto host = g.add_host("gpu-" + std::string(3 - std::min<std::size_t>(number.size(), 3), '0') + number);
    std::vector<std::uint32_t> gpus;
    for (std::uint32_t r = 0; r < rails; ++r) gpus.push_back(g.add_gpu(host));
    const auto nvswitch = g.add_nvswitch(host);
    for (std::uint32_t r = 0; r < rails; ++r) {
      nics.push_back(g.add_nic(host));
      g.connect(gpus[r], nvswitch, link_kind::nvlink, topoplan::gigabytes_per_second(450), 18);
      g.connect(gpus[r], nics.back(), link_kind::pcie, topoplan::gigabytes_per_second(32));
    }
  }
  std::vector<std::uint32_t> spines;
  for (std::uint32_t s = 0; s < f.planes * f.spines; ++s) {
    spines.push_back(
        g.add_switch(vertex_kind::spine, "spine-p" + std::to_string(s / f.spines) + '-' + std::to_string(s % f.spines)));
  }
  for (std::uint32_t su = 0; su < f.groups; ++su) {
    for (std::uint32_t r = 0; r < rails; ++r) {
      const auto leaf = g.add_switch(vertex_kind::leaf, "leaf-su" + std::to_string(su) + "-r" + std::to_string(r));
      for (std::uint32_t h = su * f.hosts_per_group; h < (su + 1) * f.hosts_per_group; ++h) {
        g.connect(nics[h * rails + r], leaf, link_kind::network, rate);
      }
      const auto plane = r * f.planes / rails;
      for (std::uint32_t s = 0; s < f.spines; ++s) {
        g.connect(leaf, spines[plane * f.spines + s], link_kind::network, rate * f.uplinks, f.uplinks);
      }
    }
  }
  return g.build();
}

}  // namespace topoplan_test

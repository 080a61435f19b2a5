// The hard rules of a placement: which axes stay inside what, what stays free, and what a launcher can express.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/axis.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace topoplan::inline v1 {

// What a group must lie inside.
enum class scope : std::uint8_t { host, domain };

// As options and messages write it.
[[nodiscard]] constexpr std::string_view to_string(scope s) noexcept { return s == scope::host ? "host" : "domain"; }

// "Every group of these axes lies inside one host or one NVLink domain." A set confines the product of its axes: the ranks
// that are linked by any chain of groups of its axes. A set may mix dense and expert axes.
struct confinement {
  axis_set axes;
  scope within = scope::domain;

  friend constexpr bool operator==(const confinement&, const confinement&) = default;
};

// As the option writes it: "tp,cp=domain". complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(const confinement& c) {
  return to_string(c.axes) + "=" + std::string(to_string(c.within));
}

// Reads "tp,cp=domain" or "tp=host". complexity: O(length). errors: invalid_argument that shows the accepted form.
[[nodiscard]] inline confinement parse_confinement(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view where = equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
  if (where != "host" && where != "domain")
    throw invalid_argument("can't read confinement " + quoted(text) + "; write AXES=domain or AXES=host, such as tp,cp=domain");
  return {parse_axis_set(text.substr(0, equals)), where == "host" ? scope::host : scope::domain};
}

namespace rules {
inline constexpr confinement tp_in_domain{axis::tp, scope::domain};
inline constexpr confinement cp_in_domain{axis::cp, scope::domain};
inline constexpr confinement ep_in_domain{axis::ep, scope::domain};
inline constexpr confinement tp_in_host{axis::tp, scope::host};
}  // namespace rules

// What is kept free: GPUs, or whole hosts, none of whose GPUs is unhealthy.
enum class spare_kind : std::uint8_t { gpus, hosts };

// Where it is counted.
enum class spare_spread : std::uint8_t { domain, leaf, cluster };

// As options and messages write it.
[[nodiscard]] constexpr std::string_view to_string(spare_spread s) noexcept {
  return s == spare_spread::domain ? "domain" : s == spare_spread::leaf ? "leaf" : "cluster";
}

// "So many GPUs, or whole hosts, hold no rank in every NVLink domain or leaf group that holds ranks, or in the cluster."
// Several rules may count the same spares.
struct spare_rule {
  std::uint32_t count = 0;
  spare_kind what = spare_kind::gpus;
  spare_spread per = spare_spread::domain;

  friend constexpr bool operator==(const spare_rule&, const spare_rule&) = default;
};

// As the option writes it: "8/domain", "1host/leaf", "2hosts/cluster". complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(const spare_rule& s) {
  const std::string_view what = s.what == spare_kind::gpus ? "" : s.count == 1 ? "host" : "hosts";
  return std::to_string(s.count).append(what) + '/' + std::string(to_string(s.per));
}

// Reads "8/domain", "1host/leaf", "2hosts/cluster" or "16/cluster". complexity: O(length). errors: invalid_argument that shows
// the accepted form.
[[nodiscard]] inline spare_rule parse_spares(std::string_view text) {
  spare_rule s;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, s.count);
  std::string_view rest(end, static_cast<std::size_t>(last - end));
  for (const std::string_view word : {"hosts", "host", "gpus", "gpu"})
    if (rest.starts_with(word)) {
      s.what = word.front() == 'h' ? spare_kind::hosts : spare_kind::gpus;
      rest.remove_prefix(word.size());
      break;
    }
  bool known = error == std::errc{} && s.count > 0;
  if (rest == "/domain") s.per = spare_spread::domain;
  else if (rest == "/leaf") s.per = spare_spread::leaf;
  else if (rest == "/cluster") s.per = spare_spread::cluster;
  else known = false;
  if (!known)
    throw invalid_argument("can't read spares " + quoted(text) +
                           "; write N/domain, N/leaf or N/cluster for GPUs, Nhosts/leaf and so on for whole hosts, such as "
                           "8/domain or 1host/leaf, N from 1");
  return s;
}

// What a launcher can express.
struct launcher {
  std::string_view name;
  bool contiguous = true;  // the ranks of a host are consecutive, LOCAL_RANK rising with RANK
  std::string_view form;   // how it starts ranks, for people

  friend constexpr bool operator==(const launcher& a, const launcher& b) noexcept { return a.name == b.name; }
};

// source: launcher behaviour read and run: torchrun (PyTorch elastic agent, one base rank an agent), srun -m arbitrary.
namespace launchers {
inline constexpr launcher torchrun{"torchrun", true, "one agent a host, static rendezvous"};
inline constexpr launcher torchrun_per_gpu{"torchrun-per-gpu", false, "one agent a GPU, static rendezvous"};
inline constexpr launcher slurm{"slurm", false, "srun -m arbitrary, one task a GPU"};
inline constexpr launcher free{"free", false, "a launcher that looks ranks up in the rank map"};
inline constexpr std::array all{torchrun, torchrun_per_gpu, slurm, free};
}  // namespace launchers

// The launcher of that name. complexity: O(1). errors: invalid_argument with the known names.
[[nodiscard]] inline launcher parse_launcher(std::string_view name) {
  std::string known;
  for (const launcher& l : launchers::all) {
    if (l.name == name) return l;
    (known += known.empty() ? "" : ", ") += l.name;
  }
  throw invalid_argument("unknown launcher " + quoted(name) + "; known are " + known);
}

}  // namespace topoplan::inline v1

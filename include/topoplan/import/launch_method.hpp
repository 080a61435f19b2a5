// The launchers whose host lists and rank files say where ranks run, and what each makes of them.
#pragma once

#include <topoplan/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// Who starts the ranks, and so what the order of a file means.
enum class launch_method : std::uint8_t {
  torchrun,          // static rendezvous: node rank = place in the list
  torchrun_c10d,     // c10d rendezvous: hosts sorted by name, as strings
  openmpi,           // mpirun --map-by slot: hosts filled in the order of the list
  openmpi_by_node,   // mpirun --map-by node: round robin over the hosts
  openmpi_rankfile,  // rank N=host slot=...
  mpich,             // mpiexec -f: every entry of the list is a proxy of its own
  deepspeed,         // hostfile, and --include
  slurm              // srun -m arbitrary: SLURM_HOSTFILE, one task a name
};

// What is told of a method.
struct launch_traits {
  launch_method method;
  std::string_view name;  // as options write it
  std::string_view how;   // how it starts ranks, for people
  bool contiguous;        // the ranks of a host are consecutive, whatever the file says
};

// source: launchers read and run: torchrun (elastic agent, one base rank an agent; c10d sorts participants), Open MPI 4.1,
// MPICH Hydra 4.0.2, DeepSpeed's launcher, srun -m arbitrary.
namespace launch_methods {
inline constexpr std::array<launch_traits, 8> all{{
    {launch_method::torchrun, "torchrun", "one agent a host, static rendezvous, node rank = line of the file", true},
    {launch_method::torchrun_c10d, "torchrun-c10d", "one agent a host, c10d rendezvous, which sorts hosts by name as strings",
     true},
    {launch_method::openmpi, "openmpi", "mpirun --map-by slot", false},
    {launch_method::openmpi_by_node, "openmpi-by-node", "mpirun --map-by node", false},
    {launch_method::openmpi_rankfile, "openmpi-rankfile", "mpirun --rankfile", false},
    {launch_method::mpich, "mpich", "mpiexec -f of MPICH", false},
    {launch_method::deepspeed, "deepspeed", "deepspeed --hostfile", true},
    {launch_method::slurm, "slurm", "srun -m arbitrary, one task a GPU", false},
}};
}  // namespace launch_methods

// What is told of a method. complexity: O(1). errors: none.
[[nodiscard]] constexpr const launch_traits& traits_of(launch_method m) noexcept {
  return launch_methods::all[static_cast<std::size_t>(m)];
}

// As options write it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(launch_method m) noexcept { return traits_of(m).name; }

// The method of that name. complexity: O(1). errors: invalid_argument with the known names.
[[nodiscard]] inline launch_method parse_launch_method(std::string_view name) {
  std::string known;
  for (const launch_traits& m : launch_methods::all) {
    if (m.name == name) return m.method;
    (known += known.empty() ? "" : ", ") += m.name;
  }
  throw invalid_argument("unknown launcher " + quoted(name) + "; known are " + known);
}

}  // namespace topoplan::inline v1::import

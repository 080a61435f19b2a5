// What a caller of place() may ask for besides the cluster, the degrees and the order.
#pragma once

#include <topoplan/plan/rules.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace topoplan::inline v1 {

// The rules of a placement and the effort of its search.
struct place_options {
  std::vector<confinement> confine{rules::tp_in_domain};  // hard rules; they act together
  topoplan::launcher launcher = launchers::torchrun;      // what it can express binds the plan
  std::uint64_t seed = 1;                                 // same input and seed, same plan
  std::optional<std::uint64_t> moves = std::nullopt;      // of annealing, at most; by default as many as suit the size
};

}  // namespace topoplan::inline v1

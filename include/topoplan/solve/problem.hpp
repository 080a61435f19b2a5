// What a caller of place() may ask for besides the cluster, the degrees and the order.
#pragma once

#include <topoplan/plan/rules.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// How long a search may look: about as long as a general mapping program, or until little is left to find.
enum class search_effort : std::uint8_t { standard, thorough };

// "standard" or "thorough". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(search_effort e) noexcept {
  return e == search_effort::standard ? "standard" : "thorough";
}

// The rules of a placement and the effort of its search.
struct place_options {
  std::vector<confinement> confine{rules::tp_in_domain};  // hard rules; they act together
  topoplan::launcher launcher = launchers::torchrun;      // what it can express binds the plan
  std::vector<spare_rule> spares = {};                    // hard rules: what stays free
  // Axes whose groups may hold several GPU models, if no model alone has room: pp gives stages different models, dp replicas.
  // The fastest model takes the first stages or replicas.
  axis_set mix = {};
  std::uint64_t seed = 1;                             // same input and seed, same plan
  std::optional<std::uint64_t> moves = std::nullopt;  // of annealing, at most; by default as many as suit the size
  search_effort effort = search_effort::standard;
  // Seconds after which the search stops at its next stage with the best so far. The plan's notes say if it did: then the
  // same seed may give another plan.
  std::optional<double> time_limit = std::nullopt;
};

}  // namespace topoplan::inline v1

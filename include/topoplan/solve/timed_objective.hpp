// The concept of an objective that knows how long a step takes.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/solve/objective.hpp>

#include <concepts>

namespace topoplan::inline v1 {

// An objective that also knows how long a step takes where groups sit: plans are compared by that time, and by the weighed
// edges where the times are equal.
// semantics: seconds(g) never falls when a load of g rises, when its ranks spread over more domains, or fewer of them share one.
template <class T>
concept timed_objective = objective<T> && requires(const T& o, const axis_groups& g) {
  { o.seconds(g) } -> std::same_as<double>;
  { o.exposed(g) } -> std::same_as<double>;
};

}  // namespace topoplan::inline v1

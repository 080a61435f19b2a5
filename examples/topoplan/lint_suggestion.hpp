// Writes a plan in the form of the file that it replaces.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/plan.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include "lint_input.hpp"

namespace topoplan_cli {

struct suggested_file {
  std::string text;
  std::string include{};  // DeepSpeed's --include; empty: none needed
};

// post: read back as its launcher does, the file is the plan, GPU for GPU; none if no such file is.
[[nodiscard]] std::optional<suggested_file> suggest(const topoplan::plan& p, const lint_input& in, const topoplan::cluster& c);

// Hosts on which the plan puts more or fewer ranks than a file that counts them.
[[nodiscard]] std::size_t hosts_with_other_counts(const topoplan::plan& p, const lint_input& in, const topoplan::cluster& c);

}  // namespace topoplan_cli

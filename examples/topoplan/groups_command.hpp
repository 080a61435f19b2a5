// topoplan groups: the process groups that Megatron-LM would create for given sizes, and why, without any cluster.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/megatron.hpp>
#include <topoplan/layout/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "groups_json.hpp"
#include "table.hpp"
#include "text_buffer.hpp"

namespace topoplan_cli {

struct groups_options {
  std::uint64_t world_size = 0;  // 0: what dp makes it
  std::uint32_t tp = 1;
  std::uint32_t cp = 1;
  std::uint32_t ep = 1;
  std::uint32_t expert_tp = 0;  // 0: as tp
  std::uint32_t dp = 0;         // 0: what the world size leaves
  std::uint32_t pp = 1;
  std::string order;  // empty: Megatron-LM's default
  std::uint32_t dist_opt_instances = 1;
  std::vector<std::uint32_t> hierarchical_cp;
  std::optional<std::uint32_t> vpp;
  std::uint32_t gtp_remat = 1;
  std::uint32_t expert_gtp_remat = 1;
  bool hybrid_cp = false;
  std::uint64_t rank_offset = 0;

  std::optional<std::uint64_t> rank;  // shows the groups of this rank only
  std::string explain;                // explains the family of this name or key, such as "ep"
  bool all = false;                   // prints every group and every member
  bool json = false;
};

// What the options ask Megatron-LM for.
[[nodiscard]] inline topoplan::megatron::options megatron_options(const groups_options& o) {
  topoplan::megatron::options m;
  if (o.world_size == 0 && o.dp == 0) throw topoplan::invalid_argument("how many ranks? Give --world-size or --dp");
  const auto product = [](std::uint64_t a, std::uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; };
  const std::uint64_t replica = product(product(product(o.tp, o.cp), o.pp), o.gtp_remat);
  m.world_size = o.world_size != 0 ? o.world_size : product(replica, o.dp);
  m.tp = o.tp;
  m.cp = o.cp;
  m.ep = o.ep;
  m.expert_tp = o.expert_tp;
  m.pp = o.pp;
  if (!o.order.empty()) m.order = topoplan::order(o.order);
  m.dist_opt_instances = o.dist_opt_instances;
  m.hierarchical_cp = o.hierarchical_cp;
  m.vpp = o.vpp;
  m.gtp_remat = o.gtp_remat;
  m.expert_gtp_remat = o.expert_gtp_remat;
  m.hybrid_cp = o.hybrid_cp;
  m.rank_offset = o.rank_offset;
  if (const auto dp = derive(m).dp; o.dp != 0 && o.dp != dp)
    throw topoplan::invalid_argument("--dp " + std::to_string(o.dp) + " contradicts --world-size " +
                                     std::to_string(o.world_size) + ", which makes it " + std::to_string(dp));
  return m;
}

namespace groups_text {

using topoplan::rank_id;
using topoplan::megatron::describe;
using topoplan::megatron::group_family;
using topoplan::megatron::group_set;
using topoplan::megatron::numbering;

inline std::string heading(std::size_t number, const group_family& f) {
  const std::string digits = std::to_string(number);
  return (digits.size() < 2 ? " " : "") + digits + ". " + f.name() + " (" + std::string(describe(f.name()).key) + ")";
}

inline constexpr std::string_view indent = "      ";

// Breaks a paragraph at blanks.
inline void print_wrapped(text_buffer& out, std::string_view text, std::string_view margin, std::size_t width = 100) {
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = rest.size();
    if (end + margin.size() > width) {
      const std::size_t blank = rest.rfind(' ', width - margin.size());
      end = blank != std::string_view::npos && blank != 0 ? blank : std::min(rest.find(' '), rest.size());
    }
    out << margin << rest.substr(0, end) << '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// True if the two families hold the same groups in the same order.
inline bool same_groups(const group_family& a, const group_family& b) {
  if (a.size() != b.size() || a.group_size(0) != b.group_size(0)) return false;
  const auto strides = a.strides();
  if (!strides || strides != b.strides()) return false;
  for (std::uint32_t g = 0; g < a.size(); ++g)
    if (a.member(g, 0) != b.member(g, 0)) return false;
  return true;
}

// "16 groups of 4 ranks".
inline std::string extent(const group_family& f) {
  const bool even = f.group_size(f.size() - 1) == f.group_size(0);
  return counted(f.size(), "group") + " of " + (even ? "" : "up to ") + counted(f.group_size(0), "rank");
}

// How the members of a family's groups are chosen and how they advance.
inline std::string members_rule(const group_set& set, const group_family& f) {
  const std::string advance = advance_in_words(set, f);
  return membership_rule(set, f) + (advance.empty() ? "" : ", " + advance);
}

inline void print_members(text_buffer& out, const group_family& f, std::uint32_t group) {
  for (std::uint32_t i = 0; i < f.group_size(group); ++i) (i == 0 ? out : out << ' ') << f.member(group, i).value;
}

// The first groups that fit on a line, and the last.
inline void print_some_groups(text_buffer& out, const group_family& f) {
  constexpr std::size_t width = 84;
  const auto text = [&](std::uint32_t g) { return "[" + members_text(f, g) + "]"; };
  const std::string last = text(f.size() - 1);
  std::string line;
  for (std::uint32_t g = 0; g < f.size(); ++g) {
    const std::string next = text(g);
    const bool enough = g > 0 && g + 1 < f.size() && line.size() + next.size() + last.size() + 6 > width;
    (line += line.empty() ? "" : " ") += enough ? "... " + last : next;
    if (enough) break;
  }
  out << indent << "groups   " << line << '\n';
}

inline void print_sizes(text_buffer& out, const group_set& set) {
  const auto& d = set.degrees();
  const auto& o = set.given();
  out << "  dense layers  " << numbering(set.dense()) << '\n';
  out << "  experts       " << numbering(set.expert()) << '\n';
  out << "  derived       dp " << d.dp << ", expert_tp " << d.expert_tp << ", expert_dp " << d.expert_dp << '\n';
  if (o.rank_offset != 0) out << "  ranks         " << o.rank_offset << " ... " << o.rank_offset + o.world_size - 1 << '\n';
}

inline void print_trivial(text_buffer& out, const std::vector<std::string>& names, std::string_view what) {
  if (names.empty()) return;
  std::string text(what);
  for (const std::string& name : names) (text += name == names.front() ? " " : ", ") += name;
  out << '\n';
  print_wrapped(out, text + ".", "");
}

inline void print_families(text_buffer& out, const group_set& set, bool all) {
  out << "Megatron-LM's process groups of " << counted(set.dense().size(), "rank") << ", order " << to_string(set.given().order)
      << '\n';
  print_sizes(out, set);
  out << "\nFamilies in the order of creation; topoplan groups --explain KEY tells more about one.\n";
  std::vector<std::string> trivial;
  for (std::size_t i = 0; i < set.families().size(); ++i) {
    const group_family& f = set.families()[i];
    if (f.group_size(0) == 1 && !all) {
      trivial.push_back(f.name());
      continue;
    }
    out << '\n' << heading(i + 1, f) << ": " << extent(f) << '\n';
    out << indent << "use      " << describe(f.name()).use << '\n';
    const auto earlier = set.families().first(i);
    const auto twin = std::find_if(earlier.begin(), earlier.end(), [&](const group_family& e) { return same_groups(e, f); });
    if (twin != earlier.end() && !all) {
      out << indent << "members  " << members_rule(set, f) << '\n';
      out << indent << "groups   those of " << twin - earlier.begin() + 1 << ". " << twin->name() << '\n';
      continue;
    }
    out << indent << "members  " << members_rule(set, f) << '\n';
    if (!all) print_some_groups(out, f);
    for (std::uint32_t g = 0; all && g < f.size(); ++g) {
      out << indent << g << ": ";
      print_members(out, f, g);
      out << '\n';
    }
  }
  print_trivial(out, trivial, "Groups of one rank, with nothing to exchange:");
}

// The members of the rank's own group with the rank in brackets; of a large group the ends and the neighbours.
inline void print_own_group(text_buffer& out, const group_family& f, topoplan::megatron::membership own, bool all) {
  const std::uint32_t size = f.group_size(own.group);
  out << indent;
  bool gap = false;
  for (std::uint32_t i = 0; i < size; ++i) {
    const bool shown = all || size <= 16 || i < 3 || i + 1 == size || (i + 2 >= own.index && i <= own.index + 2);
    if (shown) {
      out << (i == 0 ? "" : " ") << (i == own.index ? "[" : "") << f.member(own.group, i).value << (i == own.index ? "]" : "");
    } else if (!gap) {
      out << " ...";
    }
    gap = !shown;
  }
  out << '\n';
}

inline void print_rank(text_buffer& out, const group_set& set, std::uint64_t rank, bool all) {
  const std::uint64_t first = set.dense().rank_offset();
  if (rank < first || rank - first >= set.dense().size())
    throw topoplan::invalid_argument("there is no rank " + std::to_string(rank) + "; ranks are " + std::to_string(first) +
                                     " ... " + std::to_string(first + set.dense().size() - 1));
  const rank_id r{static_cast<std::uint32_t>(rank)};
  out << "Rank " << rank << " of " << grouped(std::size_t{set.dense().size()}) << ", order " << to_string(set.given().order)
      << '\n';
  for (const auto* grid : {&set.dense(), &set.expert()}) {
    std::string at;
    for (const auto& dim : grid->dims())
      if (dim.extent > 1 || !dim.name.ends_with("gtp_remat"))
        (at += at.empty() ? "" : ", ") += dim.name + " " + std::to_string(grid->position(r, dim.name));
    out << (grid == &set.dense() ? "  dense layers  " : "  experts       ") << at << '\n';
  }
  out << "\nIts groups in the order of creation; groups and members count from 0.\n";
  std::vector<std::string> alone;
  std::vector<std::string> without;
  for (std::size_t i = 0; i < set.families().size(); ++i) {
    const group_family& f = set.families()[i];
    const auto own = f.find(r);
    if (!own) {
      without.push_back(f.name());
    } else if (f.group_size(own->group) == 1) {
      alone.push_back(f.name());
    } else {
      out << '\n'
          << heading(i + 1, f) << ": group " << own->group << " of " << f.size() << ", member " << own->index << " of "
          << f.group_size(own->group) << '\n';
      print_own_group(out, f, *own, all);
    }
  }
  print_trivial(out, alone, "Alone in:");
  print_trivial(out, without, "In no group of:");
}

inline void print_explanation(text_buffer& out, const group_set& set, std::string_view wanted) {
  std::string known;
  bool found = false;
  for (std::size_t i = 0; i < set.families().size(); ++i) {
    const group_family& f = set.families()[i];
    const auto about = describe(f.name());
    if (f.name() == wanted || about.key == wanted) {
      out << (found ? "\n" : "") << heading(i + 1, f) << ": " << extent(f) << '\n';
      print_wrapped(out, "Use: " + std::string(about.use) + ".", indent);
      print_wrapped(out, explain(set, f), indent);
      found = true;
    }
    if (known.find(" " + std::string(about.key) + ",") == std::string::npos) known += " " + std::string(about.key) + ",";
  }
  if (!found)
    throw topoplan::invalid_argument("Megatron-LM creates no group called " + topoplan::quoted(wanted) +
                                     " with these options; there are" + known.substr(0, known.size() - 1));
}

}  // namespace groups_text

// Prints the groups, for a person or as JSON. Returns 0.
// errors: invalid_argument for what Megatron-LM refuses, an unknown name or a rank that doesn't exist, before anything is
// printed.
inline int run_groups(const groups_options& options, std::ostream& stream) {
  if (options.json && (options.rank || !options.explain.empty() || options.all))
    throw topoplan::invalid_argument("--json prints all groups of all ranks; it doesn't go with --rank, --explain or --all");
  if (options.rank && !options.explain.empty())
    throw topoplan::invalid_argument("--rank and --explain are two questions; ask one");
  const topoplan::megatron::group_set set(megatron_options(options));
  if (options.json) {
    print_groups_json(stream, set);
    return 0;
  }
  text_buffer out(stream);
  if (options.rank) groups_text::print_rank(out, set, *options.rank, options.all);
  else if (!options.explain.empty()) groups_text::print_explanation(out, set, options.explain);
  else groups_text::print_families(out, set, options.all);
  out.flush();
  return 0;
}

}  // namespace topoplan_cli

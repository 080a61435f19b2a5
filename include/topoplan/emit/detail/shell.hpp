// Text for bash scripts: outside strings quoted so that they never become commands.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace topoplan::inline v1::emit::detail {

// errors: invalid_argument for a control character: no host is called that, and a line of a file can't hold it.
inline void require_printable(std::string_view what, std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw invalid_argument(std::string(what) + " " + quoted(text) + " holds a control character");
}

// The text as one word of a shell, with nothing expanded in it.
// source: POSIX.1-2017, Shell Command Language, section 2.2.2: single quotes.
[[nodiscard]] inline std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') word += "'\\''";
    else word += c;
  }
  return word + '\'';
}

// The GPU indices of a host's ranks in launch order: "0,1,2,3".
[[nodiscard]] inline std::string visible_gpus(const rank_map_view& map, host_id h) {
  std::string text;
  for (const rank_id r : map.ranks_on(h)) (text += text.empty() ? "" : ",") += std::to_string(map.gpu_of(r));
  return text;
}

// A bash array with one quoted word a line.
template <class Word> void write_array(std::ostream& out, std::string_view name, std::uint32_t count, const Word& word) {
  out << name << "=(\n";
  for (std::uint32_t i = 0; i < count; ++i) out << word(i) << '\n';
  out << ")\n";
}

// The array `hosts`, in launch order, and `spare_hosts`, the hosts that hold no rank.
// errors: invalid_argument for a host name with a control character.
inline void write_host_arrays(std::ostream& out, const rank_map_view& map) {
  write_array(out, "hosts", map.hosts(), [&](std::uint32_t h) {
    require_printable("host name", map.host_name(host_id{h}));
    return shell_word(map.host_name(host_id{h}));
  });
  out << "spare_hosts=(";
  for (const spare& s : map.spares()) {
    require_printable("host name", s.host);
    if (!map.find_host(s.host)) out << ' ' << shell_word(s.host);
  }
  out << " )\n";
}

// Sets `index` to the place of $host among `hosts`: as written there, or with the domain that one of the two leaves out, if
// that fits one host only.
inline constexpr std::string_view find_host_lines = R"(everyone=("${hosts[@]}" "${spare_hosts[@]}")
found=()
for i in "${!everyone[@]}"; do
  [[ ${everyone[i]} == "$host" ]] && { found=("$i"); break; }
  [[ ${everyone[i]} == "$host".* || $host == "${everyone[i]}".* ]] && found+=("$i")
done
if ((${#found[@]} != 1)); then
  ((${#found[@]} == 0)) && why='no rank runs on host' || why='more than one host may be meant by'
  printf '%s: %s %s; the %d hosts are:' "$0" "$why" "$host" "${#hosts[@]}" >&2
  printf ' %s' "${hosts[@]:0:20}" >&2
  ((${#hosts[@]} > 20)) && printf ' ...' >&2
  printf '\n' >&2
  exit 2
fi
index=${found[0]}
if ((index >= ${#hosts[@]})); then
  printf '%s: host %s is a spare, no rank runs there\n' "$0" "$host" >&2
  exit 0
fi
)";

}  // namespace topoplan::inline v1::emit::detail

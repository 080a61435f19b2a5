// Checks the columns of a rank map and writes its image.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/rank_map/columns.hpp>
#include <topoplan/rank_map/detail/image.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

inline constexpr std::size_t max_text_width = 255;
inline constexpr std::uint64_t max_names = 0xffffffff;

// Sorts numbers by a key, stably: bottom-up merge sort, since <algorithm> would double what a launcher parses.
// complexity: O(n log n) calls of `key`.
template <class Key> void sort_by(std::vector<std::uint32_t>& values, const Key& key) {
  std::vector<std::uint32_t> other(values.size());
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t from = 0; from < values.size(); from += 2 * width) {
      const std::size_t middle = from + width < values.size() ? from + width : values.size();
      const std::size_t last = middle + width < values.size() ? middle + width : values.size();
      std::size_t a = from;
      std::size_t b = middle;
      for (std::size_t to = from; to < last; ++to)
        other[to] = a < middle && (b == last || !(key(values[b]) < key(values[a]))) ? values[a++] : values[b++];
    }
    values.swap(other);
  }
}

[[nodiscard]] inline std::string rank_text(std::size_t rank) { return "rank " + std::to_string(rank); }
[[nodiscard]] inline std::string gpu_text(std::size_t gpu, const std::string& host) {
  return "GPU " + std::to_string(gpu) + " of host " + quoted(host);
}

template <class T> void require_rows(const std::vector<T>& column, const char* name, std::size_t world, bool optional) {
  if (column.size() == world || (optional && column.empty())) return;
  throw invalid_argument(std::string("column ") + name + " of a rank map has " + std::to_string(column.size()) +
                         " entries; the world has " + std::to_string(world) + " ranks");
}

// The width of a text column. errors: invalid_argument for a text that is too long or holds a zero byte.
[[nodiscard]] inline std::uint32_t text_width(const std::vector<std::string>& column, const char* name) {
  std::size_t width = column.empty() ? 0 : 1;
  for (std::size_t r = 0; r < column.size(); ++r) {
    if (column[r].size() > max_text_width || column[r].find('\0') != std::string::npos)
      throw invalid_argument(std::string(name) + " of " + rank_text(r) + ", " + quoted(column[r]) + ", is longer than " +
                             std::to_string(max_text_width) + " bytes or holds a zero byte");
    if (column[r].size() > width) width = column[r].size();
  }
  return static_cast<std::uint32_t>(width);
}

// Hosts in the order of their first rank, each with one; host indices in range.
inline void require_hosts(const std::vector<std::string>& hosts, const rank_columns& c) {
  std::size_t met = 0;
  for (std::size_t r = 0; r < c.host.size(); ++r) {
    const std::uint32_t h = c.host[r];
    if (h >= hosts.size())
      throw invalid_argument(rank_text(r) + " is on host index " + std::to_string(h) + "; there are " +
                             std::to_string(hosts.size()) + " hosts");
    if (h > met)
      throw invalid_argument("hosts are listed in launch order: " + rank_text(r) + " is the first one on host " +
                             quoted(hosts[h]) + ", so that host belongs at index " + std::to_string(met) + " and not " +
                             std::to_string(h));
    if (h == met) ++met;
  }
  if (met != hosts.size()) throw invalid_argument("host " + quoted(hosts[met]) + " holds no rank");
}

// Names that aren't empty and differ. post: the hosts sorted by name.
[[nodiscard]] inline std::vector<std::uint32_t> sorted_by_name(const std::vector<std::string>& hosts) {
  std::vector<std::uint32_t> sorted(hosts.size());
  for (std::uint32_t h = 0; h < sorted.size(); ++h) {
    if (hosts[h].empty()) throw invalid_argument("host " + std::to_string(h) + " of a rank map has no name");
    sorted[h] = h;
  }
  sort_by(sorted, [&](std::uint32_t h) { return std::string_view(hosts[h]); });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (hosts[sorted[i - 1]] == hosts[sorted[i]])
      throw invalid_argument("hosts " + std::to_string(sorted[i - 1]) + " and " + std::to_string(sorted[i]) +
                             " of a rank map have one name, " + quoted(hosts[sorted[i]]));
  return sorted;
}

// Every GPU holds one rank or is one spare. `ranks` lists host by host, host h from begin[h].
inline void require_single_use(const std::vector<std::string>& hosts, const rank_columns& c,
                               const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& ranks,
                               const std::vector<spare>& spares, const std::vector<std::uint32_t>& by_name) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> holder(0x10000, none);  // host << 32 | rank, of each GPU index
  for (std::uint32_t h = 0; h < hosts.size(); ++h)
    for (std::size_t i = begin[h]; i < begin[h + 1]; ++i) {
      std::uint64_t& last = holder[c.gpu[ranks[i]]];
      if (last != none && last >> 32U == h)
        throw invalid_argument(gpu_text(c.gpu[ranks[i]], hosts[h]) + " holds two ranks, " + std::to_string(last & 0xffffffffU) +
                               " and " + std::to_string(ranks[i]));
      last = std::uint64_t{h} << 32U | ranks[i];
    }
  std::vector<std::uint32_t> order(spares.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_by(order, [&](std::uint32_t i) { return std::string_view(spares[i].host); });
  std::vector<std::uint32_t> seen(0x10000, 0);  // number of the spare that named the GPU index, + 1
  for (std::size_t k = 0, h = 0; k < order.size(); ++k) {
    const spare& s = spares[order[k]];
    if (s.host.empty()) throw invalid_argument("a spare of a rank map has no host name");
    if (k > 0 && spares[order[k - 1]].host == s.host)
      throw invalid_argument("host " + quoted(s.host) + " is listed twice among the spares");
    for (const std::uint16_t g : s.gpus) {
      if (seen[g] == k + 1) throw invalid_argument(gpu_text(g, s.host) + " is listed twice as a spare");
      seen[g] = static_cast<std::uint32_t>(k + 1);
    }
    while (h < by_name.size() && hosts[by_name[h]] < s.host) ++h;
    if (h == by_name.size() || hosts[by_name[h]] != s.host) continue;
    for (std::size_t i = begin[by_name[h]]; i < begin[by_name[h] + 1]; ++i)
      if (seen[c.gpu[ranks[i]]] == k + 1)
        throw invalid_argument(gpu_text(c.gpu[ranks[i]], s.host) + " holds rank " + std::to_string(ranks[i]) +
                               " and is listed as a spare");
  }
}

struct built_image {
  image_header header;
  std::vector<std::byte> bytes;
};

// Writes columns one after another into an image.
class image_writer {
 public:
  explicit image_writer(const image_header& h) : bytes_(static_cast<std::size_t>(h.size)), header_(h) {}

  template <class T> void put(column c, const std::vector<T>& values) {
    if (!values.empty()) std::memcpy(begin(c), values.data(), values.size() * sizeof(T));
  }
  void put(column c, const std::vector<std::string>& texts, std::size_t width) {
    std::byte* to = begin(c);
    for (const std::string& text : texts) {
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
      to += width;
    }
  }
  // Hashes the blocks and the header, and gives the image away.
  [[nodiscard]] built_image finish() {
    std::byte* const hashes = bytes_.data() + sizeof(image_header);
    for (std::uint64_t i = 0; i < header_.blocks; ++i) {
      const std::uint64_t hash = block_hash(header_, bytes_.data(), i);
      std::memcpy(hashes + 8 * i, &hash, sizeof hash);
    }
    header_.check = header_check(header_, hashes);
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return {header_, std::move(bytes_)};
  }

 private:
  [[nodiscard]] std::byte* begin(column c) noexcept {
    return bytes_.data() + header_.columns[static_cast<std::size_t>(c)].offset;
  }

  std::vector<std::byte> bytes_;
  image_header header_;
};

// See rank_map's constructor.
[[nodiscard]] inline built_image build_image(const layout& l, const std::vector<std::string>& hosts, const rank_columns& c,
                                             const std::vector<spare>& spares, digests made_for) {
  const std::size_t world = l.world();
  require_rows(c.host, "host", world, false);
  require_rows(c.gpu, "gpu", world, false);
  require_rows(c.domain, "domain", world, false);
  require_rows(c.rail, "rail", world, true);
  require_rows(c.numa, "numa", world, true);
  require_rows(c.uuid, "uuid", world, true);
  require_rows(c.pci, "pci", world, true);
  require_hosts(hosts, c);
  const std::vector<std::uint32_t> by_name = sorted_by_name(hosts);

  std::vector<std::uint32_t> begin(hosts.size() + 1, 0);
  for (const std::uint32_t h : c.host) ++begin[h + 1];
  for (std::size_t h = 0; h < hosts.size(); ++h) begin[h + 1] += begin[h];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> ranks(world);
  std::vector<std::uint16_t> local(world);
  bool contiguous = true;
  std::uint32_t domains = 0;
  for (std::uint32_t r = 0; r < world; ++r) {
    const std::uint32_t h = c.host[r];
    local[r] = static_cast<std::uint16_t>(next[h] - begin[h]);
    ranks[next[h]++] = r;
    contiguous = contiguous && (r == 0 || c.host[r - 1] <= h);
    if (c.domain[r] == ~std::uint32_t{0}) throw invalid_argument(rank_text(r) + " has no domain id");
    if (c.domain[r] >= domains) domains = c.domain[r] + 1;
  }
  require_single_use(hosts, c, begin, ranks, spares, by_name);

  std::vector<std::string_view> names(hosts.begin(), hosts.end());
  std::vector<std::uint32_t> spare_begin{0};
  std::vector<std::uint16_t> spare_gpus;
  for (const spare& s : spares) {
    names.emplace_back(s.host);
    spare_gpus.insert(spare_gpus.end(), s.gpus.begin(), s.gpus.end());
    spare_begin.push_back(static_cast<std::uint32_t>(spare_gpus.size()));
  }
  std::vector<std::uint32_t> name_begin{0};
  std::string text;
  for (const std::string_view name : names) {
    text += name;
    if (text.size() > max_names) throw invalid_argument("the host names of a rank map exceed 4 GiB");
    name_begin.push_back(static_cast<std::uint32_t>(text.size()));
  }

  image_header h;
  std::memcpy(h.magic, image_magic, sizeof h.magic);
  h.byte_order = image_byte_order;
  h.version = image_version;
  h.world = l.world();
  h.hosts = static_cast<std::uint32_t>(hosts.size());
  h.domains = domains;
  h.spares = static_cast<std::uint32_t>(spares.size());
  h.contiguous = contiguous ? 1 : 0;
  h.uuid_width = text_width(c.uuid, "uuid");
  h.pci_width = text_width(c.pci, "pci");
  for (const axis a : all_axes) h.degrees[static_cast<std::size_t>(a)] = l.degrees().of(a);
  h.order[0] = static_cast<std::uint8_t>(l.order().size());
  for (std::size_t i = 0; i < l.order().size(); ++i) h.order[i + 1] = static_cast<std::uint8_t>(l.order()[i]);
  h.cluster_digest = made_for.cluster;
  h.workload_digest = made_for.workload;
  lay_out(h, text.size(), spare_gpus.size(), !c.rail.empty(), !c.numa.empty());

  image_writer out(h);
  out.put(column::host, c.host);
  out.put(column::gpu, c.gpu);
  out.put(column::local_rank, local);
  out.put(column::domain, c.domain);
  out.put(column::host_begin, begin);
  out.put(column::host_ranks, ranks);
  out.put(column::host_by_name, by_name);
  out.put(column::name_begin, name_begin);
  out.put(column::names, std::vector<char>(text.begin(), text.end()));
  out.put(column::spare_begin, spare_begin);
  out.put(column::spare_gpus, spare_gpus);
  out.put(column::rail, c.rail);
  out.put(column::numa, c.numa);
  out.put(column::uuid, c.uuid, h.uuid_width);
  out.put(column::pci, c.pci, h.pci_width);
  return out.finish();
}

}  // namespace topoplan::inline v1::detail

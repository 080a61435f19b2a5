// The binary file of a rank map: written at once, mapped from disk and read without parsing.
//
// The file is the image of the map, little-endian. All offsets count from the start of the file.
//
//   offset  bytes  field
//        0      8  magic: 89 54 50 4d 41 50 0d 0a  ("\x89TPMAP\r\n")
//        8      4  byte order: 04 03 02 01
//       12      4  version: 1
//       16      8  size of the file
//       24      8  hash64 of the 360 header bytes with this field 0, followed by the block hashes
//       32      4  world: number of ranks
//       36      4  number of hosts
//       40      4  largest domain id + 1
//       44      4  number of spares (hosts with spare GPUs)
//       48      4  1 if every host's ranks are consecutive, else 0
//       52      4  bytes of a uuid, 0 without uuids
//       56      4  bytes of a pci address, 0 without addresses
//       60     28  degrees: tp, cp, ep, dp, pp, expert_tp, expert_dp, 4 bytes each
//       88      8  order: number of axes, then the axes, fastest first, as indices into the degrees
//       96     16  digests of the cluster and of the workload, 8 bytes each, 0 if unknown
//      112      8  number of blocks
//      120    240  15 columns: offset and bytes, 8 bytes each, in this order:
//                    host u32, gpu u16, local_rank u16, domain u32 of each rank;
//                    host_begin u32 of each host and one more: where a host's ranks begin in host_ranks;
//                    host_ranks u32, grouped by host, ascending; host_by_name u32: the hosts sorted by name;
//                    name_begin u32 of each host, then each spare, and one more: where a name begins in names; names;
//                    spare_begin u32 of each spare and one more: where its GPUs begin in spare_gpus; spare_gpus u16;
//                    optional, of each rank: rail u16, numa i16, uuid and pci (text, zero-padded)
//      360      8  for each block: hash64 of its bytes. Blocks are 16384 bytes, the last one shorter, and begin with the
//                  first column.
//
// Every column, also an empty one, begins at a multiple of 64 right after the previous one; gaps are zero. One map has one
// image. hash64 is core/hash.hpp's.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/rank_map/detail/check.hpp>
#include <topoplan/rank_map/detail/file.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// Writes a map to a file, under another name first and then renamed: readers see the whole file or none.
// post: open_rank_map(path).view() == map. complexity: O(bytes), one write. errors: io_error.
inline void write_rank_map(const std::string& path, const rank_map_view& map) { detail::replace_file(path, map.image()); }

// Reads a map from bytes and checks all of it; `source` names them in messages.
// post: the result's image equals the bytes. complexity: O(bytes + hosts log hosts).
// errors: parse_error for anything that write_rank_map() wouldn't have written; no byte outside `image` is read.
[[nodiscard]] inline rank_map read_rank_map(std::span<const std::byte> image, const std::string& source) {
  const detail::image_header h = detail::checked_header(image, source);
  return detail::checked_content(h, detail::checked_layout(h, source), image, source);
}

// A rank map in a file. The header is checked on opening. The columns are checked block by block: all of them on opening if
// the file is small (eager_bytes), else each when a look-up first reads it, so that opening costs the same for any size
// and a launcher on a network file system fetches only what it asks for. Either way no damaged number is ever returned:
// look-ups throw. view() checks all of it. Safe for concurrent look-ups. Names and lists that it returns lie in the file's
// mapping: they are valid while this object lives. errors of all look-ups: invalid_argument for a rank, host or column that the
// map doesn't have; parse_error if what they read is damaged. complexity: as rank_map_view's, and O(1) once for each block.
class mapped_rank_map {
 public:
  static constexpr std::size_t eager_bytes = std::size_t{2} << 20U;

  // errors: io_error, parse_error. See open_rank_map().
  explicit mapped_rank_map(std::string path)
      : path_(std::move(path)),
        file_(path_),
        header_(detail::checked_header(file_.bytes(), path_)),
        raw_(file_.bytes().data(), header_, detail::checked_layout(header_, path_)),
        checked_(new std::atomic<bool>[static_cast<std::size_t>(header_.blocks) + 1]()) {
    if (file_.bytes().size() <= eager_bytes) require(0, header_.size);
  }

  [[nodiscard]] std::uint32_t world() const noexcept { return raw_.world(); }
  [[nodiscard]] std::uint32_t hosts() const noexcept { return raw_.hosts(); }
  [[nodiscard]] std::uint32_t domains() const noexcept { return raw_.domains(); }
  [[nodiscard]] bool contiguous() const noexcept { return raw_.contiguous(); }
  [[nodiscard]] const topoplan::layout& layout() const noexcept { return raw_.layout(); }
  [[nodiscard]] const resolved_degrees& degrees() const noexcept { return raw_.degrees(); }
  [[nodiscard]] const topoplan::order& order() const noexcept { return raw_.order(); }
  [[nodiscard]] topoplan::digests digests() const noexcept { return raw_.digests(); }
  [[nodiscard]] bool has_rail() const noexcept { return raw_.has_rail(); }
  [[nodiscard]] bool has_numa() const noexcept { return raw_.has_numa(); }
  [[nodiscard]] bool has_uuid() const noexcept { return raw_.has_uuid(); }
  [[nodiscard]] bool has_pci() const noexcept { return raw_.has_pci(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  [[nodiscard]] host_id host_of(rank_id r) const {
    require(column::host, r, sizeof(std::uint32_t));
    return in_range(raw_.host_of(r));
  }
  [[nodiscard]] std::uint32_t gpu_of(rank_id r) const {
    require(column::gpu, r, sizeof(std::uint16_t));
    return raw_.gpu_of(r);
  }
  [[nodiscard]] std::uint32_t local_rank_of(rank_id r) const {
    require(column::local_rank, r, sizeof(std::uint16_t));
    const std::uint32_t local = raw_.local_rank_of(r);
    damaged_if(local >= ranks_on(host_of(r)).size(), "local rank " + std::to_string(local));
    return local;
  }
  [[nodiscard]] domain_id domain_of(rank_id r) const {
    require(column::domain, r, sizeof(std::uint32_t));
    return raw_.domain_of(r);
  }
  [[nodiscard]] topoplan::coordinate coordinate(rank_id r) const {
    require(r);
    return raw_.coordinate(r);
  }
  [[nodiscard]] rail_id rail_of(rank_id r) const {
    require(column::rail, r, sizeof(std::uint16_t));
    return raw_.rail_of(r);
  }
  [[nodiscard]] int numa_of(rank_id r) const {
    require(column::numa, r, sizeof(std::int16_t));
    return raw_.numa_of(r);
  }
  [[nodiscard]] std::string_view uuid_of(rank_id r) const {
    require(column::uuid, r, header_.uuid_width);
    return raw_.uuid_of(r);
  }
  [[nodiscard]] std::string_view pci_of(rank_id r) const {
    require(column::pci, r, header_.pci_width);
    return raw_.pci_of(r);
  }

  // The ranks of a host in launch order. complexity: O(ranks of the host).
  [[nodiscard]] rank_list ranks_on(host_id h) const {
    require(h);
    const auto [first, last] = piece(column::host_begin, h.value, header_.world);
    require(column::host_ranks, first * sizeof(std::uint32_t), (last - first) * sizeof(std::uint32_t));
    const rank_list ranks = raw_.ranks_on(h);
    for (const rank_id r : ranks) damaged_if(r.value >= world(), "a host with rank " + std::to_string(r.value));
    return ranks;
  }
  [[nodiscard]] std::string_view host_name(host_id h) const {
    require(h);
    return name(h.value);
  }
  // The host of that name, if it holds ranks. complexity: O(log hosts).
  [[nodiscard]] std::optional<host_id> find_host(std::string_view wanted) const {
    std::uint32_t low = 0;
    std::uint32_t high = hosts();
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const host_id h = by_name(middle);
      const int order = host_name(h).compare(wanted);
      if (order == 0) return h;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<spare> spares() const {
    require(0, header_.size);
    for (std::uint32_t i = 0; i < header_.spares; ++i) {
      (void)name(hosts() + i);
      (void)piece(column::spare_begin, i, bytes_of(column::spare_gpus) / sizeof(std::uint16_t));
    }
    return raw_.spares();
  }

  // The map, checked as a whole: what read_rank_map() would accept. Valid while this object lives.
  // complexity: O(bytes + hosts log hosts) the first time, then O(1). errors: parse_error.
  [[nodiscard]] const rank_map_view& view() const {
    std::atomic<bool>& all = checked_[static_cast<std::size_t>(header_.blocks)];
    if (!all.load(std::memory_order_relaxed)) {
      (void)detail::checked_content(header_, raw_.layout(), file_.bytes(), path_);
      all.store(true, std::memory_order_relaxed);
    }
    return raw_;
  }

 private:
  using column = detail::column;
  struct raw_view : rank_map_view {
    raw_view(const std::byte* image, const detail::image_header& h, const topoplan::layout& l) : rank_map_view(image, h, l) {}
  };

  void damaged_if(bool damaged, const std::string& what) const {
    if (damaged) detail::fail_corrupt(path_, what);
  }
  void require(rank_id r) const {
    if (r.value >= world())
      throw invalid_argument(path_ + ": rank " + std::to_string(r.value) + " isn't in a world of " + std::to_string(world()) +
                             " ranks");
  }
  void require(host_id h) const {
    if (h.value >= hosts())
      throw invalid_argument(path_ + ": host " + std::to_string(h.value) + " isn't among the map's " + std::to_string(hosts()) +
                             " hosts");
  }
  // Checks the blocks under a rank's entry of a column.
  void require(column c, rank_id r, std::uint64_t width) const {
    require(r);
    if (bytes_of(c) == 0) throw invalid_argument(path_ + ": the rank map has no such column");
    require(c, r.value * width, width);
  }
  void require(column c, std::uint64_t from, std::uint64_t bytes) const {
    require(header_.columns[static_cast<std::size_t>(c)].offset + from, bytes);
  }
  // Checks the blocks under a piece of the file.
  void require(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t body = header_.columns[0].offset;
    const std::uint64_t last = bytes == 0 ? 0 : (offset + bytes - 1 - body) / detail::image_block;
    for (std::uint64_t i = offset < body ? 0 : (offset - body) / detail::image_block; bytes != 0 && i <= last; ++i) {
      std::atomic<bool>& checked = checked_[static_cast<std::size_t>(i)];
      if (checked.load(std::memory_order_relaxed)) continue;
      detail::check_block(header_, file_.bytes().data(), i, path_);
      checked.store(true, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::uint64_t bytes_of(column c) const noexcept { return header_.columns[static_cast<std::size_t>(c)].bytes; }
  [[nodiscard]] std::uint32_t number(column c, std::uint64_t i) const {
    require(c, i * sizeof(std::uint32_t), sizeof(std::uint32_t));
    std::uint32_t value = 0;
    std::memcpy(&value, file_.bytes().data() + header_.columns[static_cast<std::size_t>(c)].offset + i * sizeof value,
                sizeof value);
    return value;
  }
  // The piece i between two neighbouring begins of a column.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> piece(column c, std::uint32_t i, std::uint64_t end) const {
    const std::uint32_t first = number(c, i);
    const std::uint32_t last = number(c, std::uint64_t{i} + 1);
    damaged_if(first > last || last > end, "a piece from " + std::to_string(first) + " to " + std::to_string(last));
    return {first, last};
  }
  [[nodiscard]] std::string_view name(std::uint32_t i) const {
    const auto [first, last] = piece(column::name_begin, i, bytes_of(column::names));
    require(column::names, first, last - first);
    const auto* text = reinterpret_cast<const char*>(file_.bytes().data());
    return {text + header_.columns[static_cast<std::size_t>(column::names)].offset + first, last - first};
  }
  [[nodiscard]] host_id by_name(std::uint32_t i) const { return in_range(host_id{number(column::host_by_name, i)}); }
  [[nodiscard]] host_id in_range(host_id h) const {
    damaged_if(h.value >= hosts(), "host index " + std::to_string(h.value) + " of " + std::to_string(hosts()));
    return h;
  }

  std::string path_;
  detail::file_mapping file_;
  detail::image_header header_;
  raw_view raw_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // one a block, and one for the map as a whole
};

// Opens the file of a rank map.
// post: the header is intact, and so is what look-ups return. complexity: O(bytes / 2048), or O(bytes) for a small file.
// errors: io_error if it can't be opened or mapped; parse_error, with the file's name, for a file that is cut off, of another
// format, damaged, or of a version that this library doesn't know; no byte past its end is read.
[[nodiscard]] inline mapped_rank_map open_rank_map(const std::string& path) { return mapped_rank_map(path); }

}  // namespace topoplan::inline v1

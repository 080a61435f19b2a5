// The one contiguous image of a rank map, in memory and on disk: its header, its columns and where they lie.
#pragma once

#include <topoplan/core/hash.hpp>
#include <topoplan/layout/layout.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace topoplan::inline v1::detail {

static_assert(std::endian::native == std::endian::little, "the image of a rank map is little-endian and read in place");

// In the order in which they lie in the image. Per rank: host, gpu, local_rank, domain and the optional ones. Per host: where
// its ranks begin in host_ranks, and the hosts sorted by name. Texts: host names, then names of spares' hosts.
enum class column : std::uint8_t {
  host,          // u32 of each rank
  gpu,           // u16 of each rank
  local_rank,    // u16 of each rank
  domain,        // u32 of each rank
  host_begin,    // u32 of each host and one more: where its ranks begin in host_ranks
  host_ranks,    // u32 of each rank: the ranks of host 0, of host 1, ..., each ascending
  host_by_name,  // u32 of each host: the hosts sorted by name
  name_begin,    // u32 of each host, each spare and one more: where its name begins in names
  names,         // bytes, not terminated
  spare_begin,   // u32 of each spare and one more: where its GPUs begin in spare_gpus
  spare_gpus,    // u16
  rail,          // u16 of each rank, or nothing
  numa,          // i16 of each rank, or nothing
  uuid,          // uuid_width bytes of each rank, zero-padded, or nothing
  pci            // pci_width bytes of each rank, zero-padded, or nothing
};
inline constexpr std::size_t column_count = 15;

struct image_column {
  std::uint64_t offset = 0;  // from the start of the image, a multiple of image_alignment
  std::uint64_t bytes = 0;
};

// Trivially copyable and without padding: the first bytes of the image.
struct image_header {
  unsigned char magic[8] = {};
  std::uint32_t byte_order = 0;
  std::uint32_t version = 0;
  std::uint64_t size = 0;   // of the whole image
  std::uint64_t check = 0;  // hash64 of the header with this field 0, then of the block hashes
  std::uint32_t world = 0;
  std::uint32_t hosts = 0;
  std::uint32_t domains = 0;  // largest domain id + 1
  std::uint32_t spares = 0;
  std::uint32_t contiguous = 0;  // 1 if every host's ranks are consecutive
  std::uint32_t uuid_width = 0;
  std::uint32_t pci_width = 0;
  std::uint32_t degrees[axis_count] = {};  // in the order of all_axes
  std::uint8_t order[8] = {};              // number of axes, then the axes, fastest first
  std::uint64_t cluster_digest = 0;
  std::uint64_t workload_digest = 0;
  std::uint64_t blocks = 0;  // number of block hashes, which follow the header
  image_column columns[column_count] = {};
};
static_assert(sizeof(image_header) == 360);

inline constexpr unsigned char image_magic[8] = {0x89, 'T', 'P', 'M', 'A', 'P', '\r', '\n'};
inline constexpr std::uint32_t image_byte_order = 0x01020304;
inline constexpr std::uint32_t image_version = 1;
inline constexpr std::uint64_t image_alignment = 64;
inline constexpr std::uint64_t image_block = 16384;  // bytes under one block hash; the first block begins at the first column

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t offset) noexcept {
  return (offset + image_alignment - 1) / image_alignment * image_alignment;
}

// Fills in what follows from the numbers of ranks, hosts, spares, bytes of names and GPUs of spares: every column's place,
// the number of blocks and the size of the image.
constexpr void lay_out(image_header& h, std::uint64_t names, std::uint64_t spare_gpus, bool rail, bool numa) noexcept {
  const std::uint64_t world = h.world;
  const std::uint64_t hosts = h.hosts;
  const std::uint64_t spares = h.spares;
  const std::uint64_t bytes[column_count] = {4 * world,
                                             2 * world,
                                             2 * world,
                                             4 * world,
                                             4 * (hosts + 1),
                                             4 * world,
                                             4 * hosts,
                                             4 * (hosts + spares + 1),
                                             names,
                                             4 * (spares + 1),
                                             2 * spare_gpus,
                                             rail ? 2 * world : 0,
                                             numa ? 2 * world : 0,
                                             h.uuid_width * world,
                                             h.pci_width * world};
  std::uint64_t body = 0;
  for (const std::uint64_t n : bytes) body += aligned(n);
  h.blocks = (body + image_block - 1) / image_block;
  std::uint64_t at = aligned(sizeof(image_header) + 8 * h.blocks);
  for (std::size_t i = 0; i < column_count; ++i) {
    h.columns[i] = {at, bytes[i]};
    at += aligned(bytes[i]);
  }
  h.size = at;
}

// What `check` has to be. pre: `blocks` points to h.blocks hashes.
[[nodiscard]] inline std::uint64_t header_check(image_header h, const std::byte* blocks) noexcept {
  h.check = 0;
  return hasher{}
      .update({reinterpret_cast<const std::byte*>(&h), sizeof h})
      .update({blocks, static_cast<std::size_t>(8 * h.blocks)})
      .finish();
}

// The hash of one block of the columns. pre: `image` holds h.size bytes, block < h.blocks.
[[nodiscard]] inline std::uint64_t block_hash(const image_header& h, const std::byte* image, std::uint64_t block) noexcept {
  const std::uint64_t first = h.columns[0].offset + block * image_block;
  const std::uint64_t bytes = h.size - first < image_block ? h.size - first : image_block;
  return hash64({image + first, static_cast<std::size_t>(bytes)});
}

// The layout that a header states. errors: invalid_argument if it states none.
[[nodiscard]] inline layout layout_of(const image_header& h) {
  std::string text;
  if (h.order[0] >= sizeof h.order) throw invalid_argument("an order of " + std::to_string(h.order[0]) + " axes");
  for (std::size_t i = 1; i <= h.order[0]; ++i) {
    if (h.order[i] >= axis_count) throw invalid_argument("axis number " + std::to_string(h.order[i]));
    (text += i == 1 ? "" : "-") += to_string(all_axes[h.order[i]]);
  }
  const auto of = [&](axis a) { return h.degrees[static_cast<std::size_t>(a)]; };
  const resolved_degrees d = resolve({.tp = of(axis::tp),
                                      .cp = of(axis::cp),
                                      .ep = of(axis::ep),
                                      .expert_tp = of(axis::expert_tp),
                                      .dp = of(axis::dp),
                                      .pp = of(axis::pp)},
                                     h.world);
  if (d.dp != of(axis::dp) || d.expert_dp != of(axis::expert_dp) || d.expert_tp != of(axis::expert_tp))
    throw invalid_argument("degrees that contradict the world size " + std::to_string(h.world));
  return layout(d, order(text));
}

}  // namespace topoplan::inline v1::detail

// The rank map: which GPU of which host each rank runs on. This header is all that a launcher includes.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/rank_map/columns.hpp>
#include <topoplan/rank_map/detail/build.hpp>
#include <topoplan/rank_map/detail/image.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// Ranks of one host in launch order, as a random-access range.
class rank_list {
 public:
  class iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = rank_id;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = rank_id;

    constexpr iterator() = default;
    TOPOPLAN_HOST_DEVICE constexpr explicit iterator(const std::uint32_t* at) noexcept : at_(at) {}
    TOPOPLAN_HOST_DEVICE constexpr rank_id operator*() const noexcept { return rank_id{*at_}; }
    TOPOPLAN_HOST_DEVICE constexpr rank_id operator[](difference_type n) const noexcept { return rank_id{at_[n]}; }
    TOPOPLAN_HOST_DEVICE constexpr iterator& operator++() noexcept { return *this += 1; }
    TOPOPLAN_HOST_DEVICE constexpr iterator operator++(int) noexcept { return iterator{at_++}; }
    TOPOPLAN_HOST_DEVICE constexpr iterator& operator--() noexcept { return *this -= 1; }
    TOPOPLAN_HOST_DEVICE constexpr iterator operator--(int) noexcept { return iterator{at_--}; }
    TOPOPLAN_HOST_DEVICE constexpr iterator& operator+=(difference_type n) noexcept {
      at_ += n;
      return *this;
    }
    TOPOPLAN_HOST_DEVICE constexpr iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    TOPOPLAN_HOST_DEVICE friend constexpr iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
    TOPOPLAN_HOST_DEVICE friend constexpr iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
    TOPOPLAN_HOST_DEVICE friend constexpr iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
    TOPOPLAN_HOST_DEVICE friend constexpr difference_type operator-(iterator a, iterator b) noexcept { return a.at_ - b.at_; }
    TOPOPLAN_HOST_DEVICE friend constexpr bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }
    TOPOPLAN_HOST_DEVICE friend constexpr auto operator<=>(iterator a, iterator b) noexcept { return a.at_ <=> b.at_; }

   private:
    const std::uint32_t* at_ = nullptr;
  };

  TOPOPLAN_HOST_DEVICE constexpr rank_list(const std::uint32_t* first, const std::uint32_t* last) noexcept
      : first_(first), last_(last) {}
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr iterator end() const noexcept { return iterator{last_}; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::size_t size() const noexcept {
    return static_cast<std::size_t>(last_ - first_);
  }
  // pre: i < size().
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr rank_id operator[](std::size_t i) const noexcept { return rank_id{first_[i]}; }

 private:
  const std::uint32_t* first_;
  const std::uint32_t* last_;
};

// A rank map that somebody else owns: trivially copyable, to be passed by value, also into a kernel. To use it there, copy
// image() to the device and pass rebased(copy). Look-ups that take a rank or host read one or two numbers.
// pre of all look-ups: rank < world(), host < hosts(). complexity: O(1) unless stated. errors: none unless stated.
class rank_map_view {
 public:
  TOPOPLAN_HOST_DEVICE [[nodiscard]] std::uint32_t world() const noexcept { return layout_.world(); }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] std::uint32_t hosts() const noexcept { return hosts_; }
  // The largest domain id + 1: domain ids are those of the cluster, and a domain may hold no rank.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] std::uint32_t domains() const noexcept { return domains_; }
  // True if every host's ranks are consecutive, which launchers with one agent a host need.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool contiguous() const noexcept { return contiguous_; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] const topoplan::layout& layout() const noexcept { return layout_; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] const resolved_degrees& degrees() const noexcept { return layout_.degrees(); }
  [[nodiscard]] const topoplan::order& order() const noexcept { return layout_.order(); }
  [[nodiscard]] topoplan::digests digests() const noexcept { return digests_; }

  TOPOPLAN_HOST_DEVICE [[nodiscard]] host_id host_of(rank_id r) const noexcept {
    return host_id{at<std::uint32_t>(column::host)[r.value]};
  }
  // The GPU's index on its host, in PCI order.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] std::uint32_t gpu_of(rank_id r) const noexcept {
    return at<std::uint16_t>(column::gpu)[r.value];
  }
  // The rank's place among the ranks of its host. post: ranks_on(host_of(r))[local_rank_of(r)] == r.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] std::uint32_t local_rank_of(rank_id r) const noexcept {
    return at<std::uint16_t>(column::local_rank)[r.value];
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] domain_id domain_of(rank_id r) const noexcept {
    return domain_id{at<std::uint32_t>(column::domain)[r.value]};
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] topoplan::coordinate coordinate(rank_id r) const noexcept { return layout_.coordinate(r); }
  // The ranks of a host in launch order. post: ascending; never empty.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] rank_list ranks_on(host_id h) const noexcept {
    const auto* begin = at<std::uint32_t>(column::host_begin) + h.value;
    const auto* ranks = at<std::uint32_t>(column::host_ranks);
    return {ranks + begin[0], ranks + begin[1]};
  }

  [[nodiscard]] std::string_view host_name(host_id h) const noexcept { return name(h.value); }
  // The host of that name, if it holds ranks. complexity: O(log hosts).
  [[nodiscard]] std::optional<host_id> find_host(std::string_view wanted) const noexcept {
    const auto* sorted = at<std::uint32_t>(column::host_by_name);
    std::uint32_t low = 0;
    for (std::uint32_t high = hosts_; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (name(sorted[middle]) < wanted) low = middle + 1;
      else high = middle;
    }
    if (low == hosts_ || name(sorted[low]) != wanted) return std::nullopt;
    return host_id{sorted[low]};
  }

  // The optional columns. pre of the look-ups: the map has that column.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool has_rail() const noexcept { return has(column::rail); }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool has_numa() const noexcept { return has(column::numa); }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool has_uuid() const noexcept { return uuid_width_ != 0; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool has_pci() const noexcept { return pci_width_ != 0; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] rail_id rail_of(rank_id r) const noexcept {
    return rail_id{at<std::uint16_t>(column::rail)[r.value]};
  }
  // The NUMA node of the rank's GPU; -1 if unknown.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] int numa_of(rank_id r) const noexcept { return at<std::int16_t>(column::numa)[r.value]; }
  [[nodiscard]] std::string_view uuid_of(rank_id r) const noexcept { return padded(column::uuid, uuid_width_, r); }
  [[nodiscard]] std::string_view pci_of(rank_id r) const noexcept { return padded(column::pci, pci_width_, r); }

  // The GPUs that are deliberately left without a rank. complexity: O(spares).
  [[nodiscard]] std::vector<spare> spares() const {
    const auto* begin = at<std::uint32_t>(column::spare_begin);
    const auto* gpus = at<std::uint16_t>(column::spare_gpus);
    std::vector<spare> all;
    for (std::uint32_t i = 0; i < spares_; ++i)
      all.push_back({std::string(name(hosts_ + i)), {gpus + begin[i], gpus + begin[i + 1]}});
    return all;
  }

  // All bytes of the map: what a file holds and what a device needs. post: no pointer in it.
  [[nodiscard]] std::span<const std::byte> image() const noexcept { return {image_, static_cast<std::size_t>(size_)}; }
  // The same view over a copy of image() that lies elsewhere, for instance on a device.
  // pre: `copy` is aligned to 8 bytes.
  [[nodiscard]] rank_map_view rebased(const void* copy) const noexcept {
    rank_map_view moved = *this;
    moved.image_ = static_cast<const std::byte*>(copy);
    return moved;
  }

  // Equal content: the same bytes, since one content has one image. complexity: O(bytes).
  [[nodiscard]] friend bool operator==(const rank_map_view& a, const rank_map_view& b) noexcept {
    return a.size_ == b.size_ && std::memcmp(a.image_, b.image_, static_cast<std::size_t>(a.size_)) == 0;
  }

 protected:
  using column = detail::column;

  // pre: `image` is a whole image, and h, copied from its start, has been checked.
  rank_map_view(const std::byte* image, const detail::image_header& h, const topoplan::layout& l) noexcept
      : image_(image),
        size_(h.size),
        layout_(l),
        digests_{h.cluster_digest, h.workload_digest},
        hosts_(h.hosts),
        domains_(h.domains),
        spares_(h.spares),
        uuid_width_(h.uuid_width),
        pci_width_(h.pci_width),
        contiguous_(h.contiguous != 0) {
    for (std::size_t i = 0; i < detail::column_count; ++i) offsets_[i] = h.columns[i].bytes == 0 ? 0 : h.columns[i].offset;
  }

 private:
  template <class T> TOPOPLAN_HOST_DEVICE [[nodiscard]] const T* at(column c) const noexcept {
    return reinterpret_cast<const T*>(image_ + offsets_[static_cast<std::size_t>(c)]);
  }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] bool has(column c) const noexcept { return offsets_[static_cast<std::size_t>(c)] != 0; }
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    const auto* begin = at<std::uint32_t>(column::name_begin) + i;
    return {at<char>(column::names) + begin[0], begin[1] - begin[0]};
  }
  [[nodiscard]] std::string_view padded(column c, std::uint32_t width, rank_id r) const noexcept {
    const std::string_view text{at<char>(c) + std::size_t{r.value} * width, width};
    return text.substr(0, text.find('\0'));
  }

  const std::byte* image_;
  std::uint64_t size_;
  std::uint64_t offsets_[detail::column_count] = {};
  topoplan::layout layout_;
  topoplan::digests digests_;
  std::uint32_t hosts_;
  std::uint32_t domains_;
  std::uint32_t spares_;
  std::uint32_t uuid_width_;
  std::uint32_t pci_width_;
  bool contiguous_;
};

// A rank map that owns its image. Everything that a view does; converts to one.
class rank_map : public rank_map_view {
 public:
  // Makes the map of a job. `hosts` is in launch order: the host of rank 0 first, then as ranks first meet them.
  // pre: none, all is checked. post: the accessors return the columns; local ranks rise with the rank on each host.
  // complexity: O(ranks + hosts log hosts). errors: invalid_argument that names the rank, host or GPU: a column of a wrong
  // size, a host index out of range, a GPU with two ranks or with a rank and spare, hosts out of order, without a rank,
  // without a name or with another's name.
  rank_map(const topoplan::layout& l, const std::vector<std::string>& hosts, const rank_columns& columns,
           const std::vector<spare>& spares = {}, topoplan::digests made_for = {})
      : rank_map(detail::build_image(l, hosts, columns, spares, made_for), l) {}

  rank_map(const rank_map& other) : rank_map_view(other), bytes_(other.bytes_) { rebase(); }
  rank_map(rank_map&& other) noexcept : rank_map_view(other), bytes_(std::move(other.bytes_)) { rebase(); }
  rank_map& operator=(rank_map other) noexcept {
    rank_map_view::operator=(other);
    bytes_ = std::move(other.bytes_);
    rebase();
    return *this;
  }
  ~rank_map() = default;

  [[nodiscard]] const rank_map_view& view() const noexcept { return *this; }

 private:
  rank_map(detail::built_image built, const topoplan::layout& l)
      : rank_map_view(built.bytes.data(), built.header, l), bytes_(std::move(built.bytes)) {}
  void rebase() noexcept { rank_map_view::operator=(rebased(bytes_.data())); }

  std::vector<std::byte> bytes_;
};

}  // namespace topoplan::inline v1

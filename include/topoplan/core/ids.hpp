// Distinct integer types for the numbers of this field: a rank is not a GPU is not a host.
#pragma once

#include <topoplan/core/host_device.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

// A number that counts one kind of thing. Ids of different kinds don't convert, compare or assign to each other.
template <class Tag> struct id {
  std::uint32_t value = 0;

  constexpr id() = default;
  TOPOPLAN_HOST_DEVICE constexpr explicit id(std::uint32_t number) noexcept : value(number) {}

  TOPOPLAN_HOST_DEVICE friend constexpr bool operator==(id a, id b) noexcept { return a.value == b.value; }
  // Beside <=>, which a kernel can't use: the operators of std::strong_ordering are host functions.
  TOPOPLAN_HOST_DEVICE friend constexpr bool operator<(id a, id b) noexcept { return a.value < b.value; }
  TOPOPLAN_HOST_DEVICE friend constexpr bool operator<=(id a, id b) noexcept { return a.value <= b.value; }
  TOPOPLAN_HOST_DEVICE friend constexpr bool operator>(id a, id b) noexcept { return a.value > b.value; }
  TOPOPLAN_HOST_DEVICE friend constexpr bool operator>=(id a, id b) noexcept { return a.value >= b.value; }
  friend constexpr auto operator<=>(id a, id b) noexcept { return a.value <=> b.value; }
};

using rank_id = id<struct rank_tag>;      // logical process number, 0 ... world-1
using gpu_id = id<struct gpu_tag>;        // a physical GPU (a seat) of the cluster, 0 ... cluster.gpus.size()-1
using host_id = id<struct host_tag>;      // one OS instance
using domain_id = id<struct domain_tag>;  // an NVLink domain
using rail_id = id<struct rail_tag>;      // the NIC plane that a GPU's traffic leaves by

// The ids first, first+1, ... last-1 as a range. pre: first <= last.
template <class Id> class id_range {
 public:
  class iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;

    constexpr iterator() = default;
    TOPOPLAN_HOST_DEVICE constexpr explicit iterator(std::uint32_t at) noexcept : at_(at) {}
    TOPOPLAN_HOST_DEVICE constexpr Id operator*() const noexcept { return Id{at_}; }
    TOPOPLAN_HOST_DEVICE constexpr iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    TOPOPLAN_HOST_DEVICE constexpr iterator operator++(int) noexcept { return iterator{at_++}; }
    TOPOPLAN_HOST_DEVICE friend constexpr bool operator==(iterator a, iterator b) noexcept { return a.at_ == b.at_; }

   private:
    std::uint32_t at_ = 0;
  };

  TOPOPLAN_HOST_DEVICE constexpr id_range(std::uint32_t first, std::uint32_t last) noexcept : first_(first), last_(last) {}
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{first_}; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr iterator end() const noexcept { return iterator{last_}; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::size_t size() const noexcept { return last_ - first_; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr bool empty() const noexcept { return first_ == last_; }

 private:
  std::uint32_t first_;
  std::uint32_t last_;
};

}  // namespace topoplan::inline v1

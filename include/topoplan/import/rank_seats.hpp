// Where every rank of a layout runs, and which line says so.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/import/launch_method.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// The seat of one rank.
struct rank_seat {
  host_id host;           // of the cluster
  std::uint16_t gpu = 0;  // index on its host, PCI order
  std::size_t line = 0;   // of the file that says so

  friend bool operator==(const rank_seat&, const rank_seat&) = default;
};

// A layout as a launcher makes it of a file.
struct rank_seats {
  std::string source;
  launch_method method = launch_method::torchrun;
  std::vector<rank_seat> ranks;    // by rank
  std::vector<host_id> hosts;      // as the file first names them, also those without a rank
  std::vector<std::string> names;  // of these hosts, as the file writes them
  bool counts = false;             // the file says how many processes a host runs
  std::vector<std::string> notes;  // what had to be assumed

  friend bool operator==(const rank_seats&, const rank_seats&) = default;
};

}  // namespace topoplan::inline v1::import

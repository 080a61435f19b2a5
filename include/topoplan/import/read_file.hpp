// Reads a whole file, or standard input, as text. What the text may hold (BOM, CRLF, NUL) is the readers' business.
#pragma once

#include <topoplan/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <sys/stat.h>

namespace topoplan::inline v1::import {

// Larger inputs are no topology, and would be read into memory whole.
inline constexpr std::size_t max_file_size = std::size_t{1} << 30U;

// How messages name an input: "-" reads as "standard input". complexity: O(path). errors: none.
[[nodiscard]] inline std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// Reads the bytes of a file; "-" is standard input. complexity: O(bytes).
// errors: io_error with the path and the system's reason for a file that can't be read, a directory, and more than max_file_size.
[[nodiscard]] inline std::string read_file(const std::string& path) {
  const std::string named = source_name(path);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(nullptr, std::fclose);
  std::FILE* file = stdin;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rbe"));
    if (!opened) throw io_error(named, std::strerror(errno));
    file = opened.get();
  }
  std::string text;
  char buffer[65536];
  for (;;) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, file);
    text.append(buffer, got);
    if (text.size() > max_file_size) throw io_error(named, "it is larger than " + std::to_string(max_file_size >> 20U) + " MiB");
    if (got < sizeof buffer) break;
  }
  if (std::ferror(file) != 0) throw io_error(named, std::strerror(errno));
  return text;
}

// True if a path names something that read_file may read: an existing file that isn't a directory, or "-".
// complexity: O(path). errors: none.
[[nodiscard]] inline bool is_file(const std::string& path) {
  struct stat found{};
  return path == "-" || (::stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode));
}

}  // namespace topoplan::inline v1::import

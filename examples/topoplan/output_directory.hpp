// Writes a plan's files so that nothing is lost: all of them or none, and never over a different plan unless told to.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan_cli {

struct output_file {
  std::filesystem::path name;  // relative
  std::function<void(std::ostream&)> write;
  bool executable = false;
};

enum class written : unsigned char { made, unchanged, replaced };

// Writes `files` below `directory`; `stale` names files of earlier plans that go when a plan is replaced.
// post: the directory holds exactly the new text of every file, or, after an error, what it held before; files of other names
// are untouched.
// errors: io_error; invalid_argument if a file of that name holds other text and `force` is false.
written write_files(const std::filesystem::path& directory, const std::vector<output_file>& files,
                    const std::vector<std::filesystem::path>& stale, bool force);

// Writes one file, all of it or nothing. errors: io_error; invalid_argument if it exists and `force` is false, or isn't a file.
void write_file(const std::filesystem::path& path, const output_file& file, bool force);

}  // namespace topoplan_cli

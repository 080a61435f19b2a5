// Runs other programs for the tests that compare with them.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace topoplan_test {

// What a shell command writes to its standard output; its status is ignored.
inline std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 65536> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), got);
  ::pclose(pipe);
  return out;
}

inline bool has_program(const std::string& name) { return !output_of("command -v " + name + " 2>/dev/null").empty(); }

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// A file of its own that goes away with the object.
class temporary_file {
 public:
  explicit temporary_file(std::string_view text) {
    path_ = (std::filesystem::temp_directory_path() / "topoplan-test-XXXXXX").string();
    const int file = ::mkstemp(path_.data());
    if (file >= 0) ::close(file);
    std::ofstream(path_, std::ios::binary) << text;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace topoplan_test

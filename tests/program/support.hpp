// Runs the program as a user does, in a folder of its own.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <system_error>

namespace topoplan_test {

namespace fs = std::filesystem;

struct result {
  int status = -1;
  std::string out;
  std::string err;
};

// A folder of its own for each test case, gone afterwards.
struct scratch {
  fs::path path;
  scratch() {
    std::string pattern = (fs::temp_directory_path() / "topoplan_program.XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
};

inline std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline result run(const fs::path& folder, const std::string& arguments) {
  const std::string out = (folder / ".out").string();
  const std::string err = (folder / ".err").string();
  const std::string command =
      "cd '" + folder.string() + "' && '" TOPOPLAN_PROGRAM "' " + arguments + " >'" + out + "' 2>'" + err + "' </dev/null";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a fixed program
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace topoplan_test

// What the tests of emit/ share: text of an emitter, scripts that really run, and what they printed.
#pragma once

#include <topoplan/plan/plan.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace topoplan_test {

// What an emitter writes.
template <class Emit> std::string text_of(const Emit& emit) {
  std::ostringstream out;
  emit(out);
  return out.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A folder of its own, gone afterwards.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "topoplan-emit-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file there. post: the path as text.
  std::string write(std::string_view name, std::string_view text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

// A plan of a map and nothing else.
inline topoplan::plan bare_plan(const topoplan::rank_map& map, const topoplan::launcher& by) {
  return {map, {}, by, {}, {}, {}, {}, {}, false, false, 0, topoplan::optimality::heuristic, {}};
}

struct outcome {
  int status = -1;
  std::string out;
  std::string err;
};

// Runs a program with arguments and further environment ("NAME=value"), without a shell in between; a minute at most.
inline outcome run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
  const temporary_folder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  const ::pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::vector<std::string> words{"env"};
    words.insert(words.end(), environment.begin(), environment.end());
    words.insert(words.end(), {"timeout", "60"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    ::execvp("env", argv.data());
    ::_exit(98);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  const auto read = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
}

}  // namespace topoplan_test

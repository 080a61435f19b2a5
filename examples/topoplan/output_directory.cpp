#include "output_directory.hpp"

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace topoplan_cli {
namespace {

namespace fs = std::filesystem;
using topoplan::invalid_argument;
using topoplan::io_error;

bool same_text(const fs::path& a, const fs::path& b) {
  if (fs::file_size(a) != fs::file_size(b)) return false;
  std::ifstream left(a, std::ios::binary);
  std::ifstream right(b, std::ios::binary);
  std::array<char, 1 << 16> l{};
  std::array<char, 1 << 16> r{};
  while (left && right) {
    left.read(l.data(), l.size());
    right.read(r.data(), r.size());
    if (left.gcount() != right.gcount() || !std::equal(l.begin(), l.begin() + left.gcount(), r.begin())) return false;
  }
  return left.eof() && right.eof();
}

// A folder of its own in `parent`, which is on the file system of the target; gone when this is, whatever happens.
class staging {
 public:
  explicit staging(const fs::path& parent) {
    for (unsigned i = 0; !fs::create_directory(path_ = parent / name(i)); ++i)
      if (i == 1000) throw io_error(parent.string(), "holds a thousand folders .topoplan.*; remove them");
  }
  ~staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  static std::string name(unsigned i) { return ".topoplan." + std::to_string(::getpid()) + '.' + std::to_string(i); }

  fs::path path_;
};

void write_one(const fs::path& path, const fs::path& shown, const output_file& file) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  if (!out) throw io_error(shown.string(), "can't be created");
  file.write(out);
  out.close();
  if (!out) throw io_error(shown.string(), "can't be written; is the disk full?");
  if (file.executable)
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
}

// Renames that are undone unless all of them went through.
class exchange {
 public:
  explicit exchange(fs::path kept) : kept_(std::move(kept)) {}
  ~exchange() {
    std::error_code ignored;
    for (auto step = done_.rbegin(); step != done_.rend(); ++step) fs::rename(step->second, step->first, ignored);
  }
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  // Puts `from` in the place of `to`; what was there is kept until commit().
  void replace(const fs::path& from, const fs::path& to) {
    retire(to);
    fs::create_directories(to.parent_path());
    fs::rename(from, to);
    done_.emplace_back(from, to);
  }
  void retire(const fs::path& old) {
    if (!fs::exists(fs::symlink_status(old))) return;
    const fs::path aside = kept_ / std::to_string(done_.size());
    fs::create_directories(kept_);
    fs::rename(old, aside);
    done_.emplace_back(old, aside);
  }
  void commit() noexcept { done_.clear(); }

 private:
  fs::path kept_;
  std::vector<std::pair<fs::path, fs::path>> done_;  // was there, is here
};

written write_into(const fs::path& directory, const std::vector<output_file>& files, const std::vector<fs::path>& stale,
                   bool force) {
  if (!fs::exists(directory)) {
    fs::path parent = fs::absolute(directory).lexically_normal();
    if (!parent.has_filename()) parent = parent.parent_path();
    const fs::path target = parent;
    parent = parent.parent_path();
    fs::create_directories(parent);
    const staging stage(parent);
    for (const output_file& file : files) write_one(stage.path() / "new" / file.name, directory / file.name, file);
    fs::rename(stage.path() / "new", target);
    return written::made;
  }
  if (!fs::is_directory(directory)) throw invalid_argument("--out " + directory.string() + " is a file; name a directory");
  const fs::path target = fs::canonical(directory);
  for (const output_file& file : files) {
    const fs::path old = target / file.name;
    if (fs::exists(fs::symlink_status(old)) && !fs::is_regular_file(old))
      throw invalid_argument("--out: " + (directory / file.name).string() +
                             " is there and isn't a file; remove it or give another directory");
  }
  const staging stage(target);
  for (const output_file& file : files) write_one(stage.path() / "new" / file.name, directory / file.name, file);
  bool missing = false;
  bool different = false;
  for (const output_file& file : files) {
    if (!fs::exists(target / file.name)) missing = true;
    else different = different || !same_text(target / file.name, stage.path() / "new" / file.name);
  }
  if (different && !force)
    throw invalid_argument("--out " + directory.string() +
                           " holds a different plan; give another directory, or --force to replace it");
  if (!missing && !different) return written::unchanged;
  exchange steps(stage.path() / "old");
  for (const output_file& file : files) steps.replace(stage.path() / "new" / file.name, target / file.name);
  if (different)
    for (const fs::path& name : stale) {
      const bool kept = std::any_of(files.begin(), files.end(), [&](const output_file& f) { return f.name == name; });
      if (!kept) steps.retire(target / name);
    }
  steps.commit();
  return different ? written::replaced : written::made;
}

}  // namespace

written write_files(const fs::path& directory, const std::vector<output_file>& files, const std::vector<fs::path>& stale,
                    bool force) {
  try {
    return write_into(directory, files, stale, force);
  } catch (const fs::filesystem_error& e) {
    throw io_error(directory.string(), e.code().message() + " (" + e.path1().filename().string() + ")");
  }
}

void write_file(const fs::path& path, const output_file& file, bool force) {
  try {
    const bool there = fs::exists(fs::symlink_status(path));
    if (there && !fs::is_regular_file(path)) throw invalid_argument("--out " + path.string() + " is there and isn't a file");
    if (there && !force) throw invalid_argument("--out " + path.string() + " exists; --force replaces it");
    const fs::path target = there ? fs::canonical(path) : fs::absolute(path);
    if (!fs::is_directory(target.parent_path())) throw io_error(path.string(), "its folder doesn't exist");
    const staging stage(target.parent_path());
    write_one(stage.path() / "new", path, file);
    fs::rename(stage.path() / "new", target);
  } catch (const fs::filesystem_error& e) {
    throw io_error(path.string(), e.code().message());
  }
}

}  // namespace topoplan_cli

#include "output_directory.hpp"

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace topoplan_cli {
namespace {

namespace fs = std::filesystem;
using topoplan::io_error;

bool same_text(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::file_size(a, ignored) != fs::file_size(b, ignored)) return false;
  std::ifstream left(a, std::ios::binary);
  std::ifstream right(b, std::ios::binary);
  std::array<char, 1 << 16> l{};
  std::array<char, 1 << 16> r{};
  while (left && right) {
    left.read(l.data(), l.size());
    right.read(r.data(), r.size());
    if (left.gcount() != right.gcount() || !std::equal(l.begin(), l.begin() + left.gcount(), r.begin())) return false;
  }
  return true;
}

// A folder beside the target that is gone when this is, whatever happens.
class staging {
 public:
  explicit staging(const fs::path& target) {
    fs::path base = fs::absolute(target).lexically_normal();
    if (!base.has_filename()) base = base.parent_path();
    std::error_code failed;
    fs::create_directories(base.parent_path(), failed);
    if (failed) throw io_error(base.parent_path().string(), failed.message());
    std::string pattern = (base.parent_path() / ("." + base.filename().string() + ".XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) throw io_error(base.parent_path().string(), std::generic_category().message(errno));
    path_ = pattern;
    fs::permissions(
        path_,
        fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
        failed);
  }
  ~staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_one(const fs::path& path, const output_file& file) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  if (!out) throw io_error(path.string(), "can't be created");
  file.write(out);
  out.close();
  if (!out) throw io_error(path.string(), "can't be written; is the disk full?");
  if (file.executable)
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
}

}  // namespace

written write_files(const fs::path& directory, const std::vector<output_file>& files, const std::vector<fs::path>& stale,
                    bool force) {
  try {
    if (fs::exists(directory) && !fs::is_directory(directory))
      throw topoplan::invalid_argument("--out " + directory.string() + " is a file; name a directory");
    const staging stage(directory);
    for (const output_file& file : files) write_one(stage.path() / file.name, file);
    if (!fs::exists(directory)) {
      fs::rename(stage.path(), fs::absolute(directory).lexically_normal());
      return written::made;
    }
    bool same = true;
    bool different = false;
    for (const output_file& file : files) {
      const fs::path old = directory / file.name;
      if (!fs::exists(old)) same = false;
      else if (!same_text(old, stage.path() / file.name)) different = true;
    }
    if (different && !force)
      throw topoplan::invalid_argument("--out " + directory.string() +
                                       " holds a different plan; give another directory, or --force to replace it");
    if (same && !different) return written::unchanged;
    for (const output_file& file : files) {
      fs::create_directories((directory / file.name).parent_path());
      fs::rename(stage.path() / file.name, directory / file.name);
    }
    if (!different) return written::made;
    for (const fs::path& name : stale) {
      const bool kept = std::any_of(files.begin(), files.end(), [&](const output_file& f) { return f.name == name; });
      if (!kept) fs::remove(directory / name);
    }
    return written::replaced;
  } catch (const fs::filesystem_error& e) {
    throw io_error(e.path1().string(), e.code().message());
  }
}

}  // namespace topoplan_cli

// Whole files through POSIX: mapped read-only, and written so that readers see all of it or nothing.
#pragma once

#include <topoplan/core/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace topoplan::inline v1::detail {

[[noreturn]] inline void fail_io(const std::string& path, const char* doing, int number) {
  throw io_error(path, std::string("can't ") + doing + ": " + std::strerror(number));
}

class file_descriptor {
 public:
  explicit file_descriptor(int number) noexcept : number_(number) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return number_; }
  int close() noexcept { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

// A file in memory, read-only.
class file_mapping {
 public:
  // errors: io_error when it can't be opened or mapped, or isn't a regular file.
  explicit file_mapping(const std::string& path) {
    const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail_io(path, "open it", errno);
    struct ::stat status = {};
    if (::fstat(file.get(), &status) != 0) fail_io(path, "find its size", errno);
    if (!S_ISREG(status.st_mode)) throw io_error(path, "isn't a regular file, so it can't be mapped");
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) return;
    void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (at == MAP_FAILED) fail_io(path, "map it", errno);
    data_ = static_cast<const std::byte*>(at);
  }
  file_mapping(file_mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  file_mapping& operator=(file_mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~file_mapping() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A new file beside `path`. errors: io_error.
[[nodiscard]] inline std::pair<std::string, int> open_beside(const std::string& path) {
  constexpr int attempts = 100;
  for (int i = 0;; ++i) {
    std::string name = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return {std::move(name), file};
    if (errno != EEXIST || i == attempts) fail_io(name, "create it", errno);
  }
}

// Writes a file under another name and renames it, so that no reader ever sees a part of it. What a crash of the machine
// leaves is up to the file system.
// post: `path` holds exactly the bytes, or is as it was. errors: io_error.
inline void replace_file(const std::string& path, std::span<const std::byte> bytes) {
  auto [name, number] = open_beside(path);
  file_descriptor file(number);
  const auto fail = [&](const char* doing) {
    const int cause = errno;
    ::unlink(name.c_str());
    fail_io(path, doing, cause);
  };
#if defined(__linux__)
  // Only for speed (ext4 writes three times as fast into space that it already has), so a refusal doesn't matter.
  (void)::fallocate(file.get(), 0, 0, static_cast<::off_t>(bytes.size()));
#endif
  while (!bytes.empty()) {
    const ::ssize_t wrote = ::write(file.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("write it");
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  if (file.close() != 0) fail("write it");
  if (::rename(name.c_str(), path.c_str()) != 0) fail("replace it");
}

}  // namespace topoplan::inline v1::detail

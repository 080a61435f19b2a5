// Tests of rank_map/binary.hpp: what is written is read back; what was never written is refused, and never read past its end.
#include <topoplan/rank_map/binary.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::random_parts;
using topoplan_test::rank_map_parts;
using topoplan_test::regular_parts;
using bytes_of_file = std::vector<std::byte>;

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "topoplan-binary-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Bytes that end where an unreadable page begins: reading one too many ends the program.
class guarded {
 public:
  explicit guarded(std::span<const std::byte> bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    size_ = (bytes.size() + page - 1) / page * page + page;
    void* at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    base_ = static_cast<std::byte*>(at);
    REQUIRE(::mprotect(base_ + size_ - page, page, PROT_NONE) == 0);
    bytes_ = {base_ + size_ - page - bytes.size(), bytes.size()};
    assign(bytes);
  }
  // pre: as many bytes as before.
  void assign(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(bytes_.data(), bytes.data(), bytes.size());
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() { ::munmap(base_, size_); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> bytes_;
};

void save(const std::string& path, std::span<const std::byte> bytes) {
  std::filesystem::remove(path);  // ext4 flushes a file that is overwritten in place, which is slow
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
bytes_of_file load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}
bytes_of_file image_of(const rank_map_view& map) { return {map.image().begin(), map.image().end()}; }

// The message of the refusal; "accepted" if there was none.
template <class Read> std::string refusal(const Read& read) {
  try {
    read();
  } catch (const parse_error& e) {
    return e.what();
  }
  return "accepted";
}
std::string read_refusal(std::span<const std::byte> bytes) {
  static std::optional<guarded> copy;  // kept, since making one is slow
  if (copy && copy->bytes().size() == bytes.size()) copy->assign(bytes);
  else copy.emplace(bytes);
  return refusal([&] { (void)read_rank_map(copy->bytes(), "map.bin"); });
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Makes the hashes of a changed image right again: damage that no checksum shows.
void seal(bytes_of_file& image) {
  detail::image_header h;
  std::memcpy(&h, image.data(), sizeof h);
  for (std::uint64_t i = 0; i < h.blocks; ++i) {
    const std::uint64_t hash = detail::block_hash(h, image.data(), i);
    std::memcpy(image.data() + sizeof h + 8 * i, &hash, sizeof hash);
  }
  h.check = detail::header_check(h, image.data() + sizeof h);
  std::memcpy(image.data(), &h, sizeof h);
}

// Every look-up of an opened map, each either answering or throwing parse_error. post: no crash, no read outside the file.
void ask_everything(const mapped_rank_map& map) {
  const auto answered_within = [](std::uint32_t answer, std::uint32_t end) { CHECK(answer < end); };
  const auto ask = [](const auto& question) {
    try {
      question();
    } catch (const parse_error&) {
    }
  };
  for (std::uint32_t i = 0; i < map.world(); ++i) {
    const rank_id r{i};
    ask([&] { answered_within(map.host_of(r).value, map.hosts()); });
    ask([&] { (void)map.gpu_of(r); });
    ask([&] { answered_within(map.local_rank_of(r), map.world()); });
    ask([&] { (void)map.domain_of(r); });
    if (map.has_rail()) ask([&] { (void)map.rail_of(r); });
    if (map.has_numa()) ask([&] { (void)map.numa_of(r); });
    if (map.has_uuid()) ask([&] { (void)std::string(map.uuid_of(r)); });
    if (map.has_pci()) ask([&] { (void)std::string(map.pci_of(r)); });
  }
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    ask([&] {
      for (const rank_id r : map.ranks_on(host_id{h})) answered_within(r.value, map.world());
    });
    ask([&] { (void)map.find_host(std::string(map.host_name(host_id{h}))); });
  }
  ask([&] { (void)map.spares(); });
}

rank_map small_map() {
  topoplan_test::random numbers(77);
  for (;;) {
    const rank_map_parts parts = random_parts(numbers, false);
    const rank_map map = parts.build();
    if (map.has_uuid() && parts.spares.size() > 1 && map.world() <= 16) return map;
  }
}

TEST_CASE("what is written is read back, by every way of reading") {
  const temporary_folder folder;
  topoplan_test::random numbers(1);
  for (int i = 0; i < 60; ++i) {
    const rank_map map = random_parts(numbers, i % 2 == 0).build();
    const std::string path = folder / "map.bin";
    write_rank_map(path, map);
    CHECK(load(path) == image_of(map));
    CHECK(read_rank_map(load(path), path) == map);
    const mapped_rank_map opened = open_rank_map(path);
    CHECK(opened.view() == map);
    CHECK(opened.view() == map);
    CHECK(opened.path() == path);
    REQUIRE(opened.world() == map.world());
    REQUIRE(opened.hosts() == map.hosts());
    CHECK(opened.domains() == map.domains());
    CHECK(opened.contiguous() == map.contiguous());
    CHECK(opened.layout() == map.layout());
    CHECK(opened.degrees() == map.degrees());
    CHECK(opened.order() == map.order());
    CHECK(opened.digests() == map.digests());
    CHECK(opened.spares() == map.spares());
    CHECK(opened.has_rail() == map.has_rail());
    CHECK(opened.has_uuid() == map.has_uuid());
    for (std::uint32_t n = 0; n < map.world(); ++n) {
      const rank_id r{n};
      CHECK(opened.host_of(r) == map.host_of(r));
      CHECK(opened.gpu_of(r) == map.gpu_of(r));
      CHECK(opened.local_rank_of(r) == map.local_rank_of(r));
      CHECK(opened.domain_of(r) == map.domain_of(r));
      CHECK(opened.coordinate(r) == map.coordinate(r));
      if (map.has_rail()) CHECK(opened.rail_of(r) == map.rail_of(r));
      if (map.has_numa()) CHECK(opened.numa_of(r) == map.numa_of(r));
      if (map.has_uuid()) CHECK(opened.uuid_of(r) == map.uuid_of(r));
      if (map.has_pci()) CHECK(opened.pci_of(r) == map.pci_of(r));
    }
    for (std::uint32_t n = 0; n < map.hosts(); ++n) {
      const host_id h{n};
      CHECK(std::ranges::equal(opened.ranks_on(h), map.ranks_on(h)));
      CHECK(opened.host_name(h) == map.host_name(h));
      CHECK(opened.find_host(map.host_name(h)) == h);
    }
    CHECK(opened.find_host("nobody") == std::nullopt);
  }
}

TEST_CASE("an opened map is moved, and asked by several threads at once") {
  const temporary_folder folder;
  const rank_map map = regular_parts({.tp = 8, .pp = 4}, 16384, 8).build();
  write_rank_map(folder / "big.bin", map);
  mapped_rank_map first = open_rank_map(folder / "big.bin");
  REQUIRE(map.image().size() > mapped_rank_map::eager_bytes);
  mapped_rank_map opened = std::move(first);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t r = t; r < map.world(); r += 97)
        if (opened.gpu_of(rank_id{r}) != r % 8 || opened.host_of(rank_id{r}).value != r / 8) ++wrong;
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a file that is cut off at any byte is refused, and never read past its end") {
  const temporary_folder folder;
  const bytes_of_file image = image_of(small_map());
  for (std::size_t size = 0; size < image.size(); ++size) {
    const std::string said = read_refusal(std::span(image).first(size));
    CHECK(contains(said, "map.bin: expected "));
    CHECK(contains(said, size < 360 ? "at least 360 bytes" : "it is cut off"));
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{359}, std::size_t{360}, image.size() - 1}) {
    save(folder / "short.bin", std::span(image).first(size));
    CHECK(contains(refusal([&] { (void)open_rank_map(folder / "short.bin"); }), "short.bin: expected "));
  }
}

TEST_CASE("a file with something after its end is refused") {
  bytes_of_file image = image_of(small_map());
  image.push_back(std::byte{0});
  CHECK(contains(read_refusal(image), "something follows it"));
}

TEST_CASE("any damaged byte is refused, on reading and on opening") {
  const temporary_folder folder;
  bytes_of_file image = image_of(small_map());
  for (std::size_t i = 0; i < image.size(); ++i) {
    for (const unsigned change : {1U, 0x80U, 0xffU}) {
      image[i] ^= static_cast<std::byte>(change);
      CHECK(contains(read_refusal(image), "map.bin: expected "));
      if (change == 1 || i < 400) {
        save(folder / "bad.bin", image);
        CHECK(contains(refusal([&] { (void)open_rank_map(folder / "bad.bin"); }), "bad.bin: expected "));
      }
      image[i] ^= static_cast<std::byte>(change);
    }
  }
  CHECK(read_refusal(image) == "accepted");
}

TEST_CASE("damage in a large file is never returned by a look-up, and the rest of the file stays readable") {
  const temporary_folder folder;
  const rank_map map = regular_parts({.tp = 8, .pp = 4}, 16384, 8).build();
  const std::string path = folder / "big.bin";
  bytes_of_file image = image_of(map);
  REQUIRE(image.size() > mapped_rank_map::eager_bytes);
  detail::image_header h;
  std::memcpy(&h, image.data(), sizeof h);
  const std::uint64_t hit = h.columns[1].offset + 2 * std::uint64_t{100'000};  // gpu of rank 100,000
  image[static_cast<std::size_t>(hit)] ^= std::byte{1};
  save(path, image);
  const mapped_rank_map opened = open_rank_map(path);
  CHECK(opened.gpu_of(rank_id{5}) == 5);
  CHECK(opened.host_of(rank_id{100'000}).value == 12'500);
  CHECK(contains(refusal([&] { (void)opened.gpu_of(rank_id{100'000}); }), "damaged"));
  CHECK(contains(refusal([&] { (void)opened.gpu_of(rank_id{100'000}); }), "big.bin: expected an intact rank map"));
  CHECK(contains(refusal([&] { (void)opened.view(); }), "don't match their hash"));
  CHECK(contains(refusal([&] { (void)opened.spares(); }), "don't match their hash"));
}

TEST_CASE("foreign files are refused by name") {
  const auto text = [](std::string_view content) {
    const std::string padded = std::string(content) + std::string(400, ' ');
    const auto* first = reinterpret_cast<const std::byte*>(padded.data());
    return bytes_of_file(first, first + padded.size());
  };
  CHECK(contains(read_refusal(text("{ \"format\": \"topoplan.rank_map\"")), "found '{ \"forma'"));
  CHECK(contains(read_refusal(text("\x7f"
                                   "ELF")),
                 "expected a binary rank map of topoplan"));
  bytes_of_file converted = image_of(small_map());  // as a copy that turns line ends leaves it
  converted.erase(converted.begin() + 6);
  CHECK(contains(read_refusal(converted), "expected a binary rank map of topoplan"));
}

TEST_CASE("a newer version and the other byte order are refused before anything else is believed") {
  bytes_of_file newer = image_of(small_map());
  newer[12] = std::byte{2};
  CHECK(contains(read_refusal(newer), "found version 2, written by a newer topoplan"));
  newer[12] = std::byte{0};
  CHECK(contains(read_refusal(newer), "expected version 1 of the rank map format, found version 0"));
  bytes_of_file swapped = image_of(small_map());
  std::reverse(swapped.begin() + 8, swapped.begin() + 12);
  CHECK(contains(read_refusal(swapped), "expected little-endian byte order"));
}

TEST_CASE("a file whose hashes are right and whose content isn't reads nothing outside itself") {
  const temporary_folder folder;
  const std::string path = folder / "evil.bin";
  const bytes_of_file good = image_of(small_map());
  topoplan_test::random numbers(9);
  int opened = 0;
  int refused = 0;
  const auto attack = [&](bytes_of_file image) {
    seal(image);
    // A change may make another valid map, such as one with another name of a host.
    const bool valid = read_refusal(image) == "accepted";
    refused += valid ? 0 : 1;
    save(path, image);
    try {
      const mapped_rank_map map = open_rank_map(path);
      ++opened;
      ask_everything(map);
      CHECK((refusal([&] { (void)map.view(); }) == "accepted") == valid);
    } catch (const parse_error&) {
      CHECK(!valid);
    }
  };
  // All numbers of all columns replaced by extreme ones.
  for (std::size_t at = 360; at + 4 <= good.size(); at += 2) {
    for (const std::uint32_t value : {0xffffffffU, 0x10000U, 0U}) {
      bytes_of_file image = good;
      std::memcpy(image.data() + at, &value, sizeof value);
      seal(image);
      if (image != good) attack(image);
    }
  }
  CHECK(opened > 1000);
  CHECK(refused > 1000);
  // Every field of the header but the digests, which may be any numbers.
  for (std::size_t at = 16; at < 360; at += 4) {
    if (at >= 96 && at < 112) continue;
    for (const std::uint32_t value : {0xffffffffU, 0x80000000U, 0x10000U, 1U, 0U}) {
      bytes_of_file image = good;
      std::memcpy(image.data() + at, &value, sizeof value);
      detail::image_header h;
      std::memcpy(&h, image.data(), sizeof h);
      if (h.blocks == 1) {
        h.check = detail::header_check(h, image.data() + sizeof h);
        std::memcpy(image.data(), &h, sizeof h);
      }
      if (image == good) continue;
      const std::string said = read_refusal(image);
      CHECK_MESSAGE(said != "accepted", "header offset " << at << " value " << value);
      save(path, image);
      try {
        ask_everything(open_rank_map(path));
      } catch (const parse_error&) {
      }
    }
  }
  // Several at once.
  for (int i = 0; i < 1000; ++i) {
    bytes_of_file image = good;
    for (std::uint64_t k = numbers.between(1, 6); k-- > 0;)
      image[static_cast<std::size_t>(numbers.between(432, good.size() - 1))] = static_cast<std::byte>(numbers.below(256));
    seal(image);
    if (image != good) attack(image);
  }
}

TEST_CASE("a rank, host or column that the map doesn't have is refused in words") {
  const temporary_folder folder;
  write_rank_map(folder / "map.bin", regular_parts({.tp = 2}, 2, 4).build());
  const mapped_rank_map map = open_rank_map(folder / "map.bin");
  const auto said = [](const auto& ask) {
    try {
      ask();
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(contains(said([&] { (void)map.gpu_of(rank_id{8}); }), "rank 8 isn't in a world of 8 ranks"));
  CHECK(contains(said([&] { (void)map.coordinate(rank_id{9}); }), "rank 9 isn't in a world of 8 ranks"));
  CHECK(contains(said([&] { (void)map.ranks_on(host_id{2}); }), "host 2 isn't among the map's 2 hosts"));
  CHECK(contains(said([&] { (void)map.host_name(host_id{7}); }), "host 7 isn't among the map's 2 hosts"));
  CHECK(contains(said([&] { (void)map.rail_of(rank_id{0}); }), "has no such column"));
}

TEST_CASE("files that can't be read or written: the path and the system's reason") {
  const temporary_folder folder;
  const auto said = [](const auto& act) {
    try {
      act();
    } catch (const io_error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const rank_map map = regular_parts({}, 1, 1).build();
  CHECK(contains(said([&] { (void)open_rank_map(folder / "none.bin"); }), "none.bin: can't open it: No such file"));
  CHECK(contains(said([&] { (void)open_rank_map(folder.path().string()); }), "isn't a regular file"));
  CHECK(contains(said([&] { write_rank_map(folder / "no/map.bin", map); }), "can't create it: No such file"));
  std::filesystem::create_directories(folder.path() / "taken" / "inner");
  CHECK(contains(said([&] { write_rank_map(folder / "taken", map); }), "taken: can't replace it"));
  const auto entries = std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator{});
  CHECK_MESSAGE(entries == 1, "a failed write leaves nothing behind");
}

TEST_CASE("a write that fails halfway leaves the old file as it was") {
  const temporary_folder folder;
  const rank_map before = regular_parts({}, 1, 2).build();
  const std::string path = folder / "map.bin";
  write_rank_map(path, before);
  ::rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const ::rlimit tight{256, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  std::string said;
  try {
    write_rank_map(path, regular_parts({}, 3, 2).build());
  } catch (const io_error& e) {
    said = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  CHECK(contains(said, "map.bin: can't write it: File too large"));
  CHECK(open_rank_map(path).view() == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator{}) == 1);
}

TEST_CASE("writing replaces a map as a whole: a reader of the old one keeps it") {
  const temporary_folder folder;
  const rank_map before = regular_parts({}, 2, 2).build();
  const rank_map after = regular_parts({}, 3, 2).build();
  write_rank_map(folder / "map.bin", before);
  const mapped_rank_map reader = open_rank_map(folder / "map.bin");
  write_rank_map(folder / "map.bin", after);
  CHECK(reader.view() == before);
  CHECK(open_rank_map(folder / "map.bin").view() == after);
}

}  // namespace

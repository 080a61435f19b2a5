// Checks a rank map that comes from outside: its header in a few steps, its content by making the map anew.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/rank_map/detail/image.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

[[noreturn]] inline void fail_map(const std::string& source, std::string expected, std::string found) {
  throw parse_error({source, 0, 0}, std::move(expected), std::move(found));
}
[[noreturn]] inline void fail_corrupt(const std::string& source, const std::string& what) {
  fail_map(source, "an intact rank map", what + "; the file is damaged, make or copy it anew");
}

// Reads and checks the header of an image: everything that doesn't need a look at the columns.
// post: all columns lie inside `image`, one after another; nothing outside `image` was read. complexity: O(blocks).
// errors: parse_error.
[[nodiscard]] inline image_header checked_header(std::span<const std::byte> image, const std::string& source) {
  const auto bytes = [](std::uint64_t n) { return std::to_string(n) + " bytes"; };
  image_header h;
  if (image.size() < sizeof h)
    fail_map(source, "a rank map, at least " + bytes(sizeof h), bytes(image.size()) + ": empty, cut off or another format");
  std::memcpy(&h, image.data(), sizeof h);
  if (std::memcmp(h.magic, image_magic, sizeof h.magic) != 0)
    fail_map(source, "a binary rank map of topoplan, which begins with \\x89TPMAP",
             quoted({reinterpret_cast<const char*>(h.magic), sizeof h.magic}));
  if (h.byte_order != image_byte_order)
    fail_map(source, "little-endian byte order", "byte-order mark " + std::to_string(h.byte_order));
  if (h.version != image_version)
    fail_map(source, "version " + std::to_string(image_version) + " of the rank map format",
             "version " + std::to_string(h.version) + (h.version > image_version ? ", written by a newer topoplan" : ""));
  if (h.size != image.size())
    fail_map(source, "the " + bytes(h.size) + " that its header announces",
             bytes(image.size()) + (image.size() < h.size ? ": it is cut off" : ": something follows it"));
  const std::uint64_t room = image.size() - sizeof h;
  if (h.blocks > room / 8) fail_corrupt(source, "a header with " + std::to_string(h.blocks) + " block hashes");
  const std::byte* const hashes = image.data() + sizeof h;
  if (header_check(h, hashes) != h.check) fail_corrupt(source, "a header that doesn't match its own hash");

  image_header expected = h;
  const auto size_of = [&](column c) { return h.columns[static_cast<std::size_t>(c)].bytes; };
  if (size_of(column::names) > max_names || size_of(column::spare_gpus) > image.size() || h.uuid_width > max_text_width ||
      h.pci_width > max_text_width)
    fail_corrupt(source, "a header with impossible sizes");
  lay_out(expected, size_of(column::names), size_of(column::spare_gpus) / 2, size_of(column::rail) != 0,
          size_of(column::numa) != 0);
  if (std::memcmp(&expected, &h, sizeof h) != 0) fail_corrupt(source, "columns that aren't where they belong");
  if (h.hosts == 0 || h.hosts > h.world) fail_corrupt(source, std::to_string(h.hosts) + " hosts in its header");
  for (std::uint64_t i = sizeof h + 8 * h.blocks; i < h.columns[0].offset; ++i)
    if (image[static_cast<std::size_t>(i)] != std::byte{0}) fail_corrupt(source, "bytes between header and columns");
  return h;
}

// The layout of a header. errors: parse_error.
[[nodiscard]] inline layout checked_layout(const image_header& h, const std::string& source) {
  try {
    return layout_of(h);
  } catch (const invalid_argument& e) {
    fail_map(source, "the layout of a job", e.what());
  }
}

// errors: parse_error if the block's bytes don't match their hash.
inline void check_block(const image_header& h, const std::byte* image, std::uint64_t block, const std::string& source) {
  std::uint64_t hash = 0;
  std::memcpy(&hash, image + sizeof h + 8 * block, sizeof hash);
  if (block_hash(h, image, block) != hash)
    fail_corrupt(source,
                 "bytes from " + std::to_string(h.columns[0].offset + block * image_block) + " on that don't match their hash");
}

// A column as numbers. pre: the header was checked against `image`.
template <class T> [[nodiscard]] std::vector<T> column_values(const image_header& h, const std::byte* image, column c) {
  const image_column at = h.columns[static_cast<std::size_t>(c)];
  std::vector<T> values(static_cast<std::size_t>(at.bytes / sizeof(T)));
  if (!values.empty()) std::memcpy(values.data(), image + at.offset, values.size() * sizeof(T));
  return values;
}

[[nodiscard]] inline std::vector<std::string> column_texts(const image_header& h, const std::byte* image, column c,
                                                           std::size_t width) {
  const image_column at = h.columns[static_cast<std::size_t>(c)];
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; width != 0 && i < at.bytes; i += width) {
    const std::string_view text{reinterpret_cast<const char*>(image + at.offset + i), width};
    texts.emplace_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

// Begins of pieces: from 0, never falling, to the end. errors: parse_error.
inline void check_begins(const std::vector<std::uint32_t>& begin, std::size_t end, const char* what, const std::string& source) {
  bool good = begin.front() == 0 && begin.back() == end;
  for (std::size_t i = 1; i < begin.size(); ++i) good = good && begin[i - 1] <= begin[i];
  if (!good) fail_map(source, std::string(what) + " that begin one after another", "others");
}

// Makes the map anew from the columns of an image, and requires the same image: so whatever holds for a map that was made
// here holds for one that was read. pre: the header was checked against `image`.
// complexity: as the constructor of rank_map. errors: parse_error.
[[nodiscard]] inline rank_map checked_content(const image_header& h, const layout& l, std::span<const std::byte> image,
                                              const std::string& source) {
  const std::byte* const data = image.data();
  for (std::uint64_t i = 0; i < h.blocks; ++i) check_block(h, data, i, source);
  const auto names = column_values<char>(h, data, column::names);
  const auto name_begin = column_values<std::uint32_t>(h, data, column::name_begin);
  const auto spare_begin = column_values<std::uint32_t>(h, data, column::spare_begin);
  const auto spare_gpus = column_values<std::uint16_t>(h, data, column::spare_gpus);
  check_begins(name_begin, names.size(), "host names", source);
  check_begins(spare_begin, spare_gpus.size(), "spares", source);
  const auto name = [&](std::size_t i) { return std::string(names.data() + name_begin[i], names.data() + name_begin[i + 1]); };
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < h.hosts; ++i) hosts.push_back(name(i));
  std::vector<spare> spares;
  for (std::size_t i = 0; i < h.spares; ++i)
    spares.push_back({name(h.hosts + i), {spare_gpus.data() + spare_begin[i], spare_gpus.data() + spare_begin[i + 1]}});
  const rank_columns columns{.host = column_values<std::uint32_t>(h, data, column::host),
                             .gpu = column_values<std::uint16_t>(h, data, column::gpu),
                             .domain = column_values<std::uint32_t>(h, data, column::domain),
                             .rail = column_values<std::uint16_t>(h, data, column::rail),
                             .numa = column_values<std::int16_t>(h, data, column::numa),
                             .uuid = column_texts(h, data, column::uuid, h.uuid_width),
                             .pci = column_texts(h, data, column::pci, h.pci_width)};
  try {
    rank_map map(l, hosts, columns, spares, {h.cluster_digest, h.workload_digest});
    const std::span<const std::byte> anew = map.image();
    if (anew.size() != image.size() || std::memcmp(anew.data(), data, image.size()) != 0)
      fail_map(source, "the image that belongs to its columns", "another one");
    return map;
  } catch (const invalid_argument& e) {
    fail_map(source, "a valid rank map", e.what());
  }
}

}  // namespace topoplan::inline v1::detail

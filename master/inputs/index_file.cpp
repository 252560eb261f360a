#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/hash/sha256.h"
#include "common/records/formats.h"
#include "master/inputs/index_store.h"
#include "master/inputs/input_index.h"

namespace ontime::master {
namespace {

constexpr std::string_view kMagic = "ONTIMEX1";
constexpr std::uint64_t kEnd = ~std::uint64_t{0};  // as `stored` of the entry that says how much the file holds
constexpr std::size_t kHashBytes = std::tuple_size_v<WindowHash>;
constexpr std::size_t kEntryBytes = 3 * 8 + kHashBytes + 3 * 4;

std::string encode(const AccessPoint& point, const StoredWindow& window) {
  std::string entry = little_endian(point.content, 8) + little_endian(point.stored, 8) + little_endian(point.state, 8);
  entry.append(point.window.begin(), point.window.end());
  entry += little_endian(window.bytes, 4) + little_endian(window.checksum, 4);
  return entry += little_endian(crc32c(entry), 4);
}

// Fewer bytes at the end, or where the file cannot be read.
std::string read_at(int file, std::uint64_t at, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t got = ::pread(file, bytes.data(), size, static_cast<off_t>(at));
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

Descriptor open_index(const std::string& path) { return files::open(path, O_RDONLY | files::kPlainFile); }

// False where what is there is no entry.
bool read_entry(int file, FileIndex& index) {
  const std::string bytes = read_at(file, index.bytes, kEntryBytes);
  if (bytes.size() < kEntryBytes) return false;
  const std::size_t numbers = kEntryBytes - 4;
  const auto number = [rest = std::string_view(bytes)](std::size_t at) {
    return from_little_endian<std::uint32_t>(rest.substr(at, 4));
  };
  const auto long_number = [rest = std::string_view(bytes)](std::size_t at) {
    return from_little_endian(rest.substr(at, 8));
  };
  if (number(numbers) != crc32c(std::string_view(bytes).substr(0, numbers))) return false;
  FileIndex::Entry entry{{long_number(0), long_number(8), long_number(16)}, {}};
  std::copy_n(bytes.begin() + 24, kHashBytes, entry.point.window.begin());
  entry.window = {index.bytes + kEntryBytes, number(24 + kHashBytes), number(28 + kHashBytes)};
  if (entry.window.bytes > kPackedWindowBytesMax || index.points.size() > kPointsMax) return false;
  index.bytes += kEntryBytes + entry.window.bytes;
  if (entry.point.stored == kEnd) {
    index.content_bytes = entry.point.content;
  } else {
    index.points.emplace(entry.point.content, entry);
  }
  return true;
}

}  // namespace

bool FileIndex::is_whole() const {
  std::uint64_t last = 0;
  for (const auto& [content, entry] : points) {
    if (content - last > kBlockContentMax) return false;
    last = content;
  }
  // The last place may be the end: there the last block ended, and a stream may have followed.
  return content_bytes > 0 && content_bytes >= last && content_bytes - last <= kBlockContentMax;
}

// Where one place has none, a record is very long; not where all do.
bool FileIndex::has_marks() const {
  return std::any_of(points.begin(), points.end(),
                     [](const auto& point) { return records::marked_at(point.second.point).has_value(); });
}

std::string index_name(const scheduler::InputFile& file) {
  const std::string named = file.path + '\0' + std::to_string(file.size) + '\0' + file.version;
  constexpr std::size_t kDigits = 32;  // of 64
  return hex_digits(hash::sha256(named)).substr(0, kDigits);
}

std::string encode_head(JobId job, const scheduler::InputFile& file) {
  const std::string numbers = std::string(kMagic) + little_endian(job.value, 4) + little_endian(file.path.size(), 4) +
                              little_endian(file.version.size(), 4) + little_endian(file.size, 8);
  const std::string names = file.path + file.version;
  return numbers + little_endian(crc32c(crc32c(numbers), names.data(), names.size()), 4) + names;
}

std::string encode_entry(const StartPoint& start, std::uint64_t at, StoredWindow& window) {
  window = {at + kEntryBytes, static_cast<std::uint32_t>(start.window.size()), crc32c(start.window)};
  return encode(start.point, window) + start.window;
}

std::string encode_end(std::uint64_t content_bytes) { return encode({content_bytes, kEnd}, {}); }

std::optional<FileIndex> read_index(const std::string& path, const scheduler::InputFile& file) {
  const Descriptor opened = open_index(path);
  if (!opened) return std::nullopt;
  const std::string head = read_at(opened.get(), 0, encode_head({}, file).size());
  if (head.size() < kMagic.size() + 4) return std::nullopt;
  FileIndex index;
  index.job = JobId{from_little_endian<std::uint32_t>(std::string_view(head).substr(kMagic.size(), 4))};
  if (head != encode_head(index.job, file)) return std::nullopt;
  index.bytes = head.size();
  while (read_entry(opened.get(), index)) {
  }
  return index;
}

bool write_index(const std::string& path, std::uint64_t at, std::string_view bytes) {
  constexpr mode_t kNobodyElse = 0600;
  files::make_directory(path.substr(0, path.rfind('/')), 0700);
  const int flags = at == 0 ? files::kEmptyFile : O_WRONLY | files::kPlainFile;
  const Descriptor file = files::open(path, flags, kNobodyElse);
  return file && files::write_at(file.get(), at, bytes) == 0;
}

std::optional<std::uint64_t> copy_index(const std::string& from, const std::string& to, std::string_view head) {
  constexpr std::size_t kBytesAtOnce = 256u << 10;
  const Descriptor source = open_index(from);
  if (!source || (!head.empty() && !write_index(to, 0, head))) return std::nullopt;
  std::uint64_t at = head.size();
  for (;;) {
    const std::string bytes = read_at(source.get(), at, kBytesAtOnce);
    if (bytes.empty()) return at > 0 ? std::optional(at) : std::nullopt;
    if (!write_index(to, at, bytes)) break;
    at += bytes.size();
  }
  files::remove(to);
  return std::nullopt;
}

std::optional<std::string> read_window(const std::string& path, const StoredWindow& window) {
  const Descriptor opened = open_index(path);
  if (!opened) return std::nullopt;
  std::string bytes = read_at(opened.get(), window.at, window.bytes);
  const bool is_right = bytes.size() == window.bytes && crc32c(bytes) == window.checksum;
  return is_right ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace ontime::master

#include "master/journal/log_order.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/units.h"

namespace ontime::journal {
namespace {

namespace fs = std::filesystem;

// https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format: blocks, in which records lie, of which one may
// be a fragment of what was written. All numbers are little-endian.
constexpr std::size_t kBlockBytes = 32u << 10;
constexpr std::size_t kHeaderBytes = 7;  // checksum, length, kind
enum PieceKind : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

template <class T>
T number_at(const char* from) {
  T number = 0;
  std::memcpy(&number, from, sizeof number);  // no machine that this runs on is big-endian
  return number;
}

// As RocksDB stores it.
std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

class LogReader {
 public:
  explicit LogReader(const fs::path& path) : file_(path, std::ios::binary) {}

  // The first and the last entry of the next batch; false at the end, or where it is torn or damaged.
  bool next(std::uint64_t& first, std::uint64_t& last) {
    constexpr std::size_t kBatchHeaderBytes = 12;
    std::string begin;  // of the batch, as far as it matters
    for (;;) {
      if (block_.size() - at_ < kHeaderBytes && !read_block()) return false;
      const char* const header = block_.data() + at_;
      const std::size_t length = number_at<std::uint16_t>(header + 4);
      const char kind = header[6];
      if (kind < kFull || kind > kLast || length > block_.size() - at_ - kHeaderBytes) return false;
      if (masked(crc32c(0, header + 6, 1 + length)) != number_at<std::uint32_t>(header)) return false;
      if (kind == kFull || kind == kFirst) begin.clear();
      begin.append(header + kHeaderBytes, std::min(length, kBatchHeaderBytes));
      at_ += kHeaderBytes + length;
      if (kind != kFull && kind != kLast) continue;
      if (begin.size() < kBatchHeaderBytes) return false;
      first = number_at<std::uint64_t>(begin.data());
      last = first + number_at<std::uint32_t>(begin.data() + 8) - 1;
      return last >= first;
    }
  }

 private:
  // What is left of the block before is padding.
  bool read_block() {
    block_.resize(kBlockBytes);
    file_.read(block_.data(), static_cast<std::streamsize>(kBlockBytes));
    block_.resize(static_cast<std::size_t>(file_.gcount()));
    at_ = 0;
    return block_.size() >= kHeaderBytes;
  }

  std::ifstream file_;
  std::string block_;
  std::size_t at_ = 0;
};

}  // namespace

std::string log_out_of_order(const std::string& directory) {
  std::map<std::uint64_t, fs::path> logs;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const auto number = number_in<std::uint64_t>(at->path().stem().string());
    if (at->path().extension() == ".log" && number) logs.emplace(*number, at->path());
  }
  std::uint64_t latest = 0;
  for (const auto& [number, path] : logs) {
    LogReader log(path);
    for (std::uint64_t first = 0, last = 0; log.next(first, last); latest = last)
      if (first <= latest) return path.filename().string();
  }
  return {};
}

}  // namespace ontime::journal

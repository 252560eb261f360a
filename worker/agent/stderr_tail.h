#pragma once
// The end of what an attempt wrote to stdout and stderr, with its status lines: the last 64 KiB are kept, older bytes
// are dropped, so that a mapper that writes gigabytes costs no memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::worker {

class StderrTail {
 public:
  static constexpr std::size_t kKeptBytesMax = 64u << 10;
  static constexpr std::size_t kReportedBytesMax = 16u << 10;  // fits an address sanitizer's report

  void append(std::string_view bytes);
  void clear();

  // What a report carries: valid UTF-8, at most kReportedBytesMax, from the begin of a line if bytes were left out.
  std::string text() const;
  // The kept bytes, less those of the first `from` that were ever written.
  std::string after(std::uint64_t from) const;
  std::uint64_t bytes_seen() const { return bytes_seen_; }

 private:
  std::string kept() const;
  std::string ring_;        // grows to kKeptBytesMax, then wraps
  std::size_t oldest_ = 0;  // where the ring begins once it is full
  std::uint64_t bytes_seen_ = 0;
};

}  // namespace ontime::worker

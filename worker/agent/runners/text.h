#pragma once
// Bytes of unknown origin that attempts leave behind, made safe for messages and logs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::worker {

// Completes "the attempt's process ...", from a status as waitpid gives it: "was killed by signal 11 (Segmentation
// fault)", "exited with status 3 before it had finished". A SIGKILL is taken for one that this worker did not send.
std::string describe_process_end(int wait_status);

// The same text with U+FFFD in place of every byte that is not part of valid UTF-8.
std::string to_utf8(std::string_view bytes);

// The first / last part of a valid text, of at most `bytes_max` bytes, without splitting a character.
std::string_view head_of(std::string_view text, std::size_t bytes_max);
std::string_view tail_of(std::string_view text, std::size_t bytes_max);

// The end of what an attempt wrote to stdout and stderr, with its status lines: the last 64 KiB are kept, older bytes
// are dropped, so that a mapper that writes gigabytes costs no memory.
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

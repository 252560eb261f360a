#pragma once
// What a web server sends that cannot send parts.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/http/ranged_file.h"
#include "common/http/url.h"

namespace ontime::worker {

// A file of a web server that cannot send parts, fetched from its begin to its end ahead of who reads. Memory is
// bounded by 2 * kAheadBytes.
class WholeFile {
 public:
  static constexpr std::size_t kAheadBytes = 8u << 20;

  WholeFile(const http::Url& url, const http::State& state);
  ~WholeFile();

  // The next bytes, at most `size` > 0; 0 at the end.
  http::Answer<std::size_t> read(char* to, std::size_t size);
  std::uint64_t offset() const { return offset_; }  // of the next byte

 private:
  void fetch(const http::Url& url, const http::State& state);

  std::string current_;  // the reader's
  std::size_t begin_ = 0;
  std::uint64_t offset_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string ahead_;
  bool is_all_there_ = false;
  std::optional<http::Failure> failure_;
  std::atomic<bool> is_over_ = false;
  std::jthread fetching_;  // last: it ends before the rest goes
};

}  // namespace ontime::worker

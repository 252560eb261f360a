#pragma once
// Ranges of a file that a server has, one behind the other, fetched ahead of who reads, several at a time. One that
// takes much longer than the ranges before it is asked for again on another connection, and whichever is there first
// counts. One byte in twenty may be. Where requests cost much, one that brings many small ranges takes the place of
// several at a time: what is small is still in the processor's cache when it is read. Memory is bounded by kRangeBytes
// * (2 * kConnections + 2): ranges that wait, those under way that a seek has dropped, the spare one, and the one that
// is asked for again. Small ones take less.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/http/ranged_file.h"

namespace ontime::worker {

// For one thread, which reads.
class ReadAhead {
 public:
  // The file, each time on a connection of its own. Soon after `is_over` becomes true what it does fails.
  using Open = std::function<std::unique_ptr<http::RangedFile>(const std::atomic<bool>* is_over)>;

  // `end`: what lies behind is probably not wanted. `long_request_bytes`: as of InputAccess.
  ReadAhead(Open open, const http::State& state, std::uint64_t end, std::uint64_t long_request_bytes);
  ~ReadAhead();

  // Whether `offset` is where the one before ended, or lies in what is being fetched.
  bool covers(std::uint64_t offset) const { return offset == next_ && !ranges_.empty(); }
  void start_at(std::uint64_t offset);
  // From where the one before ended.
  http::Answer<std::size_t> read(char* to, std::size_t size);
  // The file as it was when all bytes up to `end` had come, for which the thread that fetches by long requests looks.
  // None: not all have come yet, or some may come behind that look, or there is no such look; then the caller looks.
  std::optional<http::Answer<http::State>> last_look();
  // Bytes are read that do not come from here.
  void forget_last_look();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kRangeBytes = 8u << 20;
  // Is there soon; each next one has twice as many, but on a long request.
  static constexpr std::size_t kFirstRangeBytes = kRangeBytes / 32;
  static constexpr std::size_t kConnections = 2;
  static constexpr std::size_t kSmallRanges = 16;       // of kFirstRangeBytes, ahead on a long request
  static constexpr std::size_t kHedger = kConnections;  // its place among the fetchers

  struct Range {
    std::uint64_t begin = 0;
    std::vector<char> bytes{};
    Clock::time_point planned_at = Clock::now();
    std::optional<std::size_t> fetcher{};
    bool is_hedged = false;
    bool is_there = false;
    std::optional<http::Failure> failure{};
  };

  struct Ranges;

  bool start_fetcher();
  void plan();
  std::shared_ptr<Range> take(std::size_t fetcher, std::optional<std::uint64_t> begin = {});
  void fetch(std::size_t fetcher);
  void fetch_on(http::RangedFile& file, std::size_t fetcher, std::shared_ptr<Range> range);
  bool has_all() const;
  void look_last(http::RangedFile& file);
  std::uint64_t size_of_request(const Range& first, std::uint64_t begin);
  void finish(Range& range, const http::Answer<void>& read, std::uint64_t end);
  void note_pace(const Range& range);
  double usual_pace() const;
  Clock::time_point awaited_since(const Range& range) const { return std::max(range.planned_at, came_at_); }
  Clock::time_point hedge_at() const;
  void hedge();
  void race(const std::shared_ptr<Range>& slow, const std::shared_ptr<Range>& twin);

  const Open open_;
  const http::State state_;
  const std::uint64_t probable_end_;
  const std::uint64_t long_request_bytes_;
  const bool has_long_requests_;
  const std::size_t ranges_max_;
  const std::size_t range_bytes_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Range>> ranges_;   // the first is the one that is read
  std::vector<char> spare_;                     // memory that is used again: pages that are fresh cost time
  std::uint64_t next_ = 0;                      // to be read
  std::uint64_t planned_ = 0;                   // the end of the ranges
  std::uint64_t end_ = 0;                       // of what is fetched ahead
  std::size_t range_bytes_ = kFirstRangeBytes;  // of the next one
  double hedges_left_ = 1;
  bool is_hedging_ = false;
  std::deque<double> paces_;     // of the latest ranges, in seconds for a byte
  Clock::time_point came_at_{};  // the latest range of a long request, behind which the next one comes
  bool is_over_ = false;
  // At the file, when all has come. Unwanted: it would say nothing about some bytes, or the caller does it.
  enum class Look { Unwanted, Wanted, UnderWay, Known };
  Look look_ = Look::Unwanted;
  std::optional<http::Answer<http::State>> looked_{};
  std::array<std::atomic<bool>, kConnections + 1> has_lost_{};  // what this fetcher does is not wanted any more
  std::list<std::jthread> fetchers_;                            // last: they end before the rest goes
  std::jthread hedger_;
};

}  // namespace ontime::worker

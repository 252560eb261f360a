#pragma once
// How an attempt has come along in the segment that it works on, as its runner tells its worker: several words that
// belong together, in memory that both have.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "common/base/time.h"

namespace ontime::worker {

struct SegmentMarks {
  std::uint64_t begin = 0;        // where the segment begins
  Duration begun_at{0};           // by the machine's steady clock, which both read. 0: none has begun
  Duration first{0};              // from then on until the first bytes were taken
  Duration last{0};               // until the latest were
  std::uint64_t timed_bytes = 0;  // mapped from `first` to `last`
  std::uint32_t moves = 0;        // how often bytes were taken
  bool operator==(const SegmentMarks&) const = default;
};

// A sequence lock: the version is odd while the words are being written. One side writes at a time.
class SharedMarks {
 public:
  void store(const SegmentMarks& marks) {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version | 1, std::memory_order_relaxed);
    begin_.store(marks.begin, std::memory_order_release);  // who sees a new word sees the odd version too
    begun_at_.store(marks.begun_at.count(), std::memory_order_release);
    first_.store(marks.first.count(), std::memory_order_release);
    last_.store(marks.last.count(), std::memory_order_release);
    timed_bytes_.store(marks.timed_bytes, std::memory_order_release);
    moves_.store(marks.moves, std::memory_order_release);
    version_.store((version | 1) + 1, std::memory_order_release);
  }

  // Nothing while they are being written. Never waits: the writer may have died in the midst of it.
  std::optional<SegmentMarks> load() const {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    const SegmentMarks marks{
        begin_.load(std::memory_order_acquire),           Duration(begun_at_.load(std::memory_order_acquire)),
        Duration(first_.load(std::memory_order_acquire)), Duration(last_.load(std::memory_order_acquire)),
        timed_bytes_.load(std::memory_order_acquire),     moves_.load(std::memory_order_acquire)};
    if (version % 2 != 0 || version_.load(std::memory_order_relaxed) != version) return std::nullopt;
    return marks;
  }

 private:
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> begin_{0};
  std::atomic<std::int64_t> begun_at_{0};
  std::atomic<std::int64_t> first_{0};
  std::atomic<std::int64_t> last_{0};
  std::atomic<std::uint64_t> timed_bytes_{0};
  std::atomic<std::uint32_t> moves_{0};
};

}  // namespace ontime::worker

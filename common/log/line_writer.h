#pragma once
// Writes lines to a descriptor on a thread of its own, so that a disk that hangs or a pipe that nobody reads never
// stops a thread that logs: lines queue up to a bound, then the oldest are dropped and counted.
//
// The thread is detached and owns what it works with: one that hangs in a write cannot be joined, and is left behind
// when the process ends.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/time.h"

namespace ontime::log {

class LineWriter {
 public:
  static constexpr std::size_t kBytesMax = 4u << 20;  // queued

  enum class Owns : std::uint8_t { No, Yes };  // Yes: the descriptor is closed in the end
  LineWriter(int descriptor, Owns owns);
  ~LineWriter();  // gives up what drain() has not waited for
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // `line` with its line end. Never waits for the descriptor. Any thread.
  void add(std::string line);
  // Waits until all lines are written, at most so long; false if some are not.
  bool drain(Duration at_most);
  std::uint64_t dropped() const;  // lines

 private:
  struct Queue;
  static void write_lines(const std::shared_ptr<Queue>& queue);

  const std::shared_ptr<Queue> queue_;
};

}  // namespace ontime::log

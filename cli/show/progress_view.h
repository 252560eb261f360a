#pragma once
// Progress on stderr: a bar that is redrawn on a terminal, plain lines elsewhere, nothing when quiet. One thread.

#include <chrono>
#include <deque>
#include <string>

#include "cli/show/progress_line.h"

namespace ontime::cli {

// Bytes per second over the last few seconds: steady enough to read, quick enough to follow.
class RateMeter {
 public:
  using Clock = std::chrono::steady_clock;
  double update(std::uint64_t done_bytes, Clock::time_point now);

 private:
  struct Sample {
    Clock::time_point at;
    std::uint64_t done_bytes;
  };
  std::deque<Sample> samples_;  // the oldest first, spanning at most kWindow
};

class ProgressView {
 public:
  explicit ProgressView(bool quiet);
  ~ProgressView() { clear(); }
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  // Shows `state` (whose rate is filled in here) if it is time to: at most 10 times a second as a bar, every 5 s as a
  // line. Asks the terminal for its width each time, so a resize does no harm.
  void update(ProgressState state);
  // A line of its own, above the bar if there is one.
  void say(const std::string& line);
  // Takes the bar off the screen, before something else is printed.
  void clear();
  bool is_bar() const { return mode_ == Mode::Bar; }

 private:
  enum class Mode { Quiet, Lines, Bar };
  Mode mode_;
  bool bar_is_shown_ = false;
  RateMeter meter_;
  RateMeter::Clock::time_point shown_at_;  // of the last bar or line
};

}  // namespace ontime::cli

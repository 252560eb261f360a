#pragma once
// One line that tells how far something is. Pure: the same state and width give the same text.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "cli/show/table.h"
#include "common/base/time.h"

namespace ontime::cli {

struct ProgressState {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint32_t tasks_done = 0;
  std::uint32_t tasks = 0;                // 0: not about tasks
  double bytes_per_second = 0;            // 0: not known yet
  std::optional<Duration> expected_left;  // of a job, as its master forecasts; otherwise the rate tells
  std::optional<Duration> deadline_left;  // negative once it has passed
  std::optional<double> pocd;             // probability to make the deadline
  std::uint32_t copies_running = 0;
  std::uint32_t attempts_failed = 0;
  std::string note;  // "no workers"; empty: none
};

// Between 0 and 1; 1 only when every task is done. Compressed input can deliver more bytes than it is known to have.
double fraction_done(const ProgressState& state);
std::optional<Duration> time_left(const ProgressState& state);

// "[=====>    ]  43%  220.1/512.0 MiB  470.2 MiB/s  tasks 3/7  ETA 1.0 s  left 1m 25s", never wider than `width`: what
// matters least is left out first, and the bar takes the room that remains.
// In colours, what says that the deadline will be missed is red, and yellow if that is more likely than not.
std::string progress_bar(const ProgressState& state, std::size_t width, Colours colours = Colours::No);
// The same without a bar and without a limit, for logs.
std::string progress_text(const ProgressState& state);

// "0.4 s", "12 s", "3m 20s": as format_duration() has it, but short enough for a bar.
std::string short_duration(Duration duration);

// Progress on stderr: a bar that is redrawn on a terminal, plain lines elsewhere, nothing when quiet. One thread.

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

// When a job is expected to end, steady enough to read: forecasts jump as attempts report, and this follows them within
// some seconds and counts down in between.
class SteadyEnd {
 public:
  using Clock = std::chrono::steady_clock;
  // What is left by the latest forecast, and by this.
  Duration update(Duration left, Clock::time_point now);

 private:
  std::optional<Clock::time_point> end_;
  Clock::time_point updated_at_;
};

// What is shown of progress as it goes on: with its rate, and with a time left by that rate until the master's first
// forecast, and by forecasts from then on. It does not jump where one is missing.
class SteadyProgress {
 public:
  ProgressState of(ProgressState state, RateMeter::Clock::time_point now);

 private:
  RateMeter meter_;
  SteadyEnd end_;
  bool has_forecast_ = false;  // has had one
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
  SteadyProgress steady_;
  RateMeter::Clock::time_point shown_at_;  // of the last bar or line
};

}  // namespace ontime::cli

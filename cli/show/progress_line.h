#pragma once
// One line that tells how far something is. Pure: the same state and width give the same text.

#include <cstdint>
#include <optional>
#include <string>

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
  std::uint32_t attempts_failed = 0;
  std::string note;  // "waiting for workers"; empty: none
};

// Between 0 and 1; 1 only when every task is done. Compressed input can deliver more bytes than it is known to have.
double fraction_done(const ProgressState& state);
std::optional<Duration> time_left(const ProgressState& state);

// "[=====>    ]  43%  220.1/512.0 MiB  470.2 MiB/s  tasks 3/7  ETA 1s  left 85s", never wider than `width`: what
// matters least is left out first, and the bar takes the room that remains.
std::string progress_bar(const ProgressState& state, std::size_t width);
// The same without a bar and without a limit, for logs.
std::string progress_text(const ProgressState& state);

// "0.4s", "12s", "3m20s", "2h05m": short enough for a bar.
std::string short_duration(Duration duration);

}  // namespace ontime::cli

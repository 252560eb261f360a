#include "worker/runner/pace.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace ontime::worker {
namespace {

class SteadyRunClock final : public RunClock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  void sleep_until(TimePoint then) override { std::this_thread::sleep_until(then); }
};

}  // namespace

RunClock& steady_run_clock() {
  static SteadyRunClock clock;
  return clock;
}

namespace {

constexpr double kSecondsMax = 1e9;  // fits a Duration, and nobody waits for it

Duration to_duration(double seconds) { return from_seconds(std::clamp(seconds, 0.0, kSecondsMax)); }

// A place before the attempt's begin was somebody else's.
std::uint64_t place_in(const std::optional<std::uint64_t>& at, ByteRange range, std::uint64_t otherwise) {
  return at && range.contains(*at) ? *at : otherwise;
}

std::uint64_t bytes_per_step(double bytes_per_second) {
  const double bytes = bytes_per_second * std::chrono::duration<double>(Pace::kStep).count();
  return bytes < 1 ? 1 : bytes > 1e18 ? std::uint64_t{1} << 60 : static_cast<std::uint64_t>(bytes);
}

}  // namespace

Pace::Pace(const injection::Disturbance& disturbance, ByteRange range, TimePoint start)
    : begin_(range.begin),
      bytes_per_second_(disturbance.bytes_per_second),
      slowdown_(disturbance.slowdown),
      pause_(disturbance.pause),
      pause_at_(range.begin +
                static_cast<std::uint64_t>(disturbance.pause_fraction * static_cast<double>(range.size()))),
      stall_at_(place_in(disturbance.stall_at, range, kNever)),
      crash_at_(place_in(disturbance.crash_at, range, kNever)),
      step_bytes_(bytes_per_step(disturbance.bytes_per_second)),
      start_(start),
      not_before_(start),
      has_paused_(disturbance.pause <= Duration(0)) {}

Pace::Fate Pace::fate(std::uint64_t position) const {
  if (position >= crash_at_) return Fate::Crashes;
  return position >= stall_at_ ? Fate::Stalls : Fate::GoesOn;
}

Pace::TimePoint Pace::due(std::uint64_t position, TimePoint now, std::uint64_t ahead) {
  TimePoint at = start_;
  const std::uint64_t behind = position - begin_;
  if (bytes_per_second_ > 0)
    at += to_duration(static_cast<double>(behind - std::min(behind, ahead)) / bytes_per_second_);
  if (!has_paused_ && position >= pause_at_) {
    has_paused_ = true;
    not_before_ = std::max(at, now) + pause_;
    start_ += pause_;
  }
  return std::max(at, not_before_);
}

std::uint64_t Pace::claim_end(std::uint64_t position, std::uint64_t segment_end) const {
  std::uint64_t end = segment_end;
  for (const std::uint64_t place : {pause_at_, stall_at_, crash_at_}) {
    if (place > position) end = std::min(end, place);
  }
  if (bytes_per_second_ > 0 && end > position) end = position + std::min(end - position, step_bytes_);
  return end;
}

void Pace::put_off(Duration time) {
  start_ += time;
  stood_ += time;
}

void Pace::on_mapped(TimePoint from, TimePoint to) {
  from += std::exchange(stood_, Duration(0));
  if (bytes_per_second_ > 0 || slowdown_ <= 1) return;
  not_before_ = std::max(not_before_, from + to_duration(slowdown_ * std::chrono::duration<double>(to - from).count()));
}

}  // namespace ontime::worker

#include "scheduler/core/patience.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler {
namespace {

constexpr Duration kLeast = std::chrono::seconds(30);
constexpr Duration kUnknown = std::chrono::minutes(10);
constexpr Duration kMost = std::chrono::hours(24);  // of a limit that was doubled
constexpr double kUsualGaps = 20;
constexpr int kLongestGaps = 3;
constexpr std::uint64_t kMovesKnown = 3;  // moves of an offset from which the usual time between two is known

Duration doubled(Duration limit, std::uint32_t times) {
  for (; times > 0 && limit < kMost; --times) limit *= 2;
  return limit;
}

Duration usual_limit(double usual) { return std::clamp<Duration>(from_seconds(kUsualGaps * usual), kLeast, kMost); }

// It has mapped its segment and seals it: a command that sorts may take its time at the end, and shows nothing of it.
bool is_sealing(const Attempt& attempt, const Segment& segment) { return attempt.offset >= segment.range.end; }

}  // namespace

Duration answer_limit(const Attempt& attempt, const Segment& segment, Duration cut_timeout) {
  Duration limit = std::max(cut_timeout, kLongestGaps * std::min(attempt.longest_gap, kMost));
  if (is_sealing(attempt, segment)) limit = std::max(limit, kLeast);
  return doubled(limit, segment.silences + std::uint32_t{segment.stalls});
}

std::optional<Duration> progress_limit(const Job& job, const Attempt& attempt, const Segment& segment,
                                       std::optional<double> launch) {
  if (job.spec.attempt_timeout == kNoTimeout) return std::nullopt;
  if (job.spec.attempt_timeout > Duration::zero()) return job.spec.attempt_timeout;
  if (attempt.state == AttemptState::Launching) {
    // Of a launch that a master lived through whose clock jumped the time means nothing.
    return doubled(launch ? std::min(usual_limit(*launch), kUnknown) : kUnknown, segment.stalls);
  }
  if (job.offset_moves < kMovesKnown) return doubled(kUnknown, segment.stalls);
  const double usual = std::exp(job.offset_moves_ln / static_cast<double>(job.offset_moves));
  const Duration limit = usual_limit(usual);
  return doubled(is_sealing(attempt, segment) ? std::max(limit, kUnknown) : limit, segment.stalls);
}

}  // namespace ontime::scheduler

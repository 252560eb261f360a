#include "scheduler/core/timers.h"

#include <algorithm>
#include <functional>

namespace ontime::scheduler {
void Timers::arm(const Timer& timer, TimePoint at) {
  armed_[timer] = at;
  push({at, timer});
  drop_outdated();
}

void Timers::disarm(const Timer& timer) {
  if (armed_.erase(timer) != 0) drop_outdated();
}

std::optional<TimePoint> Timers::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().first;
}

std::optional<Timer> Timers::take_due(TimePoint now) {
  if (heap_.empty() || heap_.front().first > now) return std::nullopt;
  const Timer timer = heap_.front().second;
  disarm(timer);
  return timer;
}

void Timers::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

bool Timers::is_outdated(const Entry& entry) const {
  const auto armed = armed_.find(entry.second);
  return armed == armed_.end() || armed->second != entry.first;
}

void Timers::drop_outdated() {
  while (!heap_.empty() && is_outdated(heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
  }
  if (heap_.size() < 64 + 4 * armed_.size()) return;
  std::erase_if(heap_, [this](const Entry& entry) { return is_outdated(entry); });
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

namespace {

constexpr Duration kLeast = std::chrono::seconds(30);
constexpr Duration kUnknown = std::chrono::minutes(10);
constexpr Duration kMost = std::chrono::hours(24);  // of a limit that was doubled
constexpr double kUsualGaps = 20;
constexpr int kLongestGaps = 3;        // or seals
constexpr int kUsualGapsAtFirst = 10;  // a straggler that has mapped no record yet may be that many times slower
constexpr Duration kSealLeast = std::chrono::minutes(1);  // of a seal the output's disk may be the cause
// With a store: a read or write that gets no answer fails before, by the attempt's own patience
// (http::kAttemptPatience).
constexpr Duration kStoreLeast = std::chrono::minutes(2);

Duration doubled(Duration limit, std::uint32_t times) {
  for (; times > 0 && limit < kMost; --times) limit *= 2;
  return limit;
}

Duration usual_limit(double usual, Duration least) {
  return std::clamp<Duration>(from_seconds(kUsualGaps * usual), least, kMost);
}

// In seconds: what this master has seen, or the ones before it.
std::optional<double> usual(std::optional<double> seen, Duration before) {
  return seen || before == Duration::zero() ? seen : seconds(before);
}

// It has mapped its segment and seals it: a command that sorts may take its time at the end, and shows nothing of it.
bool is_sealing(const Attempt& attempt, const Segment& segment) { return attempt.offset >= segment.range.end; }

// At most, by what was seen.
Duration time_for_a_record(const Job& job, const Attempt& attempt) {
  const std::optional<double> seen = usual(job.between_offsets.get(), job.usual_gap);
  const Duration usual = std::min<Duration>(from_seconds(seen.value_or(0)), kMost);
  const bool has_mapped_one = attempt.longest_gap > Duration::zero();
  if (has_mapped_one) return kLongestGaps * std::max(std::min(attempt.longest_gap, kMost), usual);
  return seen ? kUsualGapsAtFirst * usual : kLeast;
}

}  // namespace

Duration answer_limit(const Job& job, const Attempt& attempt, const Segment& segment, Duration cut_timeout) {
  // On a slow link the way there and back may take longer than records do.
  const Duration way = std::min(job.longest_way, kLeast / kLongestGaps);
  Duration limit = std::max({cut_timeout, time_for_a_record(job, attempt), kLongestGaps * way});
  if (is_sealing(attempt, segment)) limit = std::max(limit, kLeast);
  return doubled(limit, segment.silences + std::uint32_t{segment.stalls});
}

std::optional<Duration> progress_limit(const Job& job, const Attempt& attempt, const Segment& segment,
                                       const math::DurationSample& sample) {
  if (job.spec.attempt_timeout == kNoTimeout) return std::nullopt;
  if (job.spec.attempt_timeout > Duration::zero()) return job.spec.attempt_timeout;
  const Duration least = job.has_store ? kStoreLeast : kLeast;
  if (attempt.state == AttemptState::Launching) {
    const std::optional<double> launch = usual(sample.mean_launch(), job.usual_launch);
    // If the master's clock jumped during a launch, the time of that launch means nothing.
    return doubled(launch ? std::min(usual_limit(*launch, least), kUnknown) : kUnknown, segment.stalls);
  }
  const std::optional<double> record = usual(job.between_offsets.get(), job.usual_gap);
  const std::optional<double> seal = usual(job.to_seal.get(), job.usual_seal);
  Duration for_record = record ? usual_limit(*record, least) : kUnknown;
  if (attempt.segment.is_starting())
    for_record = std::max(for_record, usual_limit(sample.usual_fixed(math::Beginning::Cold).value_or(0), least));
  const Duration longest = kLongestGaps * std::min(job.to_seal.longest(), kMost / kLongestGaps);
  const Duration for_seal = seal ? usual_limit(*seal, std::max({kSealLeast, least, longest})) : kUnknown;
  if (!is_sealing(attempt, segment)) return doubled(for_record, segment.stalls);
  const bool has_mapped_all = attempt.offset >= attempt.held.end;
  return doubled(has_mapped_all ? for_seal : std::max(for_record, for_seal), segment.stalls);
}

}  // namespace ontime::scheduler

#include "scheduler/core/worth.h"

#include <algorithm>
#include <cmath>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/parameters.h"

namespace ontime::scheduler {
namespace {

// What is gained must be more than this share of the time that is left, and than this share of a fresh attempt's begin;
// twice as much each time that the same bytes are begun again, as they may be what is slow.
constexpr double kShareGained = 0.1;
constexpr double kBeginGained = 0.5;
constexpr int kDoubledMost = 10;
// To divide an attempt that is not slow must gain so many times what it costs: little is gained by one alone, as its
// peers end when it would have.
constexpr double kPricesGained = 2;

// What takes less than this share of a split's time is no start: launches of that size are in the policies' formulas.
constexpr double kStartLeast = 0.02;

// An attempt is slow if its pace differs by more than this from the usual one, and by more than twice its error.
constexpr double kSlow = 1.5;
constexpr double kErrors = 2;

// How many attempts have ended that were launched on a range with that place in it.
int times_begun(const Task& task, std::uint64_t at) {
  const auto count = std::ranges::count_if(task.attempts, [&](const Attempt& attempt) {
    return !is_live(attempt.state) && attempt.start_offset <= at && at < attempt.launch_end;
  });
  return static_cast<int>(std::min<std::ptrdiff_t>(count, kDoubledMost));
}

}  // namespace

Appraiser::Appraiser(const Cluster& cluster, const Outlook& outlook, JobId job, TimePoint now)
    : cluster_(cluster),
      outlook_(outlook),
      job_(*cluster.find_job(job)),
      now_(seconds(now - job_.submitted_at)),
      fixed_(outlook.fixed(cluster, job_, math::Beginning::Cold)),
      next_(outlook.fixed(cluster, job_, math::Beginning::Next)),
      begin_(fixed_ + outlook.cold_launch().value_or(0)),
      per_byte_(outlook.usual_per_byte(cluster, job_)) {
  const double split = static_cast<double>(job_.input_bytes) / static_cast<double>(job_.tasks.size());
  needs_start_ = fixed_ > kStartLeast * split * per_byte_;
}

Appraiser::Expected Appraiser::expect(AttemptId id, std::uint64_t end) const {
  const Attempt& attempt = *cluster_.find_attempt(id);
  Expected expected;
  expected.offset = static_cast<double>(attempt.offset);
  const double left = std::max(0.0, static_cast<double>(end) - expected.offset);
  if (attempt.state != AttemptState::Running) {
    const double launched = seconds(attempt.launched_at - job_.submitted_at);
    expected.end = std::max(now_, launched + begin_ - fixed_) + fixed_ + left * per_byte_;
    return expected;
  }
  Pace pace = outlook_.pace(id, attempt);
  if (!(pace.rate > 0)) {
    const bool is_silent = pace.known && !attempt.segment.is_known();
    expected.end = is_silent ? math::kInfinity : outlook_.end_without_pace(attempt, end, fixed_, per_byte_);
    return expected;
  }
  const double slowness = per_byte_ > 0 ? std::log(1 / (pace.rate * per_byte_)) : 0;
  expected.is_slow = pace.known && slowness > std::max(std::log(kSlow), kErrors * pace.error);
  if (slowness > 0 && !expected.is_slow) pace.rate = 1 / per_byte_;
  pace.known = true;
  expected.rate = pace.rate;
  expected.offset += std::min(left, pace.rate * std::max(0.0, now_ - pace.at));
  expected.end = std::max(now_, pace.reaches(end));
  return expected;
}

// The one that is cut goes on behind the cut, as another segment: it needs its start again.
double Appraiser::with_shared(const SharedTail& tail, ByteRange segment, const Expected& leader) const {
  const double reached = leader.offset + (tail.handover == Handover::Ready ? leader.rate * begin_ : 0);
  const double from = std::max({static_cast<double>(tail.begin), static_cast<double>(segment.begin), reached});
  const double left = std::max(0.0, static_cast<double>(segment.end) - from);
  if (!(leader.rate > 0)) return fresh(left);
  const double at = now_ + (from - leader.offset) / leader.rate;
  return std::max(at, std::min(fresh(left), at + next_ + left / leader.rate));
}

double Appraiser::with_given(const GivenTail& tail, ByteRange segment, const Expected& leader) const {
  const double reached = leader.offset + (tail.handover == Handover::Ready ? leader.rate * begin_ : 0);
  const double from =
      std::max({static_cast<double>(tail.pieces.front().begin), static_cast<double>(segment.begin), reached});
  double last = from > leader.offset && leader.rate > 0 ? now_ + (from - leader.offset) / leader.rate : now_;
  for (std::size_t i = 0; i < tail.pieces.size(); ++i) {
    const bool is_last = i + 1 == tail.pieces.size();
    const auto end = static_cast<double>(is_last ? segment.end : tail.pieces[i + 1].begin);
    const double begin = std::max(from, static_cast<double>(tail.pieces[i].begin));
    if (end > begin) last = std::max(last, fresh(end - begin));
  }
  return last;
}

// A cut or an end would have its start for nothing, or comes before it shows a pace: it is raced, or left alone.
bool Appraiser::is_young(AttemptId id) const {
  const Attempt& attempt = *cluster_.find_attempt(id);
  if (attempt.state != AttemptState::Running || !attempt.segment.is_known()) return false;
  if (attempt.segment.is_starting()) return true;
  const auto slow = outlook_.slow_first();
  const bool is_late = slow && seconds(attempt.segment.age) > *slow;
  return !is_late && outlook_.pace(id, attempt).rate <= 0;
}

double least_gain(double to_go, double begin, double price) {
  return std::max({kShareGained * to_go, kBeginGained * begin, kPricesGained * price});
}

double Appraiser::margin(TaskId task, std::uint64_t at, double to_go) const {
  return std::ldexp(least_gain(to_go, begin_, 0), times_begun(*cluster_.find_task(task), at));
}

// What would miss the deadline and does not with it needs to be no better than that.
bool Appraiser::is_gain_enough(const Worth& worth) const {
  const double deadline = seconds(job_.spec.deadline);
  if (deadline > 0 && worth.without > deadline && worth.with <= deadline) return true;
  if (std::isinf(worth.without)) return std::isfinite(worth.with);
  return worth.gain() > worth.least;
}

Worth Appraiser::appraise(const Speculate& decision) const {
  Worth worth;
  const ByteRange segment = cluster_.find_task(decision.task)->ledger.find(decision.segment)->range;
  const std::vector<AttemptId> racing = cluster_.racing(decision.task, decision.segment);
  if (racing.empty() || segment.is_open_ended()) return worth;
  worth.is_binding = needs_start_;
  worth.without = math::kInfinity;
  AttemptId leader = racing.front();
  for (const AttemptId id : racing) {
    worth.without = std::min(worth.without, expect(id, segment.end).end);
    if (cluster_.find_attempt(id)->offset > cluster_.find_attempt(leader)->offset) leader = id;
  }
  const Attempt& ahead = *cluster_.find_attempt(leader);
  const Expected expected = expect(leader, segment.end);
  const double copies = copies_of(decision);
  worth.price = copies * begin_;
  if (std::holds_alternative<WholeSegment>(decision.work)) {
    worth.with = std::min(worth.without, fresh(static_cast<double>(segment.size())));
    worth.price = copies * std::max(0.0, worth.with - now_) - std::max(0.0, worth.gain());
  } else if (const auto* shared = std::get_if<SharedTail>(&decision.work)) {
    worth.with = with_shared(*shared, segment, expected);
  } else {
    worth.with = with_given(std::get<GivenTail>(decision.work), segment, expected);
  }
  const bool is_too_early = !std::holds_alternative<WholeSegment>(decision.work) && is_young(leader);
  worth.least = margin(decision.task, ahead.offset, worth.without - now_);
  if (expected.rate > 0 && !expected.is_slow) worth.least = std::max(worth.least, kPricesGained * worth.price);
  worth.is_worth = !is_too_early && is_gain_enough(worth);
  return worth;
}

Worth Appraiser::appraise(const EndAttempt& decision) const {
  Worth worth;
  const Attempt& attempt = *cluster_.find_attempt(decision.attempt);
  const Ledger& ledger = cluster_.find_task(decision.attempt.task)->ledger;
  const Segment* segment = ledger.find(attempt.held.begin);
  if (attempt.standby || segment == nullptr || attempt.held.is_open_ended()) return worth;
  if (cluster_.racing(decision.attempt.task, attempt.held.begin).size() > 1) return worth;
  worth.is_binding = needs_start_;
  worth.without = expect(decision.attempt, attempt.held.end).end;
  worth.with = fresh(static_cast<double>(attempt.held.size()));
  worth.price = now_ - seconds(attempt.segment_at - job_.submitted_at);
  worth.least = margin(decision.attempt.task, attempt.offset, worth.without - now_);
  worth.is_worth = !is_young(decision.attempt) && is_gain_enough(worth);
  return worth;
}

Worth Appraiser::appraise(const Divide& decision) const {
  Worth worth;
  const ByteRange segment = cluster_.find_task(decision.task)->ledger.find(decision.segment)->range;
  if (segment.is_open_ended()) return worth;
  std::uint64_t begin = segment.begin;
  std::uint64_t longest = 0;
  for (const std::uint64_t border : decision.borders) {
    longest = std::max(longest, border - begin);
    begin = border;
  }
  worth.is_binding = needs_start_;
  worth.without = fresh(static_cast<double>(segment.size()));
  worth.with = fresh(static_cast<double>(std::max(longest, segment.end - begin)));
  worth.price = static_cast<double>(decision.borders.size()) * begin_;
  worth.least = least_gain(worth.without - now_, begin_, 0);
  worth.is_worth = is_gain_enough(worth);
  return worth;
}

// A copy that is slow to begin is taken to be slow at its bytes too, so the best one is the best at both.
Worth Appraiser::appraise_clones(std::uint32_t copies, ByteRange split) const {
  Worth worth;
  const math::DurationSample* const known = outlook_.known_durations(cluster_, job_);
  if (known == nullptr || split.is_open_ended()) return worth;
  const auto bytes = static_cast<double>(split.size());
  const bool is_whole = outlook_.takes_at_once(cluster_, job_);
  const auto starts = known->fixed(is_whole ? math::Beginning::AtOnce : math::Beginning::Cold);
  const auto end_of_best = [&](std::uint32_t attempts) {
    const double fixed = starts.empty() ? fixed_ : math::mean_of_least(starts, attempts);
    return now_ + (begin_ - fixed_) + fixed + (is_whole ? 0 : bytes * math::mean_of_least(known->finished(), attempts));
  };
  worth.is_binding = needs_start_;
  worth.without = end_of_best(1);
  worth.with = end_of_best(1 + copies);
  worth.price = copies * (worth.with - now_) - worth.gain();
  worth.least = least_gain(worth.without - now_, begin_, 0);
  worth.is_worth = is_gain_enough(worth);
  return worth;
}

double Appraiser::work() const {
  if (per_byte_ <= 0 && fixed_ <= 0) return 0;
  return static_cast<double>(job_.input_bytes) * per_byte_ + static_cast<double>(job_.tasks.size()) * begin_;
}

bool is_as_written(const JobSpec& spec) {
  return Parameters(spec.policy, spec.policy_parameters).flag(kAsWritten, false);
}

bool may_race(const JobSpec& spec) { return Parameters(spec.policy, spec.policy_parameters).flag(kRace, true); }

}  // namespace ontime::scheduler

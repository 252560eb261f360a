#include "scheduler/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "scheduler/pocd/accurate.h"
#include "scheduler/pocd/normal.h"
#include "scheduler/policy/parameters.h"
#include "scheduler/policy/pieces.h"
#include "scheduler/policy/policy.h"

namespace ontime::scheduler {
namespace {

using pocd::kInfinity;
using pocd::kNotANumber;

constexpr double kSoonest = 0.01;          // seconds; nothing is expected to be done earlier than that
constexpr double kNeverBelow = -40;        // ln P of a job that is surely not done
constexpr double kFarthest = 1e9;          // seconds; what is not done by then stands still
constexpr double kFinest = 1e-3;           // relative error of the times
constexpr std::uint32_t kQueueSteps = 64;  // places in the queue that are told apart
constexpr double kMeanFactorMost = 5;      // mean of a tail in medians: it may be infinite
constexpr std::size_t kSpeedsLookedAt = 256;
constexpr double kClassesPerFactorE = 64;  // segments whose times differ by less count as alike
constexpr double kClassesPerUnit = 128;    // of spread
constexpr double kRescuesPerFactorE = 8;   // bytes for a rescue that are told apart
constexpr double kClassesPerSecond = 16;   // of the instant at which a tail begins

// When one attempt will be done: lognormal with median e^ln_scale behind `origin`, or the tail of execution times from
// `origin` on for e^ln_scale bytes, given that it was not done by now. And from when on how many bytes of its segment
// would have to be mapped by others.
struct Completion {
  enum class Kind : std::uint8_t { Lognormal, Tail };
  Kind kind = Kind::Lognormal;
  double origin = 0;
  double ln_scale = 0;
  double spread = 0;        // of a lognormal
  double ln_condition = 0;  // ln P(not done by now)
  double rescue_from = 0;
  double ln_rescue_bytes = 0;

  double ln_survival(double t, const pocd::FittedTail& tail) const {
    const double time = t - origin;
    if (time <= 0) return 0;
    const double distance = std::log(time) - ln_scale;
    if (kind == Kind::Lognormal) return pocd::ln_normal_survival(distance / spread);
    return std::min(0.0, tail.ln_survival_at(distance) - ln_condition);
  }
  auto alike() const {
    const auto rounded = [](double x) { return static_cast<std::int64_t>(std::floor(x)); };
    return std::tuple(kind, rounded(origin * kClassesPerSecond), rounded(ln_scale * kClassesPerFactorE),
                      rounded(spread * kClassesPerUnit), rounded(ln_rescue_bytes * kRescuesPerFactorE));
  }
};

// What a policy does about segments that are still open at the deadline.
struct Saving {
  Rescue::Kind kind = Rescue::Kind::None;
  double attempts = 0;  // per late segment
  double deadline = 0;

  // ln P(a segment is not saved by t).
  double ln_failure(const Completion& late, double t, const pocd::FittedTail& tail) const {
    const double time = t - late.rescue_from;
    if (kind == Rescue::Kind::None || t < deadline || !(time > 0) || attempts <= 0) return 0;
    const double ln_pace = std::log(time) - late.ln_rescue_bytes;
    if (kind != Rescue::Kind::Divide) return attempts * tail.ln_survival_at(ln_pace);
    const double pieces = std::max(1.0, attempts);
    const double ln_all = pieces * pocd::ln_one_minus_exp(tail.ln_survival_at(ln_pace + std::log(pieces)));
    return std::min(1.0, attempts) * pocd::ln_one_minus_exp(ln_all);
  }
};

// All open segments of a job.
class Outstanding {
 public:
  explicit Outstanding(const pocd::FittedTail& tail) : tail_(tail) {}

  void add(const Completion& one, double count = 1) {
    Class& like = classes_[one.alike()];
    const double share = count / (like.count + count);
    like.mean.kind = one.kind;
    for (const auto field : {&Completion::origin, &Completion::ln_scale, &Completion::spread, &Completion::ln_condition,
                             &Completion::rescue_from, &Completion::ln_rescue_bytes})
      like.mean.*field += share * (one.*field - like.mean.*field);
    like.count += count;
  }
  void add_race(const std::vector<Completion>& racers) {
    if (racers.size() == 1) return add(racers.front());
    racers_.insert(racers_.end(), racers.begin(), racers.end());
    race_ends_.push_back(racers_.size());
  }

  // So many fresh attempts can be had for the segments that will be late; each gets `most` at most.
  void save_late(Rescue rescue, double attempts, double deadline) {
    const double late = expected_late(deadline);
    if (late <= 0) return;
    saving_ = {rescue.kind, std::clamp(attempts / late, 0.0, rescue.attempts), deadline};
  }

  // ln P(all done by t), or something below kNeverBelow.
  double ln_done(double t) const {
    double ln = 0;
    for (const auto& [key, like] : classes_) {
      const double ln_open = like.mean.ln_survival(t, tail_) + saving_.ln_failure(like.mean, t, tail_);
      ln += like.count * pocd::ln_one_minus_exp(ln_open);
      if (ln < kNeverBelow) return ln;
    }
    std::size_t begin = 0;
    for (const std::size_t end : race_ends_) {
      ln += pocd::ln_one_minus_exp(ln_race_open(begin, end, t) + saving_.ln_failure(racers_[begin], t, tail_));
      begin = end;
      if (ln < kNeverBelow) return ln;
    }
    return ln;
  }

  // The instant by which all are done with probability q.
  double quantile(double q, double now) const {
    const double ln_q = std::log(q);
    double high = kSoonest;
    while (ln_done(now + high) < ln_q) {
      high *= 2;
      if (high > kFarthest) return kInfinity;
    }
    double low = high > kSoonest ? high / 2 : 0;
    while (high - low > kFinest * high) {
      const double middle = (low + high) / 2;
      (ln_done(now + middle) < ln_q ? low : high) = middle;
    }
    return now + high;
  }

 private:
  double ln_race_open(std::size_t begin, std::size_t end, double t) const {
    double ln_open = 0;
    for (; begin < end; ++begin) ln_open += racers_[begin].ln_survival(t, tail_);
    return ln_open;
  }
  double expected_late(double deadline) const {
    double late = 0;
    for (const auto& [key, like] : classes_) late += like.count * std::exp(like.mean.ln_survival(deadline, tail_));
    std::size_t begin = 0;
    for (const std::size_t end : race_ends_) {
      late += std::exp(ln_race_open(begin, end, deadline));
      begin = end;
    }
    return late;
  }

  struct Class {
    double count = 0;
    Completion mean;
  };
  std::map<decltype(Completion().alike()), Class> classes_;
  std::vector<Completion> racers_;  // of all races, one behind the other
  std::vector<std::size_t> race_ends_;
  const pocd::FittedTail& tail_;
  Saving saving_;
};

// ln(speed of late / mean speed); nothing of an attempt that has not been watched for long enough.
std::optional<double> change_of_speed(const Attempt& attempt) {
  const double all = seconds(attempt.reported_at - attempt.started_at);
  const double late = seconds(attempt.reported_at - attempt.earlier.at);
  if (attempt.state != AttemptState::Running || attempt.earlier.at == attempt.later.at) return std::nullopt;
  if (!(late > 0) || !(all > late) || attempt.offset <= attempt.earlier.offset) return std::nullopt;
  const double of_late = static_cast<double>(attempt.offset - attempt.earlier.offset) / late;
  return std::log(of_late * all / static_cast<double>(attempt.offset - attempt.start_offset));
}

// How far off an estimate by the pace of a fresh attempt may be expected to be.
double spread_of_speeds(const Cluster& cluster, const Job& job) {
  double squares = kSpreadUsual * kSpreadUsual;
  double count = 1;
  std::size_t looked_at = 0;
  for (const AttemptId id : job.live) {
    if (++looked_at > kSpeedsLookedAt) break;
    const Attempt* attempt = cluster.find_attempt(id);
    const auto change = attempt != nullptr ? change_of_speed(*attempt) : std::nullopt;
    if (!change) continue;
    squares += *change * *change;
    ++count;
  }
  return std::sqrt(squares / count);
}

Rescue rescue_of(const JobView& job) {
  const PolicyDescription* policy = find_policy(job.job->spec.policy);
  return policy != nullptr && job.has_deadline() ? policy->rescue : Rescue{};
}

// A tail for durations that come without one.
pocd::FittedTail tail_of(const estimate::Durations& durations) {
  if (durations.tail) return *durations.tail;
  return pocd::FittedTail::pareto(std::max(durations.t_min, 1e-300), durations.beta);
}

class Forecaster {
 public:
  Forecaster(const View& view, const JobView& job, const estimate::Durations& durations)
      : view_(view),
        job_(job),
        now_(job.since_submission(view.now)),
        tail_(tail_of(durations)),
        spread_(spread_of_speeds(view.cluster, *job.job)),
        rescue_(rescue_of(job)),
        outstanding_(tail_) {
    forecast_.durations = durations;
  }

  Forecast compute() {
    const std::vector<Task>& tasks = job_.job->tasks;
    const std::span<const double> completion = job_.outlook->completion();
    for (std::uint32_t index = 0; index < tasks.size(); ++index) {
      if (completion[index] != -kInfinity) look_at({job_.id, index}, tasks[index]);
    }
    add_queue();
    conclude();
    return forecast_;
  }

 private:
  bool knows_tail() const { return forecast_.durations.t_min > 0; }

  void look_at(TaskId id, const Task& task) {
    std::size_t open = task.ledger.open_segments();
    const std::vector<Segment>& segments = task.ledger.segments();
    for (auto segment = segments.rbegin(); segment != segments.rend() && open > 0; ++segment) {
      if (segment->sealed) continue;
      --open;
      look_at(id, task, segment->range);
    }
  }

  void look_at(TaskId id, const Task& task, ByteRange range) {
    racers_.clear();
    bool is_held = false;
    bool is_unknown = false;
    for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
      const Attempt& attempt = task.attempts[number];
      if (!is_live(attempt.state) || attempt.standby || !attempt.held.contains(range.begin)) continue;
      is_held = true;
      if (!add_racer({id, number}, attempt, range)) is_unknown = true;
    }
    if (!is_held) {
      ++forecast_.waiting;
      if (range.is_open_ended() || !knows_tail())
        ++forecast_.unknown;
      else
        bytes_waiting_ += static_cast<double>(range.size());
    } else if (!racers_.empty()) {
      outstanding_.add_race(racers_);
    } else {
      ++(is_unknown ? forecast_.unknown : forecast_.standing);
    }
  }

  // False if nothing can be said about it. One that stands still does not race.
  bool add_racer(AttemptId id, const Attempt& attempt, ByteRange range) {
    if (range.is_open_ended()) return false;
    const Pace pace = job_.outlook->pace(id, attempt);
    if (!pace.known) return add_young(attempt, range);
    if (!(pace.rate > 0)) return true;
    const double mapped = pace.offset - static_cast<double>(attempt.start_offset);
    const double whole = static_cast<double>(range.end - attempt.start_offset);
    const double share = std::clamp(mapped / whole, 0.0, 1.0);
    const double left = std::max(kSoonest, pace.reaches(range.end) - now_);
    const double spread = kSpreadLeast + (spread_ - kSpreadLeast) * (1 - share);
    Completion racer{Completion::Kind::Lognormal, now_, std::log(left), spread, 0, 0, 0};
    add_rescue(range, std::max(1.0, left * pace.rate), now_, racer);
    racers_.push_back(racer);
    return true;
  }

  bool add_young(const Attempt& attempt, ByteRange range) {
    if (!knows_tail()) return false;
    const bool has_started = attempt.state == AttemptState::Running;
    const double launched = job_.since_submission(attempt.launched_at);
    const double origin =
        has_started ? job_.since_submission(attempt.started_at) : std::max(now_, launched + forecast_.durations.launch);
    Completion racer = tail_from(origin, static_cast<double>(range.end - attempt.start_offset));
    racer.ln_condition = racer.ln_survival(now_, tail_);
    add_rescue(range, static_cast<double>(range.size()), std::max(now_, origin), racer);
    racers_.push_back(racer);
    return true;
  }

  static Completion tail_from(double origin, double bytes) {
    return {Completion::Kind::Tail, origin, std::log(std::max(1.0, bytes)), 0, 0, 0, 0};
  }

  void add_rescue(ByteRange range, double bytes_left, double from, Completion& racer) const {
    const bool restarts = rescue_.kind == Rescue::Kind::Restart;
    racer.rescue_from = from + forecast_.durations.launch;
    racer.ln_rescue_bytes = std::log(restarts ? std::max(1.0, static_cast<double>(range.size())) : bytes_left);
  }

  void add_queue() {
    const std::uint32_t waiting = forecast_.waiting;
    if (waiting == 0 || forecast_.unknown > 0) return;
    const double bytes = bytes_waiting_ / waiting;
    const double mean = std::min(tail_.mean(), kMeanFactorMost * tail_.median());
    const double launch = forecast_.durations.launch;
    const double duration = launch + mean * bytes;
    const double free = view_.free_slots();
    double slots = static_cast<double>(job_.job->live.size()) + free;
    if (slots == 0) slots = view_.slots();
    if (slots == 0) {
      forecast_.unknown += waiting;  // no worker
      return;
    }
    const std::uint32_t steps = std::min(waiting, kQueueSteps);
    const double per_step = static_cast<double>(waiting) / steps;
    for (std::uint32_t step = 0; step < steps; ++step) {
      const double place = (step + 1) * per_step;  // of the last one of this step
      const double turn = now_ + std::max(0.0, place - free) * duration / slots;
      Completion one = tail_from(turn + launch, bytes);
      one.rescue_from = one.origin + 2 * launch;
      one.ln_rescue_bytes = one.ln_scale;
      outstanding_.add(one, per_step);
    }
  }

  void conclude() {
    const bool has_passed = job_.has_deadline() && now_ >= job_.deadline();
    if (has_passed) forecast_.pocd = 0;
    if (forecast_.standing > 0) {
      forecast_.low = forecast_.median = forecast_.high = kInfinity;
      if (job_.has_deadline()) forecast_.pocd = 0;
      return;
    }
    if (forecast_.unknown > 0) return;
    if (job_.has_deadline() && !has_passed) {
      const double in_use = static_cast<double>(job_.job->live.size());
      outstanding_.save_late(rescue_, view_.free_slots() + in_use, job_.deadline());
    }
    forecast_.low = outstanding_.quantile(0.1, now_);
    forecast_.median = outstanding_.quantile(0.5, now_);
    forecast_.high = outstanding_.quantile(0.9, now_);
    if (job_.has_deadline() && !has_passed) forecast_.pocd = std::exp(outstanding_.ln_done(job_.deadline()));
  }

  const View& view_;
  const JobView& job_;
  const double now_;
  const pocd::FittedTail tail_;
  const double spread_;
  const Rescue rescue_;
  Forecast forecast_;
  Outstanding outstanding_;
  std::vector<Completion> racers_;  // of the segment that is being looked at
  double bytes_waiting_ = 0;
};

// What the user said about durations, in the names that all policies share.
estimate::DurationHints hints_of(const JobSpec& spec) {
  estimate::DurationHints hints;
  try {
    hints = Parameters(spec.policy, spec.policy_parameters).durations();
  } catch (const std::invalid_argument&) {
    hints = {};
  }
  hints.tail = estimate::TailRule::Auto;
  return hints;
}

}  // namespace

Forecast forecast(const View& view, const JobView& job, const estimate::Durations& durations) {
  return Forecaster(view, job, durations).compute();
}

std::optional<Forecast> forecast(const Scheduler& scheduler, JobId id, TimePoint now) {
  const Job* job = scheduler.cluster().find_job(id);
  if (job == nullptr || is_final(job->state)) return std::nullopt;
  const JobView view_of_job{id, job, scheduler.outlook(id), {}};
  if (view_of_job.outlook == nullptr) {  // nothing is left to map
    Forecast done;
    done.low = done.median = done.high = view_of_job.since_submission(now);
    if (view_of_job.has_deadline()) done.pocd = done.median < view_of_job.deadline() ? 1 : 0;
    return done;
  }
  const View view{scheduler.cluster(), scheduler.resources(), {&view_of_job, 1}, now};
  estimate::DurationHints hints = hints_of(job->spec);
  Forecast made = forecast(view, view_of_job, durations_of(view, view_of_job, hints));
  hints.tail = estimate::TailRule::Pareto;  // people are told t_min and beta as fitted
  made.durations = durations_of(view, view_of_job, hints);
  return made;
}

}  // namespace ontime::scheduler

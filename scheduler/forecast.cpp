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

namespace ontime::scheduler {
namespace {

using pocd::kInfinity;
using pocd::kNotANumber;

constexpr double kSoonest = 0.01;          // seconds; nothing is expected to be done earlier than that
constexpr double kNeverBelow = -40;        // ln P of a job that is surely not done
constexpr double kFarthest = 1e9;          // seconds; what is not done by then stands still
constexpr double kFinest = 1e-3;           // relative error of the times
constexpr std::uint32_t kQueueSteps = 64;  // places in the queue that are told apart
constexpr double kMeanFactorMost = 5;      // mean of a tail in units of t_min: infinite for beta <= 1
constexpr double kClassesPerFactorE = 64;  // segments whose times differ by less count as alike
constexpr double kClassesPerUnit = 32;     // of spread
constexpr double kClassesPerSecond = 16;   // of the instant at which a tail begins

// When one attempt will be done: lognormal with median `scale` behind `origin`, or Pareto from `origin` on with the
// shortest time `scale`, given that it was not done by now.
struct Completion {
  enum class Kind : std::uint8_t { Lognormal, Pareto };
  Kind kind = Kind::Lognormal;
  double origin = 0;
  double ln_scale = 0;
  double shape = 0;         // spread, or beta
  double ln_condition = 0;  // ln P(not done by now)

  double ln_survival(double t) const {
    const double time = t - origin;
    if (time <= 0) return 0;
    const double distance = std::log(time) - ln_scale;
    if (kind == Kind::Lognormal) return pocd::ln_normal_survival(distance / shape);
    return std::min(0.0, -shape * std::max(0.0, distance) - ln_condition);
  }
  auto alike() const {
    const auto rounded = [](double x) { return static_cast<std::int64_t>(std::floor(x)); };
    return std::tuple(kind, rounded(origin * kClassesPerSecond), rounded(ln_scale * kClassesPerFactorE),
                      rounded(shape * kClassesPerUnit));
  }
};

// All open segments of a job.
class Outstanding {
 public:
  void add(const Completion& one, double count = 1) {
    Class& like = classes_[one.alike()];
    const double share = count / (like.count + count);
    like.mean.kind = one.kind;
    for (const auto field : {&Completion::origin, &Completion::ln_scale, &Completion::shape, &Completion::ln_condition})
      like.mean.*field += share * (one.*field - like.mean.*field);
    like.count += count;
  }
  void add_race(const std::vector<Completion>& racers) {
    if (racers.size() == 1) return add(racers.front());
    racers_.insert(racers_.end(), racers.begin(), racers.end());
    race_ends_.push_back(racers_.size());
  }

  // ln P(all done by t), or something below kNeverBelow.
  double ln_done(double t) const {
    double ln = 0;
    for (const auto& [key, like] : classes_) {
      ln += like.count * pocd::ln_one_minus_exp(like.mean.ln_survival(t));
      if (ln < kNeverBelow) return ln;
    }
    std::size_t begin = 0;
    for (const std::size_t end : race_ends_) {
      double ln_open = 0;
      for (; begin < end; ++begin) ln_open += racers_[begin].ln_survival(t);
      ln += pocd::ln_one_minus_exp(ln_open);
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
  struct Class {
    double count = 0;
    Completion mean;
  };
  std::map<decltype(Completion().alike()), Class> classes_;
  std::vector<Completion> racers_;  // of all races, one behind the other
  std::vector<std::size_t> race_ends_;
};

class Forecaster {
 public:
  Forecaster(const View& view, const JobView& job, const estimate::Durations& durations)
      : view_(view), job_(job), now_(job.since_submission(view.now)) {
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
    racers_.push_back({Completion::Kind::Lognormal, now_, std::log(left),
                       kSpreadLeast + (kSpreadMost - kSpreadLeast) * (1 - share), 0});
    return true;
  }

  bool add_young(const Attempt& attempt, ByteRange range) {
    if (!knows_tail()) return false;
    const bool has_started = attempt.state == AttemptState::Running;
    const double launched = job_.since_submission(attempt.launched_at);
    const double origin =
        has_started ? job_.since_submission(attempt.started_at) : std::max(now_, launched + forecast_.durations.launch);
    Completion tail = tail_from(origin, static_cast<double>(range.end - attempt.start_offset));
    tail.ln_condition = tail.ln_survival(now_);
    racers_.push_back(tail);
    return true;
  }

  Completion tail_from(double origin, double bytes) const {
    const double shortest = std::max(kSoonest, forecast_.durations.t_min * bytes);
    return {Completion::Kind::Pareto, origin, std::log(shortest), forecast_.durations.beta, 0};
  }

  void add_queue() {
    const std::uint32_t waiting = forecast_.waiting;
    if (waiting == 0 || forecast_.unknown > 0) return;
    const double bytes = bytes_waiting_ / waiting;
    const double beta = forecast_.durations.beta;
    const double mean_factor = beta > 1 ? std::min(kMeanFactorMost, beta / (beta - 1)) : kMeanFactorMost;
    const double duration = forecast_.durations.launch + forecast_.durations.t_min * bytes * mean_factor;
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
      outstanding_.add(tail_from(turn + forecast_.durations.launch, bytes), per_step);
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
    forecast_.low = outstanding_.quantile(0.1, now_);
    forecast_.median = outstanding_.quantile(0.5, now_);
    forecast_.high = outstanding_.quantile(0.9, now_);
    if (job_.has_deadline() && !has_passed) forecast_.pocd = std::exp(outstanding_.ln_done(job_.deadline()));
  }

  const View& view_;
  const JobView& job_;
  const double now_;
  Forecast forecast_;
  Outstanding outstanding_;
  std::vector<Completion> racers_;  // of the segment that is being looked at
  double bytes_waiting_ = 0;
};

// What the user said about durations, in the names that all policies share.
estimate::DurationHints hints_of(const JobSpec& spec) {
  try {
    return Parameters(spec.policy, spec.policy_parameters).durations();
  } catch (const std::invalid_argument&) {
    return {};
  }
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
  return forecast(view, view_of_job, durations_of(view, view_of_job, hints_of(job->spec)));
}

}  // namespace ontime::scheduler

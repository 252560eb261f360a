#include "scheduler/forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "scheduler/core/timers.h"
#include "scheduler/core/worth.h"
#include "scheduler/forecast/evidence.h"
#include "scheduler/forecast/remaining_job.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/node_effects.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {
namespace {

using math::kInfinity;

// Everything that is counted in classes here is rounded so that a hundred thousand segments become a few hundred, and
// no finer than forecasts are good to (docs/research/calibration.md).
constexpr double kSpreadLeast = 0.01;      // of what is left of a segment that is all but done
constexpr double kClassesPerFactorE = 64;  // segments whose times differ by less count as alike
constexpr double kClassesPerUnit = 64;     // of spread
constexpr double kBytesPerFactorE = 8;     // bytes left that are told apart
constexpr double kClassesPerSecond = 16;   // of the instant at which a tail begins
constexpr double kLookShare = 0.05;        // of a usual split's time, from what an attempt shows to what is done
constexpr double kSlowAtOnce = 1.5;  // usual times of a segment taken at once, beyond which it will be called late
constexpr std::size_t kWaitingMost = 512;  // segments that wait and are told apart

// A tail for durations that come without one, such as t_min and beta that the user gave.
math::FittedTail tail_of(const math::Durations& durations) {
  if (durations.tail) return *durations.tail;
  return math::FittedTail::pareto(std::max(durations.t_min, 1e-300), durations.beta);
}

std::uint64_t name_of(std::uint32_t task, std::uint64_t begin) { return (std::uint64_t{task} << 40) ^ begin; }

// Collects what is left of a job.
class Forecaster {
 public:
  Forecaster(const View& view, const JobView& job, const math::Durations& durations, Duration cut_timeout)
      : view_(view),
        job_(job),
        cut_timeout_(cut_timeout),
        now_(job.since_submission(view.now)),
        fixed_(job.outlook->fixed(view.cluster, *job.job, math::Beginning::Cold)),
        fixed_warm_(fixed_where_warm(view, job, fixed_)),
        takes_at_once_(job.outlook->takes_at_once(view.cluster, *job.job)),
        tail_(tail_of(durations)),
        steadiness_(steadiness_of(*job.job, fixed_)),
        nodes_(node_effects_of(view, job)) {
    forecast_.durations = durations;
    remainder_.now = now_;
    remainder_.deadline = job.deadline();
    remainder_.launch = remainder_.warm = durations.launch;
    if (view.resources.placement().warm_first) {
      const double begins = job.outlook->warm_launch(view.cluster, *job.job) + (takes_at_once_ ? 0 : fixed_warm_);
      remainder_.warm = std::min(durations.launch, begins);
    }
    remainder_.look = durations.launch;
    if (knows_tail()) remainder_.look = std::min(durations.launch, kLookShare * tail_.median() * mean_split_bytes(job));
    // What the user gave counts as certain. Only a fitted tail is off by its few samples.
    if (durations.source != math::DurationSource::Flags) {
      remainder_.samples = static_cast<double>(durations.samples);
    }
    remainder_.rescue = rescue_of(job, now_);
    remainder_.rules = rescue_rules_of(job.job->spec);
    remainder_.shares =
        remainder_.rescue.kind == Rescue::Kind::Divide && remainder_.rescue.trigger == Rescue::Trigger::Slow;
    const Appraiser appraiser(view.cluster, *job.outlook, job.id, view.now);
    remainder_.start = appraiser.needs_start() ? appraiser.begin() : 0;
    remainder_.at_once = takes_at_once_;
    remainder_.slow = kSlowAtOnce * usual_duration();
    if (const auto slow = job.outlook->slow_first()) remainder_.slow = *slow;
    remainder_.within = nodes_.within();
    if (knows_tail() && steadiness_.holds < kInfinity) {
      const double keeps = steadiness_.keep * steadiness_.keep;
      remainder_.grain = {keeps, steadiness_.holds / tail_.median(), steadiness_.gap / tail_.median(),
                          mean_split_bytes(job)};
    }
    remainder_.free = free_slots_of(view, job, nodes_);
  }

  double usual_duration() const { return knows_tail() ? tail_.median() * mean_split_bytes(job_) : 1; }
  Remainder& remainder() { return remainder_; }

  RemainingJob collect() {
    const TaskList& tasks = job_.job->tasks;
    const std::span<const double> completion = job_.outlook->completion();
    for (std::uint32_t index = 0; index < tasks.size(); ++index) {
      if (completion[index] == -kInfinity) continue;
      tasks.look_at(index, [&](const Task& task) { look_at({job_.id, index}, task); });
    }
    add_alike();
    add_waiting();
    return {std::move(remainder_), tail_, std::move(forecast_), view_.slots(), stands_for_ever_, soonest_};
  }

 private:
  // A segment with one attempt, which may stand for many: the usual case by far, so the only one that is counted in
  // classes.
  struct Alike {
    double count = 0;
    HeldWork work;
    Racing racing;
  };
  using AlikeKey =
      std::tuple<Racing::Kind, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

  bool knows_tail() const { return forecast_.durations.t_min > 0; }

  void look_at(TaskId id, const Task& task) {
    const std::size_t first_waiting = waiting_.size();
    task.ledger.for_each_open_from_back([&](const Segment& segment) { look_at(id, task, segment.range); });
    // The queue is in order from the front.
    std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(first_waiting), waiting_.end());
  }

  void look_at(TaskId id, const Task& task, ByteRange range) {
    racers_.clear();
    HeldWork work;
    work.name = name_of(id.index, range.begin);
    work.slots = 0;
    work.until = 0;
    work.taken = takes_at_once_;
    work.bytes = static_cast<double>(range.size());
    work.bytes_left = work.bytes;
    work.started = work.ready = now_;
    bool is_unknown = false;
    std::uint64_t farthest_end = 0;
    for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
      const Attempt& attempt = task.attempts[number];
      if (!attempt.holds(range.begin)) continue;
      if (attempt.standby) {
        // For what late work is divided into: it waits for nothing else.
        remainder_.free.push_back({1, nodes_.of(attempt.node), leaves_at(view_.cluster, *job_.job, attempt.node)});
        continue;
      }
      ++work.slots;
      work.slowness += (nodes_.of(attempt.node) - work.slowness) / work.slots;
      work.until = std::max(work.until, leaves_at(view_.cluster, *job_.job, attempt.node));
      farthest_end = std::max(farthest_end, attempt.held.end);
      work.taken = work.taken || attempt.offset >= range.end;
      if (attempt.state == AttemptState::Running) {
        work.started = std::min(work.started, job_.since_submission(attempt.started_at));
      }
      if (!add_racer({id, number}, attempt, range, work)) is_unknown = true;
    }
    if (work.slots == 0) return wait(id, range);
    // The same attempt comes to more, later. Its last segment stands for all of them, since it ends last and the slot
    // is one.
    if (work.slots == 1 && farthest_end > range.end) return;
    if (racers_.empty() && is_unknown) {
      ++forecast_.unknown;
    } else {
      if (racers_.empty()) stand(task, range, work);
      add_held(work);
    }
  }

  void stand(const Task& task, ByteRange range, HeldWork& work) {
    ++forecast_.standing;
    work.ended_at = now_;
    for (const Attempt& attempt : task.attempts) {
      if (attempt.holds(range.begin)) work.ended_at = std::max(work.ended_at, ended_at(task, attempt));
    }
    // With attempt_timeout = never nobody ends it, so only a policy's rescue can finish the job.
    stands_for_ever_ = stands_for_ever_ || !(work.ended_at < kInfinity);
    if (knows_tail()) return;
    // How long the next attempt takes is not known, but it cannot begin before this one is ended. That is enough to say
    // that a deadline before then is missed.
    ++forecast_.unknown;
    soonest_ = std::max(soonest_, work.ended_at);
  }

  // When an attempt that stands still is ended for it (timers.h): at the latest when it should have answered a question
  // that somebody waits for.
  double ended_at(const Task& task, const Attempt& attempt) const {
    const Segment& segment = *task.ledger.find(attempt.held.begin);
    const auto limit = progress_limit(*job_.job, attempt, segment, job_.outlook->sample());
    const double last = limit ? job_.since_submission(attempt.progressed_at) + seconds(*limit) : kInfinity;
    if (!attempt.cut || attempt.cut->why == CutReason::Checkpoint) return last;
    const Duration wait = answer_limit(*job_.job, attempt, segment, cut_timeout_);
    return std::min(last, job_.since_submission(attempt.cut->asked_at) + seconds(wait));
  }

  void wait(TaskId id, ByteRange range) {
    ++forecast_.waiting;
    if (range.is_open_ended() || !knows_tail())
      ++forecast_.unknown;
    else
      waiting_.push_back({name_of(id.index, range.begin), 1, static_cast<double>(range.size())});
  }

  // False if nothing can be said about it. One that stands still does not race.
  bool add_racer(AttemptId id, const Attempt& attempt, ByteRange range, HeldWork& work) {
    if (range.is_open_ended()) return false;
    const Pace pace = job_.outlook->pace(id, attempt);
    if (!pace.known || pace.is_starting()) return add_young(attempt, range, work);
    if (!(pace.rate > 0)) return true;
    const double mapped = pace.offset - static_cast<double>(attempt.start_offset);
    const double whole = static_cast<double>(range.end - attempt.start_offset);
    const double share = std::clamp(mapped / whole, 0.0, 1.0);
    const double ends = pace.reaches(range.end);
    const double bytes = pace.rate * std::max(kSoonestEnd, ends - now_);
    // The lag is added to the end and not to the bytes: sealing takes time after the last byte, whatever the pace.
    racers_.push_back(paced(attempt, std::max(kSoonestEnd, ends + steadiness_.lag - now_), bytes, share));
    work.bytes_left = std::min(work.bytes_left, std::max(1.0, bytes));
    return true;
  }

  // What is left is mapped at the attempt's own pace, as far as that stays; otherwise at its recent speed until that is
  // drawn anew, and then at the usual one.
  //
  // With speeds that hold for `holds` seconds in the mean, (1 - e^-x) / x of a rest of x such times is mapped at the
  // speed of now (the mean over the rest of e^-t, the chance that no new draw came yet). Later draws are averaged: of x
  // draws the variance of the mean is 2 / x of one's, for draws at random instants. `keep` is the share of what sets an
  // attempt apart that stays with it, so a rest is a mixture of both in those proportions, in logarithms because speeds
  // multiply.
  Racing paced(const Attempt& attempt, double left, double bytes, double share) const {
    const Steadiness& steady = steadiness_;
    const double own = std::log(left);
    const double spread = kSpreadLeast + (steady.spread - kSpreadLeast) * std::sqrt(1 - share);
    if (!knows_tail() || !(steady.holds < kInfinity)) return {Racing::Kind::Paced, now_, own, spread, 0};
    const double in_turns = left / steady.holds;
    const double stays = -std::expm1(-in_turns) / in_turns;
    const double recent = std::exp(change_of_speed(attempt, fixed_).value_or(0)) / left;  // in whole rests per second
    const double keep = steady.keep * steady.keep;
    const double redrawn = -std::log(std::lerp(1 / (tail_.median() * bytes), recent, stays));
    const double variance = steady.variance * (1 - stays) * std::min(1.0, 2 / in_turns) * (1 - keep);
    return {Racing::Kind::Paced, now_, std::lerp(redrawn, own, keep), std::sqrt(keep * spread * spread + variance), 0};
  }

  // Nothing is known of its pace, so its time is the tail's, given that it has run so long already (Shed, Theorem 2
  // does the same with a Pareto tail).
  bool add_young(const Attempt& attempt, ByteRange range, HeldWork& work) {
    if (!knows_tail()) return false;
    const bool has_started = attempt.state == AttemptState::Running;
    const double launched = job_.since_submission(attempt.launched_at);
    const double origin = has_started
                              ? takes_since(attempt)
                              : std::max(now_, launched + (attempt.is_warm ? remainder_.warm : remainder_.launch));
    const double ln_bytes = std::log(std::max(1.0, static_cast<double>(range.end - attempt.start_offset)));
    Racing racer{Racing::Kind::Young, origin, ln_bytes, 0, 0, nodes_.of(attempt.node)};
    if (now_ > origin) {
      const double usual = std::log(tail_.median());
      const double from_usual = std::log(now_ - origin) - ln_bytes - racer.slowness - usual;
      const double spread = nodes_.within() * remainder_.grain.of(std::exp(ln_bytes));
      racer.ln_condition = tail_.ln_survival_at(usual + from_usual / spread);
    }
    work.ready = std::max(now_, work.taken ? late_at(attempt, true) : std::min(origin, late_at(attempt, false)));
    racers_.push_back(racer);
    return true;
  }

  // When it will have shown no pace for longer than is usual, which a policy sees.
  double late_at(const Attempt& attempt, bool is_taken) const {
    const bool shows_none = attempt.segment.moves == 0 || attempt.offset >= attempt.held.end;
    if (!attempt.segment.is_known() || !shows_none) return kInfinity;
    if (!is_taken && !job_.outlook->slow_first()) return kInfinity;
    return job_.since_submission(attempt.reported_at) - seconds(attempt.segment.age) + remainder_.slow;
  }

  // When it takes the first bytes of its segment: the rest of its start is still to come, or is over.
  double takes_since(const Attempt& attempt) const {
    if (!attempt.segment.is_known()) return job_.since_submission(attempt.started_at);
    const double reported = job_.since_submission(attempt.reported_at);
    const double age = seconds(attempt.segment.age);
    if (takes_at_once_) return reported - age;
    if (attempt.segment.moves > 0) return reported - age + seconds(attempt.segment.first);
    return std::max(now_, reported + math::rest_of_start(age, attempt.is_warm ? fixed_warm_ : fixed_));
  }

  // Segments with one attempt are counted by class. A class moves on with the mean of its members, so that rounding
  // does not shift the forecast.
  void add_held(HeldWork work) {
    if (racers_.size() == 1 && work.slots == 1) {
      const Racing& racer = racers_.front();
      const auto rounded = [](double x) { return static_cast<std::int64_t>(std::floor(x)); };
      Alike& like = alike_[{racer.kind, rounded(racer.origin * kClassesPerSecond),
                            rounded(racer.ln_scale * kClassesPerFactorE), rounded(racer.spread * kClassesPerUnit),
                            rounded(std::log(std::max(1.0, work.bytes_left)) * kBytesPerFactorE),
                            rounded(work.slowness * kNodesPerFactorE), rounded(std::min(work.until, 1e9))}];
      if (like.count == 0) {
        like.work = work;
        like.racing.kind = racer.kind;
      }
      const double share = 1 / ++like.count;
      for (const auto field :
           {&Racing::origin, &Racing::ln_scale, &Racing::spread, &Racing::ln_condition, &Racing::slowness}) {
        like.racing.*field += share * (racer.*field - like.racing.*field);
      }
      like.work.slowness += share * (work.slowness - like.work.slowness);
      return;
    }
    work.first = static_cast<std::uint32_t>(remainder_.racing.size());
    work.racers = static_cast<std::uint32_t>(racers_.size());
    remainder_.racing.insert(remainder_.racing.end(), racers_.begin(), racers_.end());
    remainder_.held.push_back(work);
  }

  void add_alike() {
    for (auto& [key, like] : alike_) {
      like.work.first = static_cast<std::uint32_t>(remainder_.racing.size());
      like.work.racers = 1;
      like.work.count = like.work.slots = like.count;
      remainder_.racing.push_back(like.racing);
      remainder_.held.push_back(like.work);
    }
  }

  // Neighbours in the queue count as alike where there are very many: they get slots at about the same time, so only
  // the mean of their sizes matters.
  void add_waiting() {
    const std::size_t together = (waiting_.size() + kWaitingMost - 1) / kWaitingMost;
    for (std::size_t i = 0; i < waiting_.size(); i += together) {
      WaitingWork work = waiting_[i];
      const std::size_t end = std::min(waiting_.size(), i + together);
      for (std::size_t next = i + 1; next < end; ++next) work.bytes += waiting_[next].bytes;
      work.count = static_cast<double>(end - i);
      work.bytes /= work.count;
      remainder_.waiting.push_back(work);
    }
  }

  const View& view_;
  const JobView& job_;
  const Duration cut_timeout_;
  const double now_;
  const double fixed_;       // of a segment
  const double fixed_warm_;  // in a process that has run an attempt of the job before
  const bool takes_at_once_;
  const math::FittedTail tail_;
  const Steadiness steadiness_;
  const NodeEffects nodes_;
  Forecast forecast_;
  Remainder remainder_;
  bool stands_for_ever_ = false;
  double soonest_ = 0;          // that it can be done, of which nothing else is known
  std::vector<Racing> racers_;  // of the segment that is being looked at
  std::map<AlikeKey, Alike> alike_;
  std::vector<WaitingWork> waiting_;
};

}  // namespace

std::optional<RemainingJob> remaining_job(const Scheduler& scheduler, JobId id, TimePoint now) {
  const Job* job = scheduler.cluster().find_job(id);
  if (job == nullptr || is_final(job->state)) return std::nullopt;
  const JobView view_of_job{id, job, scheduler.outlook(id), {}};
  if (view_of_job.outlook == nullptr) {
    RemainingJob done;
    done.remainder.now = view_of_job.since_submission(now);
    done.remainder.deadline = view_of_job.deadline();
    done.slots = scheduler.resources().slots();
    return done;
  }
  const View view{scheduler.cluster(), scheduler.resources(), {&view_of_job, 1}, now};
  math::DurationHints hints = hints_of(job->spec);
  Forecaster forecaster(view, view_of_job, durations_shown(view, view_of_job, hints), scheduler.settings().cut_timeout);
  add_rivals(scheduler, id, now, forecaster.usual_duration(), forecaster.remainder());
  RemainingJob made = forecaster.collect();
  // The forecast itself uses the tail that fits best, but t_min and beta are a Pareto tail's, as in the papers: people
  // are told those.
  hints.tail = math::TailRule::Pareto;
  made.counted.durations = durations_of(view, view_of_job, hints);
  return made;
}

std::optional<Forecast> forecast(const Scheduler& scheduler, JobId id, TimePoint now) {
  const auto rest = remaining_job(scheduler, id, now);
  return rest ? std::optional(rest->forecast()) : std::nullopt;
}

}  // namespace ontime::scheduler

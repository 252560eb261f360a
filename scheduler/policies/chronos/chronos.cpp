#include "scheduler/policies/chronos/chronos.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace ontime::scheduler {
namespace {

// Tasks of a job to look at again, each at its time. O(log n) each, so that a plan costs what is due and not what
// waits.
class LaterTasks {
 public:
  void add(std::uint32_t task, TimePoint at) { queue_.emplace(at, task); }
  // TimePoint::max() if there are none.
  TimePoint next() const { return queue_.empty() ? TimePoint::max() : queue_.top().first; }
  // The one that has been due for longest. REQUIRES: there is one.
  std::uint32_t take() {
    const std::uint32_t task = queue_.top().second;
    queue_.pop();
    return task;
  }

 private:
  using Entry = std::pair<TimePoint, std::uint32_t>;  // the earliest is first, then the lowest index
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// A plan in the making.
struct ChronosRound {
  const View& view;
  Plan plan;
  std::uint32_t budget = 0;  // copies that may still be asked for
  std::uint32_t effort = 0;  // what may still be looked at in this plan; the rest comes with the next, at once
  TimePoint next = TimePoint::max();

  void come_back(TimePoint at) { next = std::min(next, at); }
};

// When to look again where an estimate, a slot or an answer is missing: as often as it can matter to the deadline, at
// times that the tasks share, so that one plan looks at all of them.
TimePoint retry(const JobView& job, TimePoint now) {
  const Duration pause =
      std::clamp<Duration>(job.job->spec.deadline / 200, std::chrono::milliseconds(100), std::chrono::seconds(10));
  return TimePoint((now.time_since_epoch() / pause + 1) * pause);
}

// What comes due within so short a time is done together.
constexpr Duration kGrain = std::chrono::milliseconds(10);

// A plan must not take longer than some 20 ms: what it may look at, and what looking costs.
constexpr std::uint32_t kEffort = 150'000;
constexpr std::uint32_t kChoice = 4'000;  // the optimum for one job
constexpr std::uint32_t kDetails = 8;     // a task's open segments
constexpr std::uint32_t kGlance = 1;      // a task's estimate

// False when nothing may be looked at any more; then the plan goes on at once.
bool spend(ChronosRound& round, std::uint32_t cost) {
  if (round.effort >= cost) {
    round.effort -= cost;
    return true;
  }
  round.effort = 0;
  round.come_back(round.view.now);
  return false;
}

std::optional<TimePoint> launch_of(const Task& task) {
  return task.attempts.empty() ? std::nullopt : std::optional(task.attempts.front().launched_at);
}

bool is_raced(const Task& task) {
  const auto live = std::count_if(task.attempts.begin(), task.attempts.end(),
                                  [](const Attempt& attempt) { return is_live(attempt.state); });
  return live > 1;
}

// When the attempt will have worked that long: since its first record, or since its launch. Never for one that has not
// begun.
TimePoint worked_for(const Attempt& attempt, double duration, bool since_first_record) {
  if (!since_first_record) return attempt.launched_at + from_seconds(duration);
  if (attempt.state != AttemptState::Running) return TimePoint::max();
  return attempt.started_at + from_seconds(duration);
}

// The first moment at which one of the task's attempts has.
TimePoint any_worked_for(const Task& task, double duration, bool since_first_record) {
  TimePoint first = TimePoint::max();
  for (const Attempt& attempt : task.attempts) {
    if (is_live(attempt.state)) first = std::min(first, worked_for(attempt, duration, since_first_record));
  }
  return first;
}

bool is_being_launched(const Task& task, double launch, TimePoint now) {
  return std::ranges::any_of(task.attempts, [&](const Attempt& attempt) {
    return is_live(attempt.state) && is_launching(attempt, launch, now);
  });
}

// Whether a report is from after that. Over its first record, which an earlier one may be about, anybody may be fast.
bool any_reported_after(const Task& task, double duration, bool since_first_record) {
  return std::ranges::any_of(task.attempts, [&](const Attempt& attempt) {
    return is_live(attempt.state) && attempt.reported_at >= worked_for(attempt, duration, since_first_record);
  });
}

std::uint32_t not_launched(const Job& job) {
  const std::span<const Task> made = job.tasks.made();
  auto launched = static_cast<std::uint32_t>(made.size());
  while (launched > 0 && made[launched - 1].attempts.empty()) --launched;
  return job.tasks.size() - launched;
}

bool has_shown_nothing(const View& view, const JobView& job) {
  return job.job->attempts_launched == 0 && view.cluster.find_profile(*job.job) == nullptr;
}

ChronosFacts facts_of(const View& view, const JobView& job, const math::DurationHints& hints) {
  const auto tasks = static_cast<double>(std::max<std::size_t>(1, job.job->tasks.size()));
  return {tasks, job.deadline(), mean_split_bytes(job), durations_of(view, job, hints)};
}

// Chronos, section III:
//   clone      every task starts with r extra attempts (theorems 1 and 2)
//   s-restart  a task that is expected at tau_est to miss D gets r extra attempts that begin its split anew, the
//              original goes on (theorems 3 and 4)
//   s-resume   it is cut where its original will be when fresh attempts are ready (b_new of section VI-B, eq. 31
//              corrected); the original seals what is before the cut and ends, r + 1 fresh attempts race for the rest
//              (theorems 5 and 6)
// At tau_kill the attempt that will be done first goes on and the others are ended. docs/research/policies.md says
// what is declined.
class Chronos final : public Policy {
 public:
  Chronos(chronos::Strategy strategy, Parameters& parameters) : settings_(chronos_settings(strategy, parameters)) {}

  Plan plan(const View& view) override {
    ChronosRound round{view, {}, view.spare_slots(), kEffort};
    std::map<JobId, JobState> running;
    for (const JobView& job : view.jobs) {
      auto known = jobs_.extract(job.id);
      JobState& state = known.empty() ? running[job.id] : running.insert(std::move(known)).position->second;
      follow(round, job, state);
    }
    jobs_ = std::move(running);  // the others have ended
    if (round.next != TimePoint::max()) round.plan.next_check = std::max(round.next, view.now);
    return std::move(round.plan);
  }

 private:
  enum class Verdict { Settled, LookAgain, Racing };  // of a task, for now
  struct JobState {
    bool is_begun = false;
    std::optional<ChronosChoice> choice;
    std::uint32_t fresh = 0;  // tasks from here on have not been judged
    LaterTasks again;         // to be judged later
    LaterTasks racing;        // to be settled at tau_kill
  };

  void follow(ChronosRound& round, const JobView& job, JobState& state) {
    if (!job.has_deadline()) {
      if (!state.is_begun) {
        round.plan.add(Note{job.id, "no extra attempts: the job has no deadline"});
        if (!job.job->tasks[0].ledger.is_done()) round.plan.add(Decline{{job.id, 0}, Reason::NoDeadline});
      }
      state.is_begun = true;
      return;
    }
    if (!is_ready(round, job, state)) return;
    settle_races(round, job, state);
    judge_again(round, job, state);
    judge_fresh(round, job, state);
  }

  bool is_ready(ChronosRound& round, const JobView& job, JobState& state) {
    if (state.choice) return true;
    const auto wait = [&] {
      round.come_back(retry(job, round.view.now));
      return false;
    };
    // Nothing is known of it now that was not known when it was submitted. Under overload most jobs wait like this.
    if (state.is_begun && has_shown_nothing(round.view, job)) return wait();
    if (!spend(round, kDetails)) return false;
    const ChronosFacts facts = facts_of(round.view, job, settings_.hints);
    if (facts.durations.t_min > 0 && !spend(round, kChoice)) return false;
    state.choice = choose_copies(settings_, facts);
    if (!state.is_begun) {
      state.is_begun = true;
      begin(round, job, state.choice ? &*state.choice : nullptr);
    } else if (state.choice) {
      on_durations_known(round, job, *state.choice);
    }
    return state.choice.has_value() || wait();
  }

  // Tasks are launched in order of their index, so they come due in that order. Another engine launches them in any
  // order, so each task of an advised job is judged on its own.
  void judge_fresh(ChronosRound& round, const JobView& job, JobState& state) {
    const TaskList& tasks = job.job->tasks;
    const Duration est = from_seconds(state.choice->est);
    for (; state.fresh < tasks.size(); ++state.fresh) {
      const std::optional<TimePoint> launched = launch_of(tasks[state.fresh]);
      const TimePoint due = launched.value_or(round.view.now) + est;
      const bool in_order = !job.job->spec.advised;
      if (in_order && !launched) return round.come_back(std::max(due, retry(job, round.view.now)));
      if (in_order && due > round.view.now) return round.come_back(std::max(due, round.view.now + kGrain));
      if (!spend(round, kGlance)) return;
      judge(round, job, state, state.fresh);
    }
  }

  void judge_again(ChronosRound& round, const JobView& job, JobState& state) {
    while (state.again.next() <= round.view.now && spend(round, kGlance)) judge(round, job, state, state.again.take());
    round.come_back(state.again.next());
  }

  void settle_races(ChronosRound& round, const JobView& job, JobState& state) {
    while (state.racing.next() <= round.view.now && spend(round, kDetails)) {
      const std::uint32_t task = state.racing.take();
      if (const auto next = settle(round, job, *state.choice, task)) {
        state.racing.add(task, *next);
      } else if (was_refused(*job.job, task)) {  // there is no race: what was asked for may be worth it later
        state.again.add(task, retry(job, round.view.now));
      }
    }
    round.come_back(state.racing.next());
  }

  void judge(ChronosRound& round, const JobView& job, JobState& state, std::uint32_t index) {
    const double completion = job.outlook->completion()[index];
    if (completion == -std::numeric_limits<double>::infinity()) return;
    const auto look_again = [&](TimePoint at) {
      state.again.add(index, at);
      round.come_back(at);
    };
    const auto race = [&] {
      state.racing.add(index, round.view.now);
      round.come_back(retry(job, round.view.now));
    };
    const Task& task = job.job->tasks[index];
    if (job.pending.contains(index) || is_raced(task)) return race();
    if (settings_.strategy == chronos::Strategy::Clone) return;
    const double est = state.choice->est;
    const bool of_t_min = settings_.tau_est.of_t_min;
    const TimePoint later = retry(job, round.view.now);
    if (std::isinf(completion) && is_being_launched(task, state.choice->durations.launch, round.view.now))
      return look_again(later);
    if (!any_reported_after(task, est, of_t_min) && !std::isinf(completion)) {
      const TimePoint due = any_worked_for(task, est, of_t_min);
      return look_again(due > round.view.now ? std::min(due, later) : later);
    }
    if (std::isnan(completion)) {
      if (!task.ledger.split().is_open_ended()) return look_again(later);
      return round.plan.add(Decline{{job.id, index}, Reason::NoEstimate});
    }
    if (completion <= job.deadline()) return;
    const Verdict verdict = help_late(round, job, *state.choice, index);
    if (verdict == Verdict::LookAgain) look_again(later);
    if (verdict == Verdict::Racing) race();
  }

  Verdict help_late(ChronosRound& round, const JobView& job, const ChronosChoice& choice, std::uint32_t index) {
    if (!spend(round, kDetails)) return Verdict::LookAgain;
    Verdict verdict = Verdict::Settled;
    for (const OpenSegment& segment : open_segments(job, index)) {
      if (!(segment.completion() > job.deadline())) continue;
      const Verdict one = segment.in_change ? Verdict::LookAgain : help(round, job, choice, segment);
      if (one == Verdict::Racing) return one;
      if (one == Verdict::LookAgain) verdict = one;
    }
    return verdict;
  }

  // When to look at the task's race again; nothing when it is settled.
  std::optional<TimePoint> settle(ChronosRound& round, const JobView& job, const ChronosChoice& choice,
                                  std::uint32_t index) {
    const TimePoint now = round.view.now;
    const Task& task = job.job->tasks[index];
    if (task.ledger.is_done()) return std::nullopt;
    if (job.pending.contains(index)) return retry(job, now);
    if (!is_raced(task)) return std::nullopt;
    std::optional<TimePoint> next;
    const auto wait = [&](TimePoint until) { next = std::min(next.value_or(until), until); };
    for (const OpenSegment& segment : open_segments(job, index)) {
      if (segment.in_change) wait(retry(job, now));
      if (segment.in_change || segment.racers.size() < 2) continue;
      const TimePoint due = race_ends(segment, choice);
      if (due > now || std::isnan(segment.completion())) {
        wait(due > now && due != TimePoint::max() ? std::max(due, now + kGrain) : retry(job, now));
        continue;
      }
      for (auto racer = segment.racers.begin() + 1; racer != segment.racers.end(); ++racer) {
        if (racer->attempt->held.begin == segment.range.begin)
          round.plan.add(EndAttempt{racer->id, Reason::SlowerCopy});
      }
    }
    return next;
  }

  // The job is planned for the first time; its durations may be known already.
  void begin(ChronosRound& round, const JobView& job, const ChronosChoice* choice) const {
    if (settings_.strategy == chronos::Strategy::Clone) return begin_clones(round, job, choice);
    if (choice != nullptr) round.plan.add(Note{job.id, choice->why, choice->r});
  }

  // No more than the free slots allow at submission: clones that had to wait for slots would only hold up other jobs.
  void begin_clones(ChronosRound& round, const JobView& job, const ChronosChoice* choice) const {
    std::string why = "r = 1: t_min is not known at submission, neither from a profile nor from a flag";
    std::uint32_t wanted = settings_.r.value_or(1);
    if (choice != nullptr) {
      why = choice->why;
      wanted = choice->r.value_or(0);
    } else if (settings_.r) {
      why = "r = " + std::to_string(wanted) + " (as told)";
    }
    const std::uint32_t tasks = not_launched(*job.job);
    const std::uint32_t room = tasks > 0 ? round.budget / tasks : 0;
    const std::uint32_t copies = std::min(wanted, room);
    if (copies < wanted) why += "; free slots allow " + std::to_string(copies);
    round.plan.add(Note{job.id, why, choice != nullptr ? choice->r : std::optional(wanted)});
    if (copies == 0) return;
    round.plan.add(CloneTasks{job.id, copies, Reason::Clone});
    round.budget -= copies * tasks;
  }

  // They were not known when it was planned for the first time.
  void on_durations_known(ChronosRound& round, const JobView& job, const ChronosChoice& choice) const {
    if (settings_.strategy != chronos::Strategy::Clone) return round.plan.add(Note{job.id, choice.why, choice.r});
    round.plan.add(Note{job.id, "clones race for " + short_number(choice.race) +
                                    " s: " + duration_words(choice.durations, settings_.hints, choice.split_bytes)});
  }

  // The segment will not be done before D as things are; nothing is in change there. When fewer slots are free than
  // fresh attempts are wanted, it gets those.
  Verdict help(ChronosRound& round, const JobView& job, const ChronosChoice& choice, const OpenSegment& segment) const {
    const bool resumes = settings_.strategy == chronos::Strategy::Resume;
    const auto decline = [&](Reason reason, Verdict verdict) {
      round.plan.add(Decline{segment.task, reason});
      return verdict;
    };
    if (!choice.r) return decline(Reason::Hopeless, Verdict::Settled);
    if (!resumes && *choice.r == 0) return decline(Reason::NotWorthIt, Verdict::Settled);
    const double launch = choice.durations.launch;
    std::optional<std::uint64_t> begin = segment.range.begin;
    if (resumes) begin = handover_offset(segment.racers.front(), segment, launch, job, round.view.now);
    if (!begin) return decline(Reason::RemainingShorterThanLaunch, Verdict::Settled);
    if (round.budget == 0) return decline(Reason::NoFreeSlot, Verdict::LookAgain);
    const std::uint32_t copies = std::min(*choice.r + (resumes ? 1U : 0U), round.budget);
    round.budget -= copies;
    Speculate decision = race_for(segment.task, segment.range.begin, copies, segment.completion());
    if (resumes) decision = resume_from(*begin, std::move(decision), settings_.handover, /*release=*/true);
    decision.pocd_before = 0;
    const double left = job.deadline() - job.since_submission(round.view.now) - launch;
    const auto rest = static_cast<double>(segment.range.end - *begin);
    decision.pocd_after = chance_of_fresh(choice.durations, rest, left, copies);
    round.plan.add(std::move(decision));
    return Verdict::Racing;
  }

  // When the last of them has raced for as long as it may. One that stands still has nothing more to show; one that is
  // being launched has shown nothing yet.
  TimePoint race_ends(const OpenSegment& segment, const ChronosChoice& choice) const {
    TimePoint end = TimePoint::min();
    for (const Racer& racer : segment.racers) {
      const bool has_begun = racer.attempt->state == AttemptState::Running;
      if (has_begun && racer.pace.known && racer.pace.rate <= 0) continue;
      end = std::max(end, worked_for(*racer.attempt, choice.race, settings_.tau_kill.of_t_min));
    }
    return end;
  }

  ChronosSettings settings_;
  std::map<JobId, JobState> jobs_;
};

}  // namespace

std::unique_ptr<Policy> make_chronos(chronos::Strategy strategy, Parameters& parameters) {
  return std::make_unique<Chronos>(strategy, parameters);
}

}  // namespace ontime::scheduler

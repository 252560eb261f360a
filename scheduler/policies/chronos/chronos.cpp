#include "scheduler/policies/chronos/chronos.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/policies/duration_words.h"

namespace ontime::scheduler {
namespace {

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
constexpr std::uint32_t kDetails = 8;     // a task's open pieces
constexpr std::uint32_t kGlance = 1;      // a task's estimate

// False when nothing may be looked at any more; then the plan goes on at once.
bool spend(ChronosTurn& turn, std::uint32_t cost) {
  if (turn.effort >= cost) {
    turn.effort -= cost;
    return true;
  }
  turn.effort = 0;
  turn.come_back(turn.view.now);
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

ChronosFacts facts_of(const View& view, const JobView& job, const estimate::DurationHints& hints) {
  const auto tasks = static_cast<double>(std::max<std::size_t>(1, job.job->tasks.size()));
  return {tasks, job.deadline(), mean_split_bytes(job), durations_of(view, job, hints)};
}

}  // namespace

Plan Chronos::plan(const View& view) {
  ChronosTurn turn{view, {}, view.spare_slots(), kEffort};
  std::map<JobId, JobState> running;
  for (const JobView& job : view.jobs) {
    auto known = jobs_.extract(job.id);
    JobState& state = known.empty() ? running[job.id] : running.insert(std::move(known)).position->second;
    follow(turn, job, state);
  }
  jobs_ = std::move(running);  // the others have ended
  if (turn.next != TimePoint::max()) turn.plan.next_check = std::max(turn.next, view.now);
  return std::move(turn.plan);
}

void Chronos::follow(ChronosTurn& turn, const JobView& job, JobState& state) {
  if (!job.has_deadline()) {
    if (!state.is_begun) {
      turn.plan.add(Note{job.id, "no extra attempts: the job has no deadline"});
      if (!job.job->tasks.front().ledger.is_done()) turn.plan.add(Decline{{job.id, 0}, Reason::NoDeadline});
    }
    state.is_begun = true;
    return;
  }
  if (!is_ready(turn, job, state)) return;
  settle_races(turn, job, state);
  judge_again(turn, job, state);
  judge_fresh(turn, job, state);
}

bool Chronos::is_ready(ChronosTurn& turn, const JobView& job, JobState& state) {
  if (state.choice) return true;
  if (!spend(turn, kChoice)) return false;
  state.choice = choose_copies(settings_, facts_of(turn.view, job, settings_.hints));
  if (!state.is_begun) {
    state.is_begun = true;
    begin(turn, job, state.choice ? &*state.choice : nullptr);
  } else if (state.choice) {
    learn(turn, job, *state.choice);
  }
  if (!state.choice) turn.come_back(retry(job, turn.view.now));
  return state.choice.has_value();
}

void Chronos::begin(ChronosTurn& turn, const JobView& job, const ChronosChoice* choice) {
  if (choice != nullptr) turn.plan.add(Note{job.id, choice->why});
}

void Chronos::learn(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice) {
  turn.plan.add(Note{job.id, choice.why});
}

// Tasks are launched in order of their index, so they come due in that order.
void Chronos::judge_fresh(ChronosTurn& turn, const JobView& job, JobState& state) {
  const std::vector<Task>& tasks = job.job->tasks;
  const Duration est = from_seconds(state.choice->est);
  for (; state.fresh < tasks.size(); ++state.fresh) {
    const std::optional<TimePoint> launched = launch_of(tasks[state.fresh]);
    const TimePoint due = launched.value_or(turn.view.now) + est;
    if (!launched) return turn.come_back(std::max(due, retry(job, turn.view.now)));
    if (due > turn.view.now) return turn.come_back(std::max(due, turn.view.now + kGrain));
    if (!spend(turn, kGlance)) return;
    judge(turn, job, state, state.fresh);
  }
}

void Chronos::judge_again(ChronosTurn& turn, const JobView& job, JobState& state) {
  while (state.again.next() <= turn.view.now && spend(turn, kGlance)) judge(turn, job, state, state.again.take());
  turn.come_back(state.again.next());
}

void Chronos::judge(ChronosTurn& turn, const JobView& job, JobState& state, std::uint32_t index) {
  const double completion = job.outlook->completion()[index];
  if (completion == -std::numeric_limits<double>::infinity()) return;
  const auto look_again = [&](TimePoint at) {
    state.again.add(index, at);
    turn.come_back(at);
  };
  const auto race = [&] {
    state.racing.add(index, turn.view.now);
    turn.come_back(retry(job, turn.view.now));
  };
  const Task& task = job.job->tasks[index];
  if (job.pending.contains(index) || is_raced(task)) return race();
  if (settings_.strategy == pocd::Strategy::Clone) return;
  const TimePoint due = any_worked_for(task, state.choice->est, settings_.tau_est.of_t_min);
  if (due > turn.view.now && !std::isinf(completion)) return look_again(std::min(due, retry(job, turn.view.now)));
  if (std::isnan(completion)) {
    if (!task.ledger.split().is_open_ended()) return look_again(retry(job, turn.view.now));
    return turn.plan.add(Decline{{job.id, index}, Reason::NoEstimate});
  }
  if (completion <= job.deadline()) return;
  const Verdict verdict = help_late(turn, job, *state.choice, index);
  if (verdict == Verdict::LookAgain) look_again(retry(job, turn.view.now));
  if (verdict == Verdict::Racing) race();
}

Chronos::Verdict Chronos::help_late(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice,
                                    std::uint32_t index) {
  if (!spend(turn, kDetails)) return Verdict::LookAgain;
  Verdict verdict = Verdict::Settled;
  for (const Piece& piece : open_pieces(job, index)) {
    if (!(piece.completion() > job.deadline())) continue;
    const Verdict one = piece.in_change ? Verdict::LookAgain : help(turn, job, choice, piece);
    if (one == Verdict::Racing) return one;
    if (one == Verdict::LookAgain) verdict = one;
  }
  return verdict;
}

void Chronos::settle_races(ChronosTurn& turn, const JobView& job, JobState& state) {
  while (state.racing.next() <= turn.view.now && spend(turn, kDetails)) {
    const std::uint32_t task = state.racing.take();
    if (const auto next = settle(turn, job, *state.choice, task)) state.racing.add(task, *next);
  }
  turn.come_back(state.racing.next());
}

std::optional<TimePoint> Chronos::settle(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice,
                                         std::uint32_t index) {
  const TimePoint now = turn.view.now;
  const Task& task = job.job->tasks[index];
  if (task.ledger.is_done()) return std::nullopt;
  if (job.pending.contains(index)) return retry(job, now);
  if (!is_raced(task)) return std::nullopt;
  std::optional<TimePoint> next;
  const auto wait = [&](TimePoint until) { next = std::min(next.value_or(until), until); };
  for (const Piece& piece : open_pieces(job, index)) {
    if (piece.in_change) wait(retry(job, now));
    if (piece.in_change || piece.racers.size() < 2) continue;
    const TimePoint due = race_ends(piece, choice);
    if (due > now || std::isnan(piece.completion())) {
      wait(due > now && due != TimePoint::max() ? std::max(due, now + kGrain) : retry(job, now));
      continue;
    }
    for (auto racer = piece.racers.begin() + 1; racer != piece.racers.end(); ++racer) {
      if (racer->attempt->held.begin == piece.range.begin) turn.plan.add(EndAttempt{racer->id, Reason::SlowerCopy});
    }
  }
  return next;
}

// When the last of them has raced for as long as it may. One that stands still has nothing more to show; one that is
// being launched has shown nothing yet.
TimePoint Chronos::race_ends(const Piece& piece, const ChronosChoice& choice) const {
  TimePoint end = TimePoint::min();
  for (const Racer& racer : piece.racers) {
    const bool has_begun = racer.attempt->state == AttemptState::Running;
    if (has_begun && racer.pace.known && racer.pace.rate <= 0) continue;
    end = std::max(end, worked_for(*racer.attempt, choice.race, settings_.tau_kill.of_t_min));
  }
  return end;
}

namespace {

std::uint32_t not_launched(const Job& job) {
  std::uint32_t count = 0;
  for (auto task = job.tasks.rbegin(); task != job.tasks.rend() && task->attempts.empty(); ++task) ++count;
  return count;
}

}  // namespace

void Clone::begin(ChronosTurn& turn, const JobView& job, const ChronosChoice* choice) {
  std::string why = "r = 1: t_min is not known at submission, neither from a profile nor from a flag";
  std::uint32_t wanted = settings().r.value_or(1);
  if (choice != nullptr) {
    why = choice->why;
    wanted = choice->r.value_or(0);
  } else if (settings().r) {
    why = "r = " + std::to_string(wanted) + " (as told)";
  }
  const std::uint32_t tasks = not_launched(*job.job);
  const std::uint32_t room = tasks > 0 ? turn.budget / tasks : 0;
  const std::uint32_t copies = std::min(wanted, room);
  if (copies < wanted) why += "; free slots allow " + std::to_string(copies);
  turn.plan.add(Note{job.id, why});
  if (copies == 0) return;
  turn.plan.add(CloneTasks{job.id, copies, Reason::Clone});
  turn.budget -= copies * tasks;
}

void Clone::learn(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice) {
  turn.plan.add(Note{job.id, "clones race for " + short_number(choice.race) +
                                 " s: " + duration_words(choice.durations, settings().hints, choice.split_bytes)});
}

Chronos::Verdict SRestart::help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice,
                                const Piece& piece) {
  const auto decline = [&](Reason reason, Verdict verdict) {
    turn.plan.add(Decline{piece.task, reason});
    return verdict;
  };
  if (!choice.r) return decline(Reason::Hopeless, Verdict::Settled);
  if (*choice.r == 0) return decline(Reason::NotWorthIt, Verdict::Settled);
  if (turn.budget == 0) return decline(Reason::NoFreeSlot, Verdict::LookAgain);
  const std::uint32_t copies = std::min(*choice.r, turn.budget);
  turn.budget -= copies;
  Speculate decision = race_for(piece.task, piece.range.begin, copies, piece.completion());
  decision.pocd_before = 0;
  const double left = job.deadline() - job.since_submission(turn.view.now) - choice.durations.launch;
  decision.pocd_after = chance_of_fresh(choice.durations, static_cast<double>(piece.range.size()), left, copies);
  turn.plan.add(std::move(decision));
  return Verdict::Racing;
}

Chronos::Verdict SResume::help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, const Piece& piece) {
  const auto decline = [&](Reason reason, Verdict verdict) {
    turn.plan.add(Decline{piece.task, reason});
    return verdict;
  };
  if (!choice.r) return decline(Reason::Hopeless, Verdict::Settled);
  const double launch = choice.durations.launch;
  const auto at = handover_offset(piece.racers.front(), piece, launch, job, turn.view.now);
  if (!at) return decline(Reason::RemainingShorterThanLaunch, Verdict::Settled);
  if (turn.budget == 0) return decline(Reason::NoFreeSlot, Verdict::LookAgain);
  const std::uint32_t copies = std::min(*choice.r + 1, turn.budget);
  turn.budget -= copies;
  Speculate decision = resume_from(*at, race_for(piece.task, piece.range.begin, copies, piece.completion()),
                                   settings().handover, /*release=*/true);
  decision.pocd_before = 0;
  const double left = job.deadline() - job.since_submission(turn.view.now) - launch;
  const auto rest = static_cast<double>(piece.range.end - *at);
  decision.pocd_after = chance_of_fresh(choice.durations, rest, left, copies);
  turn.plan.add(std::move(decision));
  return Verdict::Racing;
}

}  // namespace ontime::scheduler

#include "scheduler/policy/chronos.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace ontime::scheduler

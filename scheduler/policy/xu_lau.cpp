#include "scheduler/policy/xu_lau.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {
namespace {

constexpr double kAlphaMin = 1.05;

bool has_enough(const JobView& job) { return job.outlook->sample().finished().size() >= estimate::kEnoughSamples; }

bool has_compressed_input(const Job& job) {
  return std::any_of(job.spec.inputs.begin(), job.spec.inputs.end(),
                     [](const InputFile& input) { return input.codec != Codec::Plain; });
}

// The piece that keeps the task from being done; nothing if it is being changed or is raced already.
std::optional<Piece> last_piece(const JobView& job, std::uint32_t index) {
  std::vector<Piece> pieces = open_pieces(job, index);
  const auto last = std::max_element(pieces.begin(), pieces.end(),
                                     [](const Piece& a, const Piece& b) { return a.completion() < b.completion(); });
  if (last == pieces.end() || last->in_change || last->racers.size() != 1) return std::nullopt;
  return std::move(*last);
}

void decline_unknown_ends(const JobView& job, Plan& plan) {
  const std::vector<Task>& tasks = job.job->tasks;
  for (std::uint32_t index = 0; index < tasks.size(); ++index) {
    const Task& task = tasks[index];
    if (task.attempts.empty() || task.ledger.is_done() || !task.ledger.split().is_open_ended()) continue;
    plan.add(Decline{{job.id, index}, Reason::NoEstimate});
  }
}

}  // namespace

std::optional<TaskTimes> task_times(const View& view, const JobView& job, const estimate::DurationHints& hints) {
  TaskTimes times;
  times.durations = durations_of(view, job, hints);
  if (times.durations.t_min <= 0) return std::nullopt;
  times.split_bytes = mean_split_bytes(job);
  times.mu = times.durations.t_min * times.split_bytes;
  times.alpha = std::max(times.durations.beta, kAlphaMin);
  times.mean = times.durations.launch + times.mu * times.alpha / (times.alpha - 1);
  times.is_settled = times.durations.source == estimate::DurationSource::Profile || has_enough(job);
  return times;
}

pocd::ClonedJob cloned_job(const JobView& job, const TaskTimes& times) {
  return {static_cast<double>(job.job->tasks.size()), times.mu, times.alpha};
}

std::string limit_words(const DetectionLimit& limit, const estimate::DurationHints& hints) {
  return "straggler: more than " + short_number(limit.sigma) + " times the mean of " + short_number(limit.times.mean) +
         " s remaining, extra attempts: " + std::to_string(limit.copies - 1) + "; " +
         duration_words(limit.times.durations, hints, limit.times.split_bytes);
}

bool is_due_again(const DetectionLimit& limit, const JobView& job) {
  return !limit.times.is_settled && has_enough(job);
}

void forget_ended(std::map<JobId, DetectionLimit>& limits, const View& view) {
  std::map<JobId, DetectionLimit> running;
  for (const JobView& job : view.jobs) running.insert(limits.extract(job.id));
  limits = std::move(running);
}

std::vector<SlowTask> slow_tasks(const View& view, const JobView& job, const DetectionLimit& limit,
                                 double least_progress, Plan& plan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<SlowTask> slow;
  const double now = job.since_submission(view.now);
  const double latest = now + limit.seconds();
  const std::span<const double> completion = job.outlook->completion();
  for (std::uint32_t index = 0; index < completion.size(); ++index) {
    if (!(completion[index] > latest)) continue;
    const auto decline = [&](Reason reason) { plan.add(Decline{{job.id, index}, reason}); };
    const bool stands = completion[index] == kInfinity;
    if (!stands && job.outlook->progress()[index] < least_progress) {
      decline(Reason::TooYoung);
    } else if (job.pending.contains(index)) {
      decline(Reason::AlreadySpeculating);
    } else if (std::optional<Piece> piece = last_piece(job, index)) {
      slow.push_back({&job, index, completion[index] - now, std::move(*piece)});
    } else {
      decline(Reason::AlreadySpeculating);
    }
  }
  if (has_compressed_input(*job.job)) decline_unknown_ends(job, plan);
  return slow;
}

Speculate duplicate(const SlowTask& slow, std::uint32_t copies) {
  Speculate decision;
  decision.task = slow.piece.task;
  decision.segment = slow.piece.range.begin;
  decision.copies = {copies};
  decision.reason = Reason::Slow;
  decision.completion = slow.piece.completion();
  return decision;
}

Unscheduled::Unscheduled(const View& view, const std::map<JobId, std::uint32_t>& granted) {
  std::uint64_t theirs = 0;
  for (const JobView& job : view.jobs) {
    if (job.job->attempts_launched > 0) continue;
    jobs_.push_back(&job);
    const auto found = granted.find(job.id);
    const std::uint64_t clones = found == granted.end() ? 0 : found->second;
    tasks_ += job.job->tasks.size();
    theirs += job.job->tasks.size() * (1 + clones);
  }
  const std::uint64_t others = view.waiting - std::min<std::uint64_t>(view.waiting, theirs);
  machines_ = view.free_slots() - std::min<std::uint64_t>(view.free_slots(), others);
}

double cluster_load(const View& view) {
  std::uint64_t unfinished = 0;
  for (const auto& [id, job] : view.cluster.jobs()) {
    if (job.state == JobState::Running) unfinished += job.tasks.size() - job.tasks_done;
  }
  return static_cast<double>(unfinished) / std::max(1.0, static_cast<double>(view.slots()));
}

}  // namespace ontime::scheduler

#include "scheduler/policy/shed_plus.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/policy/duration_words.h"

namespace ontime::scheduler {
namespace {

constexpr double kGainMin = 0.01;

// What can be said of a job once, when it is submitted.
void introduce(const JobView& job, Plan& plan) {
  if (!job.has_deadline()) {
    if (job.job->attempts_launched == 0) plan.add(Note{job.id, "no deadline: nothing to be late for, no copies"});
    return;
  }
  const std::vector<InputFile>& inputs = job.job->spec.inputs;
  if (std::all_of(inputs.begin(), inputs.end(), [](const InputFile& file) { return file.codec == Codec::Plain; })) {
    return;
  }
  for (std::uint32_t task = 0; task < job.job->tasks.size(); ++task) {
    if (split_bytes(job, task) <= 0) plan.add(Decline{{job.id, task}, Reason::NoEstimate});
  }
}

// The pieces to which the grant applies; the others are declined.
std::vector<Straggler> with_another_node(std::vector<Straggler> pieces, const OtherNodes& nodes, Plan& plan) {
  std::erase_if(pieces, [&](const Straggler& piece) {
    if (nodes.has_other_than(piece.node)) return false;
    if (!piece.is_told) plan.add(Decline{piece.task, Reason::NoOtherNode});
    return true;
  });
  return pieces;
}

}  // namespace

std::unique_ptr<Policy> ShedPlus::make(Parameters& parameters) {
  ShedPlusSettings settings;
  settings.times = check_times(parameters);
  settings.sharing = sharing(parameters);
  settings.kept_misses = parameters.choice("kept", "misses", {"misses", "redrawn"}) == "misses";
  settings.straggler_shape = parameters.choice("shape", "straggler", {"straggler", "application"}) == "straggler";
  settings.handover = parameters.handover(settings.handover);
  settings.release = parameters.flag("release", settings.release);
  settings.durations = parameters.durations();
  settings.durations.tail = parameters.tail(settings.durations.tail);
  const bool as_the_paper = settings.durations.tail == estimate::TailRule::Pareto;
  settings.gain_min = parameters.number("gain", as_the_paper ? 0 : kGainMin, 0, 100);
  return std::make_unique<ShedPlus>(std::move(settings));
}

Plan ShedPlus::plan(const View& view) {
  Plan plan;
  for (const JobView& job : view.jobs) {
    if (newest_ < job.id) introduce(job, plan);
    newest_ = std::max(newest_, job.id);
  }
  if (clock_.is_due(view)) check(view, plan);
  plan.next_check = clock_.next(view);
  return plan;
}

std::vector<WatchedJob> ShedPlus::watch(const View& view) {
  std::vector<WatchedJob> jobs;
  double theta = std::numeric_limits<double>::infinity();
  for (const JobView& job : view.jobs) {
    if (!clock_.is_watched(job, view.now)) continue;
    jobs.push_back({&job, durations_of(view, job, settings_.durations)});
    theta = std::min(theta, clock_.interval(job, jobs.back().durations.launch));
  }
  clock_.checked(view.now, theta);
  return jobs;
}

void ShedPlus::check(const View& view, Plan& plan) {
  std::vector<WatchedJob> jobs = watch(view);
  FoundStragglers found = find_stragglers(view, jobs, {settings_.sharing.as_printed, settings_.straggler_shape});
  if (found.pieces.empty() && found.slower.empty() && found.declined.empty()) return;
  plan.decisions.reserve(plan.decisions.size() + found.slower.size() + found.declined.size() + found.pieces.size() +
                         jobs.size());
  for (const AttemptId id : found.slower) plan.add(EndAttempt{id});
  for (const Decline& decline : found.declined) plan.add(decline);
  describe(jobs, found, plan);

  const OtherNodes nodes(view, found.slower);
  const CopyBudget budget = copy_budget(view, settings_.sharing, nodes.slots_freed());
  if (budget.copies > 0) found.pieces = with_another_node(std::move(found.pieces), nodes, plan);
  grant(view, jobs, found.pieces, budget, plan);
}

void ShedPlus::grant(const View& view, const std::vector<WatchedJob>& jobs, const std::vector<Straggler>& pieces,
                     const CopyBudget& budget, Plan& plan) const {
  const GrantRule rule{settings_.sharing.objective, settings_.sharing.max, settings_.sharing.as_printed,
                       settings_.kept_misses || settings_.release, settings_.gain_min};
  const std::vector<PieceGrant> grants = grant_copies(view, jobs, pieces, budget.copies, rule);
  std::int64_t left = budget.copies;
  for (const PieceGrant& grant : grants) left -= grant.copies;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Straggler& piece = pieces[i];
    if (grants[i].copies > 0) {
      speculate(piece, grants[i], plan);
    } else if (!piece.is_told && (i == 0 || pieces[i - 1].task != piece.task)) {
      const Reason spent = left > 0 ? Reason::NotWorthIt : budget.when_spent;
      plan.add(Decline{piece.task, jobs[piece.job].is_lost ? Reason::Hopeless : spent});
    }
  }
}

void ShedPlus::speculate(const Straggler& piece, const PieceGrant& grant, Plan& plan) const {
  Speculate decision;
  decision.task = piece.task;
  decision.segment = piece.segment;
  decision.resume_at = settings_.handover == Handover::Ready ? 0 : piece.resume_at;
  decision.release = settings_.release;
  decision.handover = settings_.handover;
  decision.copies.front() = grant.copies;
  decision.completion = piece.completion;
  decision.pocd_before = grant.pocd_before;
  decision.pocd_after = grant.pocd_after;
  plan.add(std::move(decision));
}

// Which durations a job's copies rest on is said when something of it is late for the first time.
void ShedPlus::describe(const std::vector<WatchedJob>& jobs, const FoundStragglers& found, Plan& plan) {
  if (!jobs.empty()) described_.erase(described_.begin(), described_.lower_bound(jobs.front().view->id));
  for (std::size_t i = 0; i < found.pieces.size(); ++i) {
    const WatchedJob& job = jobs[found.pieces[i].job];
    if (i > 0 && found.pieces[i - 1].job == found.pieces[i].job) continue;
    if (described_.insert(job.view->id).second) {
      plan.add(Note{job.view->id, duration_words(job.durations, settings_.durations, mean_split_bytes(*job.view)) +
                                      ", launch " + short_number(job.durations.launch) + " s"});
    }
  }
}

}  // namespace ontime::scheduler

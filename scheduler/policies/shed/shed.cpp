#include "scheduler/policies/shed/shed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace ontime::scheduler {
namespace {

math::Objective objective_of(const std::string& name) {
  if (name == "sum") return math::Objective::SumPocd;
  return name == "max-min" ? math::Objective::MaxMin : math::Objective::SumLog;
}

}  // namespace

Sharing sharing(Parameters& parameters) {
  Sharing sharing;
  sharing.lambda = parameters.number("lambda", sharing.lambda, 0.01, 1);
  sharing.max = parameters.count("max", sharing.max, 1, 1000);
  sharing.reserve_am = parameters.flag("reserve_am", sharing.reserve_am);
  sharing.objective = objective_of(parameters.choice("objective", "sum-log", {"sum-log", "sum", "max-min"}));
  return sharing;
}

CopyBudget copy_budget(const View& view, const Sharing& sharing, std::uint32_t ended) {
  const std::uint32_t busy = view.slots() - view.free_slots();
  const std::uint64_t wanted = std::uint64_t{busy - std::min(busy, ended)} + view.waiting;
  const std::uint64_t reserved = sharing.reserve_am ? view.jobs.size() : 0;
  const std::int64_t free = std::int64_t{view.slots()} - static_cast<std::int64_t>(wanted);
  const std::int64_t kappa = math::copies_available(sharing.lambda, view.slots(), wanted, reserved);
  return {std::max<std::int64_t>(0, kappa),
          free <= std::max<std::int64_t>(0, kappa) ? Reason::NoFreeSlot : Reason::CapReached};
}

OtherNodes::OtherNodes(const View& view, const std::vector<AttemptId>& ended) {
  while (count_ < 2) {
    const auto node = view.resources.choose({nodes_, nodes_ + count_});
    if (!node) break;
    nodes_[count_++] = *node;
  }
  for (const AttemptId id : ended) {
    const NodeId node = view.cluster.find_attempt(id)->node;
    if (!view.resources.is_usable(node) || view.resources.is_held(node)) continue;
    ++slots_freed_;
    if (count_ < 2 && (count_ == 0 || nodes_[0] != node)) nodes_[count_++] = node;
  }
}

namespace {

// A job with a deadline that is still ahead, and which of its tasks can be given copies.
struct CopyClaim {
  const JobView* view;
  math::Durations durations;
  std::uint32_t fresh = 0;           // tasks that have not been launched
  std::vector<OpenSegment> running;  // open segments of tasks whose attempts can be compared
  shed::ShedJob odds;
};

struct ShedSettings {
  explicit ShedSettings(Parameters& parameters)
      : sharing(scheduler::sharing(parameters)),
        handover(parameters.handover(Handover::Predicted)),
        release(parameters.flag("release", false)),
        durations(parameters.durations()) {}

  const Sharing sharing;
  const Handover handover;
  const bool release;
  const math::DurationHints durations;
};

class Optimisation {
 public:
  Optimisation(const View& view, const ShedSettings& settings, std::map<JobId, std::uint32_t>& r, Plan& plan)
      : view_(view), settings_(settings), r_(r), plan_(plan) {}

  void run() {
    for (const JobView& job : view_.jobs) {
      if (job.has_deadline() && job.since_submission(view_.now) < job.deadline()) claim(job);
    }
    for (const AttemptId id : slower_) plan_.add(EndAttempt{id});
    const OtherNodes nodes(view_, slower_);
    // Copies that tasks not launched yet would have got are given out again.
    std::int64_t given_before = 0;
    for (const CopyClaim& claim : claims_) {
      const auto before = r_.find(claim.view->id);
      if (before != r_.end()) given_before += std::int64_t{claim.fresh} * before->second;
    }
    View relieved = view_;
    relieved.waiting -= static_cast<std::uint32_t>(std::min<std::int64_t>(given_before, relieved.waiting));
    budget_ = copy_budget(relieved, settings_.sharing, nodes.slots_freed());
    const shed::ShedGrant granted = grant(budget_.copies);
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      give(claims_[i], granted.r[i], nodes);
      describe(claims_[i], granted.r[i], granted.ln_pocd[i]);
    }
  }

 private:
  void claim(const JobView& job) {
    CopyClaim claim{&job, durations_of(view_, job, settings_.durations), 0, {}, {}};
    if (claim.durations.t_min <= 0) claim.durations.t_min = job.deadline() / 2 / mean_split_bytes(job);
    const std::span<const Task> made = job.job->tasks.made();
    claim.fresh = job.job->tasks.size() - static_cast<std::uint32_t>(made.size());
    for (std::uint32_t task = 0; task < made.size(); ++task) {
      if (made[task].attempts.empty())
        ++claim.fresh;
      else
        look_at(claim, task);
    }
    set_odds(claim);
    claims_.push_back(std::move(claim));
  }

  void look_at(CopyClaim& claim, std::uint32_t task) {
    const std::vector<OpenSegment> segments = open_segments(*claim.view, task);
    if (segments.empty()) return;
    if (const std::optional<Reason> reason = unsettled(segments, claim.durations.launch, view_.now)) {
      const bool is_late = claim.view->outlook->completion()[task] > claim.view->deadline();
      if (is_late) plan_.add(Decline{{claim.view->id, task}, *reason});
      return;
    }
    const std::vector<AttemptId> slower = slower_racers(segments);
    slower_.insert(slower_.end(), slower.begin(), slower.end());
    claim.running.insert(claim.running.end(), segments.begin(), segments.end());
  }

  // Theorem 1 for a job that has not begun, Theorem 2 for others: N tasks that are as far as the slowest of them.
  void set_odds(CopyClaim& claim) const {
    double phi = claim.fresh > 0 ? 0 : 1;
    for (const OpenSegment& segment : claim.running) {
      phi = std::min(phi, static_cast<double>(claim.view->outlook->progress()[segment.task.index]));
    }
    claim.odds.tasks = static_cast<double>(claim.fresh + claim.running.size());
    claim.odds.t_min = claim.durations.t_min * mean_split_bytes(*claim.view);
    claim.odds.beta = claim.durations.beta;
    claim.odds.deadline = claim.view->deadline();
    claim.odds.tau = claim.view->since_submission(view_.now);
    claim.odds.phi = phi;
  }

  shed::ShedGrant grant(std::int64_t kappa) const {
    std::vector<shed::ShedJob> jobs;
    for (const CopyClaim& claim : claims_) jobs.push_back(claim.odds);
    const Sharing& sharing = settings_.sharing;
    return shed::allocate_shed(jobs, kappa, sharing.max, sharing.objective);
  }

  void give(const CopyClaim& claim, std::uint32_t r, const OtherNodes& nodes) {
    const JobId id = claim.view->id;
    const auto before = r_.find(id);
    if (claim.fresh > 0 && (before == r_.end() ? 0 : before->second) != r) plan_.add(CloneTasks{id, r});
    r_[id] = r;
    for (const OpenSegment& segment : claim.running) resume(claim, segment, r, nodes);
  }

  void resume(const CopyClaim& claim, const OpenSegment& segment, std::uint32_t r, const OtherNodes& nodes) {
    const Racer& ahead = segment.racers.front();
    const double launch = claim.durations.launch;
    const std::optional<std::uint64_t> at = handover_offset(ahead, segment, launch, *claim.view, view_.now);
    if (!at) return decline(claim, segment, Reason::RemainingShorterThanLaunch);
    if (r == 0) {
      const bool is_hopeless = shed::is_hopeless(claim.odds.phi, claim.odds.t_min, claim.odds.deadline, claim.odds.tau);
      return decline(claim, segment, is_hopeless ? Reason::Hopeless : budget_.when_spent);
    }
    if (!nodes.has_other_than(ahead.attempt->node)) return decline(claim, segment, Reason::NoOtherNode);
    if (claim.view->since_submission(view_.now) + launch +
            static_cast<double>(segment.range.end - *at) * claim.durations.t_min >=
        ahead.completion) {
      return decline(claim, segment, Reason::CopyWouldBeLater);
    }
    Speculate decision = resume_from(*at, race_for(segment.task, segment.range.begin, r, ahead.completion),
                                     settings_.handover, settings_.release);
    decision.reason = Reason::Clone;
    decision.pocd_before = -std::expm1(shed::ln_miss(claim.odds, 0));
    decision.pocd_after = -std::expm1(shed::ln_miss(claim.odds, r));
    plan_.add(std::move(decision));
  }

  void decline(const CopyClaim& claim, const OpenSegment& segment, Reason reason) {
    if (!(segment.completion() > claim.view->deadline())) return;
    const auto* last = plan_.decisions.empty() ? nullptr : std::get_if<Decline>(&plan_.decisions.back());
    if (last == nullptr || last->task != segment.task) plan_.add(Decline{segment.task, reason});
  }

  void describe(const CopyClaim& claim, std::uint32_t r, double ln_pocd) {
    const double before = shed::shed_pocd(claim.odds, 0).value;
    plan_.add(Note{claim.view->id,
                   "r = " + std::to_string(r) + ": PoCD " + short_number(before) + " -> " +
                       short_number(std::exp(ln_pocd)) + "; " +
                       duration_words(claim.durations, settings_.durations, mean_split_bytes(*claim.view)) + "; " +
                       std::to_string(budget_.copies) + " slots for copies of " + std::to_string(claims_.size()) +
                       (claims_.size() == 1 ? " job" : " jobs"),
                   r});
  }

  const View& view_;
  const ShedSettings& settings_;
  std::map<JobId, std::uint32_t>& r_;
  Plan& plan_;
  std::vector<CopyClaim> claims_;
  std::vector<AttemptId> slower_;
  CopyBudget budget_;
};

// Shed (sections IV and V, Algorithm 1): whenever a job is submitted, all jobs with a deadline get their number r_j of
// copies per task anew, so that their PoCDs (Theorem 1 for the new one, Theorem 2 for those that run) together are
// greatest. A new job's tasks start with r_j copies. Of each running task the fastest attempt is kept, the others are
// ended, and r_j copies take over at the hand-over offset (eqs. 14, 15). Between submissions nothing is decided.
//
// The grant is the optimum of the objective, and hopeless jobs get nothing; Algorithm 1 is max-min and feeds them
// first. Of a job of which nothing is known t_min is taken to be half its deadline.
class Shed final : public Policy {
 public:
  explicit Shed(Parameters& parameters) : settings_(parameters) {}

  Plan plan(const View& view) override {
    Plan plan;
    bool is_new = false;
    for (const JobView& job : view.jobs) {
      if (!(newest_ < job.id)) continue;
      newest_ = job.id;
      if (job.job->attempts_launched > 0) continue;  // it was there before the master began
      if (!job.has_deadline()) plan.add(Note{job.id, "no deadline: nothing to be late for, no copies"});
      is_new = is_new || job.has_deadline();
    }
    if (!view.jobs.empty()) r_.erase(r_.begin(), r_.lower_bound(view.jobs.front().id));
    if (is_new) Optimisation(view, settings_, r_, plan).run();
    return plan;
  }

 private:
  const ShedSettings settings_;
  JobId newest_;                      // jobs up to here have been there already
  std::map<JobId, std::uint32_t> r_;  // of the last optimisation
};

}  // namespace

std::unique_ptr<Policy> make_shed(Parameters& parameters) { return std::make_unique<Shed>(parameters); }

}  // namespace ontime::scheduler

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler {
namespace {

struct GrantRule {
  math::Objective objective = math::Objective::SumLog;
  std::uint32_t max = 5;    // copies per segment
  bool kept_misses = true;  // the attempt that is ahead is certain to be late; otherwise it is drawn anew like a copy
  double gain_min = 0;      // of a segment's second copy and further ones, in ln PoCD: others are not granted
};

struct SegmentGrant {
  std::uint32_t copies = 0;
  double pocd_before = 0;  // of the segment
  double pocd_after = 0;
};

// A job that has late segments, and where they are.
struct LateClaim {
  const WatchedJob* job;
  std::size_t first;
  std::size_t count;
};

std::vector<LateClaim> claims_of(std::span<const WatchedJob> jobs, std::span<const Straggler> stragglers) {
  std::vector<LateClaim> claims;
  for (std::size_t i = 0; i < stragglers.size(); ++i) {
    if (i == 0 || stragglers[i].job != stragglers[i - 1].job) claims.push_back({&jobs[stragglers[i].job], i, 0});
    ++claims.back().count;
  }
  return claims;
}

// Eq. 8 for the tasks that are in time by their own pace, or wait: ln of the product of their R_i with r = 0.
double ln_rest(const WatchedJob& job, double now) {
  const JobView& view = *job.view;
  const double deadline = view.deadline();
  const double bytes = mean_split_bytes(view);
  const double t_min = job.durations.t_min * bytes;
  double ln = 0;
  for (std::size_t task = 0; task < view.outlook->completion().size(); ++task) {
    const double completion = view.outlook->completion()[task];
    const double phi = static_cast<double>(view.outlook->progress()[task]);
    if (completion > deadline || phi >= 1) continue;
    const double beta =
        std::isnan(completion) ? job.durations.beta : shed::straggler_shape(completion - now, phi, t_min);
    const bool has_tail = std::isnan(completion) && job.durations.tail.has_value() && deadline > now;
    const double ln_miss = has_tail ? job.durations.ln_survival((deadline - now) / (bytes * (1 - phi)))
                                    : shed::ln_attempt_miss(beta, phi, t_min, deadline, now);
    ln += math::TaskOdds{ln_miss, ln_miss}.ln_pocd(0);
  }
  return ln;
}

class Granting {
 public:
  Granting(const View& view, std::span<const WatchedJob> jobs, std::span<const Straggler> stragglers,
           const GrantRule& rule)
      : view_(view), stragglers_(stragglers), rule_(rule), claims_(claims_of(jobs, stragglers)) {}

  std::vector<SegmentGrant> run(std::int64_t kappa) {
    for (const LateClaim& claim : claims_) odds_.push_back(odds_of(claim));
    grant_ = shed::allocate_shed_plus(odds_, kappa, rule_.max, rule_.objective);
    give_leftovers(kappa - static_cast<std::int64_t>(grant_.total.copies));
    return by_piece();
  }

 private:
  // The sum of ln R is raised by the same copies whatever the rest of the job is like, so it is not computed then.
  shed::JobOdds odds_of(const LateClaim& claim) const {
    shed::JobOdds odds;
    if (rule_.objective != math::Objective::SumLog) {
      odds.ln_rest = ln_rest(*claim.job, claim.job->view->since_submission(view_.now));
    }
    if (claim.job->is_lost) odds.ln_rest = -math::kInfinity;
    odds.stragglers.reserve(claim.count);
    for (const Straggler& late : stragglers_.subspan(claim.first, claim.count)) {
      odds.stragglers.push_back({rule_.kept_misses ? 0 : late.ln_copy, late.ln_copy});
    }
    return odds;
  }

  void give_leftovers(std::int64_t left) {
    if (!rule_.kept_misses || left <= 0) return;
    std::vector<shed::JobOdds> odds;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      if (grant_.ln_pocd[i] > -math::kInfinity || odds_[i].is_hopeless()) continue;
      odds.push_back(odds_[i]);
      for (math::TaskOdds& task : odds.back().stragglers) task.ln_kept = task.ln_copy;
      whose.push_back(i);
    }
    if (odds.empty()) return;
    const shed::ShedPlusGrant second = shed::allocate_shed_plus(odds, left, rule_.max, rule_.objective);
    for (std::size_t i = 0; i < whose.size(); ++i) grant_.copies[whose[i]] = second.copies[i];
  }

  // Gains shrink from copy to copy, so what is given up here would have been granted after everything that is kept.
  std::uint32_t worthwhile(std::uint32_t copies, const math::TaskOdds& odds) const {
    while (copies > 1 && odds.ln_pocd(copies) - odds.ln_pocd(copies - 1) < rule_.gain_min) --copies;
    return copies;
  }

  std::vector<SegmentGrant> by_piece() const {
    std::vector<SegmentGrant> grants(stragglers_.size());
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      for (std::size_t k = 0; k < claims_[i].count; ++k) {
        SegmentGrant& grant = grants[claims_[i].first + k];
        const math::TaskOdds& odds = odds_[i].stragglers[k];
        grant.copies = worthwhile(grant_.copies[i][k], odds);
        if (grant.copies == 0) continue;
        grant.pocd_before = std::exp(odds.ln_pocd(0));
        grant.pocd_after = std::exp(odds.ln_pocd(grant.copies));
      }
    }
    return grants;
  }

  const View& view_;
  std::span<const Straggler> stragglers_;
  const GrantRule& rule_;
  std::vector<LateClaim> claims_;
  std::vector<shed::JobOdds> odds_;  // by claim
  shed::ShedPlusGrant grant_;
};

// By segment. At most `kappa` copies in all.
//
// Where kept attempts are certain to be late, a job without a copy for each of its late segments has R = 0, so the
// optimum gives nothing to a job that needs more than there is. What the optimum leaves over goes to such jobs all the
// same, as if their kept attempts were drawn anew: slots that are set free later may complete what was begun.
std::vector<SegmentGrant> grant_copies(const View& view, std::span<const WatchedJob> jobs,
                                       std::span<const Straggler> stragglers, std::int64_t kappa,
                                       const GrantRule& rule) {
  if (stragglers.empty() || kappa <= 0) return std::vector<SegmentGrant>(stragglers.size());
  return Granting(view, jobs, stragglers, rule).run(kappa);
}

constexpr double kGainMin = 0.01;

// What can be said of a job once, when it is submitted.
void introduce(const JobView& job, Plan& plan) {
  if (!job.has_deadline()) {
    if (job.job->attempts_launched == 0) plan.add(Note{job.id, "no deadline: nothing to be late for, no copies"});
    return;
  }
  if (!has_unknown_ends(job.job->spec)) return;
  for (std::uint32_t task = 0; task < job.job->tasks.size(); ++task) {
    if (split_bytes(job, task) <= 0) plan.add(Decline{{job.id, task}, Reason::NoEstimate});
  }
}

// The segments to which the grant applies; the others are declined.
std::vector<Straggler> with_another_node(std::vector<Straggler> stragglers, const OtherNodes& nodes, Plan& plan) {
  std::erase_if(stragglers, [&](const Straggler& late) {
    if (nodes.has_other_than(late.node)) return false;
    if (!late.is_told) plan.add(Decline{late.task, Reason::NoOtherNode});
    return true;
  });
  return stragglers;
}

// Remembers when it looked last; a fresh one looks at once at all jobs that are past xi.
class CheckClock {
 public:
  explicit CheckClock(Parameters& parameters)
      : times_{parameters.optional_duration("theta"), parameters.number("theta_prime", CheckTimes{}.theta_prime, 0, 1),
               parameters.number("xi", CheckTimes{}.xi, 0, 1)} {}

  // It has a deadline that is still ahead, and is past xi.
  bool is_watched(const JobView& job, TimePoint now) const {
    return job.has_deadline() && now >= first_look(job) && now < job.job->submitted_at + job.job->spec.deadline;
  }

  bool is_due(const View& view) const {
    return std::any_of(view.jobs.begin(), view.jobs.end(), [&](const JobView& job) {
      return is_watched(job, view.now) && (!last_ || view.now >= next_ || first_look(job) > *last_);
    });
  }

  // Everything that is watched was looked at now. `theta`: the smallest of their check_interval()s.
  void checked(TimePoint now, double theta) {
    last_ = now;
    next_ = now + from_seconds(theta);
  }

  // theta of one job, seconds. `launch`: mean launch time in seconds.
  double interval(const JobView& job, double launch) const {
    return times_.theta.value_or(shed::check_interval(job.deadline(), launch, times_.theta_prime));
  }

  // Nothing if no job ever needs a look.
  std::optional<TimePoint> next(const View& view) const {
    std::optional<TimePoint> next;
    const auto add = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
    for (const JobView& job : view.jobs) {
      if (is_watched(job, view.now)) {
        add(last_ ? next_ : view.now);
      } else if (job.has_deadline() && first_look(job) > view.now) {
        add(first_look(job));
      }
    }
    return next;
  }

 private:
  TimePoint first_look(const JobView& job) const {
    return job.job->submitted_at + from_seconds(times_.xi * job.deadline());
  }

  const CheckTimes times_;
  std::optional<TimePoint> last_;
  TimePoint next_;  // theta after last_
};

struct ShedPlusSettings {
  explicit ShedPlusSettings(Parameters& parameters)
      : sharing(scheduler::sharing(parameters)),
        kept_misses(parameters.choice("kept", "misses", {"misses", "redrawn"}) == "misses"),
        straggler_shape(parameters.choice("shape", "straggler", {"straggler", "application"}) == "straggler"),
        handover(parameters.handover(Handover::Predicted)),
        release(parameters.flag("release", false)),
        durations(parameters.durations()) {
    durations.tail = parameters.tail(durations.tail);
    const bool as_the_paper = durations.tail == math::TailRule::Pareto;
    gain_min = parameters.number("gain", as_the_paper ? 0 : kGainMin, 0, 100);
  }

  Sharing sharing;
  bool kept_misses;      // whether a kept attempt goes on at its pace, and so is late, or is drawn anew
  bool straggler_shape;  // a copy's tail is by eq. 14, or fitted
  Handover handover;
  bool release;
  math::DurationHints durations;
  double gain_min = 0;
};

// Shed+ (Shed+ sections IV and V, Algorithm 1): at every check the fastest attempt of each straggling task is kept, the
// others are ended, and the free slots are granted as copies of single stragglers so that the PoCDs of all jobs
// together are greatest. The copies take over at the hand-over offset (eqs. 15, 16); the attempt that is kept races
// them.
// With another tail than Pareto a copy's odds are the application's, and one that is in time with less than 0.05 is
// hopeless, as there is no shortest time.
class ShedPlus final : public Policy {
 public:
  explicit ShedPlus(Parameters& parameters) : clock_(parameters), settings_(parameters) {}

  Plan plan(const View& view) override {
    Plan plan;
    for (const JobView& job : view.jobs) {
      if (newest_ < job.id) introduce(job, plan);
      newest_ = std::max(newest_, job.id);
    }
    if (clock_.is_due(view)) check(view, plan);
    plan.next_check = clock_.next(view);
    return plan;
  }

 private:
  std::vector<WatchedJob> watch(const View& view) {
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

  void check(const View& view, Plan& plan) {
    std::vector<WatchedJob> jobs = watch(view);
    FoundStragglers found = find_stragglers(view, jobs, settings_.straggler_shape);
    if (found.stragglers.empty() && found.slower.empty() && found.declined.empty()) return;
    plan.decisions.reserve(plan.decisions.size() + found.slower.size() + found.declined.size() +
                           found.stragglers.size() + jobs.size());
    for (const AttemptId id : found.slower) plan.add(EndAttempt{id});
    for (const Decline& decline : found.declined) plan.add(decline);
    describe(jobs, found, plan);

    const OtherNodes nodes(view, found.slower);
    const CopyBudget budget = copy_budget(view, settings_.sharing, nodes.slots_freed());
    if (budget.copies > 0) found.stragglers = with_another_node(std::move(found.stragglers), nodes, plan);
    grant(view, jobs, found.stragglers, budget, plan);
  }

  void grant(const View& view, const std::vector<WatchedJob>& jobs, const std::vector<Straggler>& stragglers,
             const CopyBudget& budget, Plan& plan) const {
    const GrantRule rule{settings_.sharing.objective, settings_.sharing.max, settings_.kept_misses || settings_.release,
                         settings_.gain_min};
    const std::vector<SegmentGrant> grants = grant_copies(view, jobs, stragglers, budget.copies, rule);
    std::int64_t left = budget.copies;
    for (const SegmentGrant& grant : grants) left -= grant.copies;
    for (std::size_t i = 0; i < stragglers.size(); ++i) {
      const Straggler& late = stragglers[i];
      if (grants[i].copies > 0) {
        speculate(late, grants[i], plan);
      } else if (!late.is_told && (i == 0 || stragglers[i - 1].task != late.task)) {
        const Reason spent = left > 0 ? Reason::NotWorthIt : budget.when_spent;
        plan.add(Decline{late.task, jobs[late.job].is_lost ? Reason::Hopeless : spent});
      }
    }
  }

  void speculate(const Straggler& late, const SegmentGrant& grant, Plan& plan) const {
    Speculate race = race_for(late.task, late.segment, grant.copies, late.completion);
    Speculate decision = resume_from(late.resume_at, std::move(race), settings_.handover, settings_.release);
    decision.pocd_before = grant.pocd_before;
    decision.pocd_after = grant.pocd_after;
    plan.add(std::move(decision));
  }

  // Which durations a job's copies rest on is said when something of it is late for the first time.
  void describe(const std::vector<WatchedJob>& jobs, const FoundStragglers& found, Plan& plan) {
    if (!jobs.empty()) described_.erase(described_.begin(), described_.lower_bound(jobs.front().view->id));
    for (std::size_t i = 0; i < found.stragglers.size(); ++i) {
      const WatchedJob& job = jobs[found.stragglers[i].job];
      if (i > 0 && found.stragglers[i - 1].job == found.stragglers[i].job) continue;
      if (described_.insert(job.view->id).second) {
        plan.add(Note{job.view->id, duration_words(job.durations, settings_.durations, mean_split_bytes(*job.view)) +
                                        ", launch " + short_number(job.durations.launch) + " s"});
      }
    }
  }

  CheckClock clock_;
  const ShedPlusSettings settings_;
  JobId newest_;               // jobs up to here have been introduced
  std::set<JobId> described_;  // whose durations were noted
};

}  // namespace

std::unique_ptr<Policy> make_shed_plus(Parameters& parameters) { return std::make_unique<ShedPlus>(parameters); }

}  // namespace ontime::scheduler

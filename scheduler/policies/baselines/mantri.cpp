#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {

FreshAttempt::FreshAttempt(const math::Durations& durations, double delta)
    : launch_(durations.launch), mean_per_byte_(math::kInfinity), quantile_per_byte_(math::kInfinity) {
  if (durations.t_min <= 0) return;
  const math::Pareto per_byte(durations.t_min, durations.beta);
  mean_per_byte_ = per_byte.mean();
  quantile_per_byte_ = per_byte.quantile(delta);
}

double duplicate_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes, std::uint32_t attempts,
                       double mean_task) {
  if (attempts > settings.max_copies) return math::kInfinity;
  const double c = attempts;
  switch (settings.form) {
    case MantriForm::P1:
      return mean_task + settings.margin;
    case MantriForm::P3:
      return attempts == 1 ? 2 * fresh.quantile(bytes) : math::kInfinity;
    case MantriForm::Full:
      break;
  }
  const double by_probability = (c + 1) / c * fresh.quantile(bytes);
  if (attempts > 1) return by_probability;
  return std::min(by_probability, fresh.mean(bytes) + settings.rho * settings.report);
}

double age_limit(double beta, double launch, double delta) {
  constexpr int kPoints = 256;
  const auto probability = [&](double age) {
    double sum = 0;
    for (int i = 0; i < kPoints; ++i) {
      const double fresh = launch + std::pow((i + 0.5) / kPoints, -1 / beta);
      sum += std::pow(age / (age + 2 * fresh), beta);
    }
    return sum / kPoints;
  };
  double low = 1;  // before t_min nothing is known of it
  double high = 1e6;
  if (probability(low) > delta) return low;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (probability(middle) > delta ? high : low) = middle;
  }
  return high;
}

double restart_above(const MantriSettings& settings, const FreshAttempt& fresh, double bytes) {
  return fresh.mean(bytes) + settings.report;
}

namespace {

// Attempts that a task may have, ended ones included. Where the bytes themselves are slow every attempt looks slow, and
// would be ended and begun again without end.
constexpr std::size_t kAttemptsMost = 20;

double mean_task(const JobView& job, const FreshAttempt& fresh) {
  const std::span<const double> durations = job.outlook->task_durations();
  if (!durations.empty()) {
    return std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
  }
  return fresh.mean(mean_split_bytes(job));
}

bool has_unknown_pace(const JobView& job, std::uint32_t task) {
  const std::optional<OpenSegment> segment = last_segment(job, task);
  return segment && std::any_of(segment->racers.begin(), segment->racers.end(),
                                [](const Racer& racer) { return !racer.pace.known; });
}

MantriSettings settings_of(Parameters& parameters) {
  MantriSettings settings;
  const std::string form = parameters.choice("form", "full", {"full", "p1", "p3"});
  settings.form = form == "p1" ? MantriForm::P1 : form == "p3" ? MantriForm::P3 : MantriForm::Full;
  settings.delta = parameters.number("delta", settings.delta, 0, 0.999);
  settings.gamma = parameters.count("gamma", settings.gamma, 0, 1000);
  settings.keep = parameters.count("alpha", settings.form == MantriForm::P1 ? 1 : settings.keep, 1, 100);
  settings.rho = parameters.number("rho", settings.rho, 0, 1e6);
  settings.report = parameters.duration("report", settings.report);
  settings.margin = parameters.duration("margin", settings.margin);
  settings.only_elapsed = parameters.choice("knows", "remaining", {"remaining", "elapsed"}) == "elapsed";
  if (settings.only_elapsed && settings.form != MantriForm::P3) {
    throw std::invalid_argument("--policy-set: knows=elapsed goes with form=p3 only.");
  }
  settings.is_ahead = parameters.flag("ahead", settings.is_ahead);
  settings.max_copies =
      parameters.count("max_copies", settings.form == MantriForm::P3 ? 1 : settings.max_copies, 0, 100);
  return settings;
}

// Mantri (Ananthanarayanan and others, OSDI 2010): copies where they are expected to save resources. Every
// `check` seconds:
//
// form=full
//   - of a task that several attempts race for, each of them running for `report` or longer, the alpha that will be
//     done first are kept, the others ended;
//   - while tasks wait for slots: a task with one attempt is ended and starts again if its remaining time exceeds
//     E(t_new) + report, at most gamma times per task (attempts of it that have ended count);
//   - while slots are free: another attempt for a task with c of them if P(t_rem > t_new (c + 1) / c) > delta, one with
//     a single attempt also if it is expected to gain rho reports, E(t_rem - t_new) > rho report (the paper's listing
//     prints the difference the other way round). A task gets one at a time: the next when all it has are running.
// form=p3 (Xu & Lau, section II): a task with one attempt gets a copy if P(t_rem > 2 t_new) > delta, nothing else.
// form=p1 (Chronos, section I): while slots are free and nothing waits, a task whose remaining time exceeds the mean
//   task time by `margin` gets attempts until it has max_copies besides its first ("until larger than 3"; the full form
//   has that as a safety); of those, when all have run for `report`, the one that has got farthest is kept.
// No task gets more than kAttemptsMost attempts in all. Tasks are taken longest remaining time first. With `ahead`
// copies come before what waits, as in ese (Xu & Lau's description does not say which; theirs counts idle machines).
class Mantri final : public Policy {
 public:
  explicit Mantri(Parameters& parameters)
      : settings_(settings_of(parameters)),
        clock_(parameters.period("check", 1)),
        hints_(parameters.durations()),
        order_(parameters.order()) {}

  JobOrder order() const override { return order_; }
  bool plans_at_submission() const override { return false; }

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    std::uint32_t slots = this->slots(view);
    for (const JobView& job : view.jobs) {
      declines.add_compressed(job);
      Round round{view,
                  job,
                  plan,
                  declines,
                  slots,
                  FreshAttempt(durations_of(view, job, hints_), settings_.delta),
                  job.since_submission(view.now)};
      if (settings_.only_elapsed) {
        round.age_limit = known_age_limit(durations_of(view, job, hints_), mean_split_bytes(job));
      }
      look_at(round);
    }
    return plan;
  }

 private:
  struct Candidate {
    std::uint32_t task;
    double remaining;  // seconds; its age if that is all that is known
    double bytes;      // of its split
  };
  // What one plan has at hand for one job.
  struct Round {
    const View& view;
    const JobView& job;
    Plan& plan;
    Declines& declines;
    std::uint32_t& slots;
    FreshAttempt fresh;
    double now;
    double mean_task = 0;
    double age_limit = math::kInfinity;  // seconds, if only ages are known
    std::set<std::uint32_t> pruned{};    // tasks of which attempts are ended by this plan
  };

  // For copies of this plan.
  std::uint32_t slots(const View& view) const {
    const std::uint32_t idle = view.spare_slots();
    if (!settings_.is_ahead) return idle;
    return std::max(idle, slots_ahead(view, clock_.period(), [&](const JobView& job) {
                      return FreshAttempt(durations_of(view, job, hints_), settings_.delta).mean(mean_split_bytes(job));
                    }));
  }

  void look_at(Round& round) const {
    round.mean_task = mean_task(round.job, round.fresh);
    if (settings_.form != MantriForm::P3) prune(round);
    for (const Candidate& candidate : settings_.only_elapsed ? old_tasks(round) : candidates(round)) {
      if (round.declines.full() && round.slots == 0 && round.view.waiting == 0) break;
      if (round.pruned.contains(candidate.task)) continue;
      if (round.view.waiting > 0 && settings_.form == MantriForm::Full)
        restart(round, candidate);
      else
        duplicate(round, candidate);
    }
  }

  void prune(Round& round) const {
    const std::span<const std::uint8_t> attempts = round.job.outlook->live_attempts();
    for (std::uint32_t task = 0; task < attempts.size(); ++task) {
      if (attempts[task] > settings_.keep && prune(round, task)) round.pruned.insert(task);
    }
  }

  // Ends the slower attempts of a task whose attempts have all had the time to show how fast they are.
  bool prune(Round& round, std::uint32_t task) const {
    std::optional<OpenSegment> segment = last_segment(round.job, task);
    if (!segment || segment->in_change || segment->racers.size() <= settings_.keep) return false;
    const bool all_shown = std::all_of(segment->racers.begin(), segment->racers.end(), [&](const Racer& racer) {
      return racer.pace.known && age(*racer.attempt, round.view.now) >= settings_.report;
    });
    if (!all_shown) return false;
    if (settings_.form == MantriForm::P1) {
      std::stable_sort(segment->racers.begin(), segment->racers.end(),
                       [](const Racer& a, const Racer& b) { return a.pace.offset > b.pace.offset; });
    }
    for (std::size_t slower = settings_.keep; slower < segment->racers.size(); ++slower) {
      round.plan.add(EndAttempt{segment->racers[slower].id, Reason::SlowerCopy});
    }
    return true;
  }

  // Tasks whose remaining time is too long, the longest first. One pass.
  std::vector<Candidate> candidates(const Round& round) const {
    std::vector<Candidate> candidates;
    const bool is_waiting = round.view.waiting > 0 && settings_.form == MantriForm::Full;
    const std::span<const double> completion = round.job.outlook->completion();
    const std::span<const std::uint8_t> attempts = round.job.outlook->live_attempts();
    SplitSizes sizes(round.job.job->spec);
    for (std::uint32_t task = 0; task < completion.size(); ++task) {
      const double bytes = sizes.next();
      const double remaining = completion[task] - round.now;
      if (!(remaining > 0)) continue;
      const std::uint32_t racing = std::clamp<std::uint32_t>(attempts[task], 1, std::max(1u, settings_.max_copies));
      const double limit = is_waiting ? restart_above(settings_, round.fresh, bytes)
                                      : duplicate_above(settings_, round.fresh, bytes, racing, round.mean_task);
      if (remaining > limit) candidates.push_back({task, remaining, bytes});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.remaining != b.remaining ? a.remaining > b.remaining : a.task < b.task;
    });
    return candidates;
  }

  // Tasks whose single attempt runs for too long, the oldest first.
  std::vector<Candidate> old_tasks(const Round& round) const {
    std::vector<Candidate> candidates;
    const std::span<const std::uint8_t> attempts = round.job.outlook->live_attempts();
    for (std::uint32_t task = 0; task < attempts.size(); ++task) {
      if (attempts[task] != 1) continue;
      const double ran = age(*first_live(round.job, task), round.view.now);
      if (ran > round.age_limit) candidates.push_back({task, ran, split_bytes(round.job, task)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.remaining > b.remaining; });
    return candidates;
  }

  double known_age_limit(const math::Durations& durations, double bytes) {
    const double t_min = durations.t_min * bytes;
    if (t_min <= 0) return math::kInfinity;
    const double launch = durations.launch / t_min;
    if (durations.beta != age_limit_.beta || launch != age_limit_.launch) {
      age_limit_ = {durations.beta, launch, age_limit(durations.beta, launch, settings_.delta)};
    }
    return age_limit_.limit * t_min;
  }

  // The attempt's slot becomes free, its segment waits again: ahead of the job's tasks that have not begun.
  void restart(Round& round, const Candidate& candidate) const {
    if (!(candidate.remaining > restart_above(settings_, round.fresh, candidate.bytes))) return;
    if (attempts_on(round.job, candidate.task) > 1) {
      round.declines.add(round.job, candidate.task, Reason::AlreadySpeculating);
      return;
    }
    const std::size_t ended = round.job.job->tasks[candidate.task].attempts.size() - 1;
    const std::optional<OpenSegment> segment = last_segment(round.job, candidate.task);
    if (ended >= settings_.gamma)
      round.declines.add(round.job, candidate.task, Reason::CapReached);
    else if (!segment || segment->in_change)
      round.declines.add(round.job, candidate.task, Reason::CutPending);
    else
      round.plan.add(EndAttempt{segment->racers.front().id, Reason::Replaced});
  }

  void duplicate(Round& round, const Candidate& candidate) const {
    const std::uint32_t attempts = attempts_on(round.job, candidate.task);
    double limit = duplicate_above(settings_, round.fresh, candidate.bytes, attempts, round.mean_task);
    if (settings_.only_elapsed && limit != math::kInfinity) limit = round.age_limit;
    if (limit == math::kInfinity) {
      round.declines.add(round.job, candidate.task, Reason::AlreadySpeculating);
      return;
    }
    if (!(candidate.remaining > limit)) return;
    const std::uint32_t wanted = settings_.form == MantriForm::P1 ? settings_.max_copies + 1 - attempts : 1;
    const std::size_t had = round.job.job->tasks[candidate.task].attempts.size();
    const auto room = static_cast<std::uint32_t>(kAttemptsMost - std::min(kAttemptsMost, had));
    const std::uint32_t copies = std::min({wanted, round.slots, room});
    std::optional<Speculate> decision = race(round.job, candidate.task, copies, Reason::Slow);
    std::optional<Reason> objection;
    if (!decision)
      objection = Reason::CutPending;
    else if (settings_.form == MantriForm::Full && attempts > 1 && has_unknown_pace(round.job, candidate.task))
      objection = Reason::TooYoung;  // what it has may be enough
    else if (copies == 0)
      objection = room == 0 ? Reason::CapReached : Reason::NoFreeSlot;
    if (objection) {
      round.declines.add(round.job, candidate.task, *objection);
      return;
    }
    round.plan.add(*std::move(decision));
    round.slots -= copies;
  }

  const MantriSettings settings_;
  PeriodicCheck clock_;
  const math::DurationHints hints_;
  const JobOrder order_;
  struct AgeLimit {
    double beta = 0;
    double launch = 0;
    double limit = 0;
  } age_limit_;  // the latest, as it takes long to find
};

}  // namespace

std::unique_ptr<Policy> make_mantri(Parameters& parameters) { return std::make_unique<Mantri>(parameters); }

}  // namespace ontime::scheduler

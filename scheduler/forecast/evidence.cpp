#include "scheduler/forecast/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/base/median.h"
#include "scheduler/math/fitted_tail.h"
#include "scheduler/math/segment_costs.h"
#include "scheduler/policies/chronos/chronos.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/split_resume/settings.h"

namespace ontime::scheduler {
namespace {

constexpr std::size_t kTasksLookedAt = 256;  // spread evenly: the first ones may all have run on the same nodes
constexpr std::size_t kAttemptsLookedAt = 256;
constexpr double kSpreadUsualWeight = 1;  // in attempts
constexpr double kKeepPrior = 0.05;       // sum of squares by which attempts differ, before anything was seen
constexpr double kStartMost = 0.1;        // of what it was watched for: more start leaves too little to tell speeds by

// Seconds of its segment until it mapped the bytes that it has reported.
double start_of(const Attempt& attempt, double fixed) {
  if (!attempt.segment.is_known()) return 0;
  const double taken = static_cast<double>(attempt.offset) - static_cast<double>(attempt.held.begin);
  return math::mapped_so_far(attempt.segment, std::max(0.0, taken), fixed).fixed;
}

// Seconds up to its last report in which it mapped bytes: a start is no work, and says nothing of its speed.
double mapped_for(const Attempt& attempt, double fixed) {
  return seconds(attempt.reported_at - attempt.started_at - attempt.beside) - start_of(attempt, fixed);
}

// How much later than its pace has shown last it ended, if it has sealed all that it held: sealing and reporting take
// time that no pace shows.
std::optional<double> lag_of(const Attempt& attempt) {
  const double watched = seconds(attempt.later.at - attempt.started_at - attempt.beside);
  const double mapped = static_cast<double>(attempt.later.offset) - static_cast<double>(attempt.start_offset);
  if (attempt.state != AttemptState::Succeeded || !(watched > 0) || !(mapped > 0)) return std::nullopt;
  const double left = static_cast<double>(attempt.offset) - static_cast<double>(attempt.later.offset);
  return seconds(attempt.ended_at - attempt.later.at) - left * watched / mapped;
}

}  // namespace

// `earlier` and `later` are the two marks that an attempt keeps of where it stood. As long as they are the same,
// nothing recent can be told from its mean speed, and a change of 0 would be counted as evidence of steadiness.
std::optional<double> change_of_speed(const Attempt& attempt, double fixed) {
  if (attempt.started_at == TimePoint{} || attempt.earlier.at == attempt.later.at) return std::nullopt;
  const double all = mapped_for(attempt, fixed);
  const double late = seconds(attempt.reported_at - attempt.earlier.at);
  const double start = start_of(attempt, fixed);
  if (std::min(start, late - seconds(attempt.segment.age) + start) > kStartMost * late) return std::nullopt;
  if (!(late > 0) || !(all > late) || attempt.offset <= attempt.earlier.offset) return std::nullopt;
  const double of_late = static_cast<double>(attempt.offset - attempt.earlier.offset) / late;
  return std::log(of_late * all / static_cast<double>(attempt.offset - attempt.start_offset));
}

// An attempt whose speed is drawn anew now and then has shown the mean of a few draws: the more its recent speed
// differs from that, and the less attempts differ by it, the more draws there were. With variance v of a draw's
// logarithm and n draws so far the mean differs between attempts by v / n, and a recent draw from the attempt's mean by
// v (1 - 1/n); so keep = differ / (changes + differ) estimates 1/n, and an attempt that lasted T has had a draw every T
// keep / (1 - keep). kKeepPrior makes steady speeds the assumption until three attempts have shown otherwise.
Steadiness steadiness_of(const Job& job, double fixed) {
  double changes = 0;  // sums of squares
  double speeds = 0;
  double sum = 0;
  double lasted = 0;
  double count = 0;
  double gaps = 0;
  double moves = 0;
  std::vector<double> lags;
  const std::size_t step = 1 + job.tasks.size() / kTasksLookedAt;
  const std::span<const Task> made = job.tasks.made();
  for (std::size_t index = 0; index < made.size(); index += step) {
    for (const Attempt& attempt : made[index].attempts) {
      if (const auto lag = lag_of(attempt)) lags.push_back(*lag);
      const auto change = change_of_speed(attempt, fixed);
      if (!change) continue;
      const double took = mapped_for(attempt, fixed);
      const double speed = std::log(static_cast<double>(attempt.offset - attempt.start_offset) / took);
      if (attempt.segment.moves > 1) {
        gaps += seconds(attempt.segment.last - attempt.segment.first);
        moves += attempt.segment.moves - 1;
      }
      changes += *change * *change;
      speeds += speed * speed;
      sum += speed;
      lasted += took;
      ++count;
    }
  }
  Steadiness steadiness;
  // The median, because one attempt that waited for a slow disk says nothing about the others.
  if (!lags.empty()) steadiness.lag = std::max(0.0, median_of(std::move(lags)));
  // The prior keeps the spread above 0: after one attempt that ended exactly as expected a forecast would be certain.
  const double usual = kSpreadUsualWeight * kSpreadUsual * kSpreadUsual;
  steadiness.spread = std::sqrt((changes + usual) / (count + kSpreadUsualWeight));
  if (moves > 0) steadiness.gap = gaps / moves;
  if (count < 3) return steadiness;
  const double differ = std::max(0.0, speeds - sum * sum / count) + kKeepPrior;
  steadiness.keep = differ / (changes + differ);
  steadiness.variance = (changes + differ - kKeepPrior) / count;
  steadiness.holds = lasted / count * steadiness.keep / std::max(1e-6, 1 - steadiness.keep);
  return steadiness;
}

double fixed_where_warm(const View& view, const JobView& job, double cold) {
  constexpr auto kWarm = math::Beginning::Warm;
  if (!job.outlook->sample().fixed(kWarm).empty()) return *job.outlook->sample().usual_fixed(kWarm);
  std::vector<double> begun;
  for (const AttemptId id : job.job->live) {
    const Attempt& attempt = *view.cluster.find_attempt(id);
    if (attempt.beginning() == kWarm && attempt.segment.moves > 0) begun.push_back(start_of(attempt, cold));
    if (begun.size() >= kAttemptsLookedAt) break;
  }
  if (!begun.empty()) return median_of(std::move(begun));
  const math::DurationSample* profile = view.cluster.find_profile(*job.job);
  return profile && !profile->fixed(kWarm).empty() ? *profile->usual_fixed(kWarm) : cold;
}

double leaves_at(const Cluster& cluster, const Job& job, NodeId node) {
  const TimePoint at = cluster.find_node(node)->leaves_at;
  return at < TimePoint::max() ? std::floor(seconds(at - job.submitted_at)) : std::numeric_limits<double>::infinity();
}

std::vector<FreeSlots> free_slots_of(const View& view, const JobView& job, const NodeEffects& nodes) {
  std::map<std::pair<std::int64_t, double>, FreeSlots> classes;
  view.resources.for_each_free([&](NodeId node, std::uint32_t count) {
    const double slowness = nodes.within() == 1 ? 0 : nodes.of(node);
    const double until = leaves_at(view.cluster, *job.job, node);
    FreeSlots& free = classes[{std::llround(slowness * kNodesPerFactorE), until}];
    free.until = until;
    free.count += count;
    free.slowness += (slowness - free.slowness) * count / free.count;
  });
  std::vector<FreeSlots> all;
  double warm = view.resources.warm_slots(job.id);  // whichever of them these are
  for (auto& [rounded, free] : classes) {
    const double here = std::min(warm, free.count);
    if (here > 0) all.push_back({here, free.slowness, free.until, true});
    if (here < free.count) all.push_back({free.count - here, free.slowness, free.until, false});
    warm -= here;
  }
  return all;
}

namespace {

// What is usual counts as so many attempts that were seen. Scenarios differ in their tails besides, by how few those
// were (forecast/scenario.cpp), so it counts for less than policies, which know one tail only, make of it.
constexpr double kTailPrior = 1;

// What the job's policy does, as far as it has said so already. `auto` names its choice in a note, and the Chronos
// policies their r: a forecast must not run a policy to find out, since planning changes what it remembers.
Rescue rescue_of(const Job& job) {
  std::string name = job.spec.policy;
  if (name == "auto") {
    const std::string chosen = policy_chosen_for(job);
    if (!chosen.empty()) name = chosen;
  }
  const PolicyDescription* policy = find_policy(name);
  if (policy == nullptr) return {};
  Rescue rescue = policy->rescue;
  std::optional<std::uint32_t> attempts;
  if (name == "s-restart") attempts = chosen_attempts(job, chronos::Strategy::Restart);
  if (name == "s-resume") attempts = chosen_attempts(job, chronos::Strategy::Resume);
  if (attempts) rescue.attempts = *attempts;
  return rescue;
}

// Attempts besides the first with which its tasks start. The last decision counts: a policy may change its mind.
double clones_of(const Job& job) {
  double clones = 0;
  for (const DecisionAt& decided : job.decisions) {
    if (decided.decision.what == DecisionNote::What::Clone) clones = decided.decision.copies;
  }
  return clones;
}

}  // namespace

Rescue rescue_of(const JobView& job, double now) {
  if (const double clones = clones_of(*job.job); clones > 0) {
    return {Rescue::Kind::Restart, clones, false, Rescue::Trigger::Always};
  }
  Rescue rescue = rescue_of(*job.job);
  const bool is_in_time = job.has_deadline() && now < job.deadline();
  if (is_in_time || rescue.trigger != Rescue::Trigger::Late) return rescue;
  // split-resume goes on without a deadline: it divides what is slow.
  if (rescue.kind != Rescue::Kind::Divide) return {};
  rescue.trigger = Rescue::Trigger::Slow;
  return rescue;
}

RescueRules rescue_rules_of(const JobSpec& spec) {
  try {
    Parameters parameters(spec.policy, spec.policy_parameters);
    return SplitResumeSettings(parameters).rescue;
  } catch (const std::invalid_argument&) {
    return {};
  }
}

// A job whose policy this master does not have goes on under `none`. That its parameters cannot be read is no reason to
// make no forecast.
math::DurationHints hints_of(const JobSpec& spec) {
  math::DurationHints hints;
  try {
    hints = Parameters(spec.policy, spec.policy_parameters).durations();
  } catch (const std::invalid_argument&) {
    hints = {};
  }
  hints.tail = math::TailRule::Auto;
  return hints;
}

namespace {

// A running attempt with a pace: seconds per byte that it has taken, and the bytes that it has left and has in all.
struct Paced {
  double each = 0;
  double left = 0;
  double whole = 0;
};

// Seconds per byte that it will have taken in all. Where speeds are drawn anew what it has left is mapped at the usual
// speed from the next draw on (Forecaster::paced says the same of its end): counted as they stand now, those that were
// slow at first would make attempts look slower, and much less alike, than they turn out to be.
double each_in_all(const Paced& attempt, double usual_rate, const Steadiness& steady) {
  if (!(steady.holds < std::numeric_limits<double>::infinity()) || !(attempt.left > 0)) return attempt.each;
  const double in_turns = attempt.left * attempt.each / steady.holds;
  const double stays = -std::expm1(-in_turns) / in_turns;
  const double redrawn = -std::log(std::lerp(usual_rate, 1 / attempt.each, stays));
  const double rest = std::exp(std::lerp(redrawn, std::log(attempt.each), steady.keep * steady.keep));
  return std::lerp(attempt.each, rest, std::min(1.0, attempt.left / attempt.whole));
}

}  // namespace

math::Durations durations_shown(const View& view, const JobView& job, const math::DurationHints& hints) {
  math::DurationSample own = job.outlook->sample();
  const double fixed = job.outlook->fixed(view.cluster, *job.job, math::Beginning::Cold);
  std::vector<Paced> paced;
  double rates = 0;
  std::size_t looked_at = 0;
  for (const AttemptId id : job.job->live) {
    const Attempt& attempt = *view.cluster.find_attempt(id);
    if (attempt.state != AttemptState::Running || attempt.standby) continue;
    if (++looked_at > kAttemptsLookedAt) break;
    const Pace pace = job.outlook->pace(id, attempt);
    // A running attempt with a pace counts as finished at the pace it will have. One without is known to take at least
    // as long as it has run.
    if (pace.known && pace.rate > 0) {
      const bool has_end = attempt.launch_end != kUnknownEnd;
      const std::uint64_t end = std::min(attempt.held.end, attempt.launch_end);
      const double left = has_end ? static_cast<double>(end) - pace.offset : 0;
      const double mapped = pace.offset - static_cast<double>(attempt.start_offset);
      paced.push_back({1 / pace.rate, left, left + std::max(0.0, mapped)});
      rates += pace.rate;
    } else if (const double ran = mapped_for(attempt, fixed); ran > 0 && attempt.launch_end != kUnknownEnd) {
      own.add_censored(ran / static_cast<double>(attempt.launch_end - attempt.start_offset));
    }
  }
  const Steadiness steady = steadiness_of(*job.job, fixed);
  for (const Paced& attempt : paced)
    own.add_finished(each_in_all(attempt, rates / static_cast<double>(paced.size()), steady));
  math::DurationSample all;
  if (const math::DurationSample* profile = view.cluster.find_profile(*job.job)) all = *profile;
  all.follow(own);
  math::Durations durations = durations_of(view, job, hints);
  // Launches are kept as the policy sees them; only the tail is fitted anew.
  const double launch = durations.launch;
  if (durations.source == math::DurationSource::Flags) return durations;
  math::DurationHints any_source = hints;
  any_source.only.reset();
  durations = math::choose_durations(nullptr, all, {}, any_source, mean_split_bytes(job));
  durations.tail = math::choose_tail(all.finished(), all.censored(), math::TailRule::Auto, kTailPrior);
  durations.launch = launch;
  return durations;
}

namespace {

constexpr double kTimeClassesPerFactorE = 8;  // of the time an attempt has left
constexpr double kLeastTimeLeft = 0.01;       // seconds
constexpr std::size_t kLookedAt = 64;         // durations of a job

// The usual duration of the latest attempts that have ended, or else of those that run. A rough value will do for other
// jobs: what matters is when a slot becomes free, and errors of many slots average out.
double usual_duration(const Scheduler& scheduler, const JobView& job, double usual) {
  const math::DurationSample* profile = scheduler.cluster().find_profile(*job.job);
  const double bytes = mean_split_bytes(job);
  for (const math::DurationSample* sample : {&job.outlook->sample(), profile}) {
    if (sample == nullptr || sample->finished().size() < math::kEnoughSamples) continue;
    const auto seen = sample->finished().last(std::min(kLookedAt, sample->finished().size()));
    return bytes * median_of({seen.begin(), seen.end()});
  }
  std::vector<double> running = job.outlook->early_durations();
  return running.empty() ? usual : bytes * median_of(std::move(running));
}

// Other jobs as this one sees them: slots that become free, and work that is served before or after its own. Their
// policies are not foreseen: that would take a forecast of each of those jobs.
class Rivals {
 public:
  Rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to)
      : scheduler_(scheduler),
        job_(job),
        submitted_at_(scheduler.cluster().find_job(job)->submitted_at),
        now_(seconds(now - submitted_at_)),
        usual_(usual),
        to_(to) {}

  void add() {
    for (const auto& [id, job] : scheduler_.cluster().jobs()) {
      if (id == job_ || job.live.empty()) continue;
      if (const Outlook* outlook = scheduler_.outlook(id)) add_slots({id, &job, outlook, {}});
    }
    for (const auto& [at, slots] : slots_) to_.others.push_back(slots);
    bool is_ahead = true;
    for (const Claim& claim : scheduler_.claims()) {
      if (claim.job == job_) {
        is_ahead = false;
        continue;
      }
      const JobView job{claim.job, scheduler_.cluster().find_job(claim.job), scheduler_.outlook(claim.job), {}};
      const double duration = usual_duration(scheduler_, job, usual_);
      (is_ahead ? to_.ahead : to_.behind).push_back({duration, static_cast<double>(claim.waiting)});
    }
  }

 private:
  void add_slots(const JobView& job) {
    const double later = seconds(job.job->submitted_at - submitted_at_);
    double usual = -1;
    for (const AttemptId id : job.job->live) {
      double left = job.outlook->completion()[id.task.index] + later - now_;
      // It stands still: its slot is not counted on. Without an estimate, half of the usual time is left on average.
      if (left > 0 && std::isinf(left)) continue;
      if (!std::isfinite(left)) {
        if (usual < 0) usual = usual_duration(scheduler_, job, usual_);
        left = usual / 2;
      }
      left = std::max(kLeastTimeLeft, left);
      const double until = leaves_at(scheduler_.cluster(), *scheduler_.cluster().find_job(job_),
                                     scheduler_.cluster().find_attempt(id)->node);
      const auto time_class = static_cast<int>(std::floor(std::log(left) * kTimeClassesPerFactorE));
      SlotsOfOthers& slots = slots_[{time_class, until}];
      slots.until = until;
      const double share = 1 / (slots.count + 1);
      slots.at += share * (now_ + left - slots.at);
      ++slots.count;
    }
  }

  const Scheduler& scheduler_;
  const JobId job_;
  const TimePoint submitted_at_;
  const double now_;
  const double usual_;
  Remainder& to_;
  std::map<std::pair<int, double>, SlotsOfOthers> slots_;  // by time and when their workers leave
};

}  // namespace

void add_rivals(const Scheduler& scheduler, JobId job, TimePoint now, double usual, Remainder& to) {
  Rivals(scheduler, job, now, usual, to).add();
}

}  // namespace ontime::scheduler

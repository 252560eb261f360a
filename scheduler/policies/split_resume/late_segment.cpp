#include <algorithm>
#include <cmath>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

// The chance that nobody's estimate leaves: finite, so that what is certain to be late can be compared, also where its
// pieces have poor odds. More pieces have poorer ones together.
constexpr double kLnChanceMin = -20;
constexpr double kLnChanceMinOfPiece = -2;
constexpr double kFarOff = 6;  // standard deviations, beyond which ln P(Z > z) is about that

// ln P(what is expected to take `to_go` seconds takes at most `left`), for a lognormal error of the estimate.
// It is what the piece's PoCD would be without help, so it decides how much a grant of slots gains.
double ln_chance(double to_go, double left, double spread, std::uint32_t pieces_max) {
  const double least = std::min(kLnChanceMin, kLnChanceMinOfPiece * pieces_max);
  if (!(left > 0) || !std::isfinite(to_go)) return least;
  if (to_go <= 0) return 0;
  if (to_go >= left * std::exp(kFarOff * spread)) return least;
  return std::max(least, math::ln_normal_survival(std::log(to_go / left) / spread));
}

// Where the rest should begin (docs/research/split-resume.md, step 2): behind what the leader can do in time, but not
// so late that the rest does not pay for a launch, and not before the place that the leader reaches while fresh
// attempts are launched. The last rule wins: what the leader maps in that time would be lost if it was given away.
double place_of_cut(double position, double rate, double left, double launch, double smallest, double end,
                    double keep) {
  const double share = position + rate * std::max(0.0, left) * keep;
  return std::max(position + rate * launch, std::min(share, end - smallest));
}

// As many as are worth their launches: at most `max`, but more where twice what half of the attempts can do in time
// needs more. When time is short also smaller ones, as many as perfect attempts need and one to spare.
std::uint32_t most_pieces(double work, double window, const math::Durations& durations, const RescueRules& rules) {
  if (!(window > 0)) return 1;
  const double launch = std::max(durations.launch, 1e-3);
  const double median_work = work * durations.median() / durations.t_min;
  const double paying = median_work / rules.shortest_piece(window, durations);
  const double most = std::max<double>(rules.max, std::floor(2 * median_work / window));
  const double in_time = std::min(std::floor(work / window) + 2, work / launch);
  const double pieces = std::min<double>(std::max(std::min(paying, most), in_time), kSlotsPerGrantMax);
  return static_cast<std::uint32_t>(std::max(pieces, 1.0));
}

// What stands for a deadline supposes that all slots can help at once, but a segment is divided into so many pieces at
// a time: the next look divides these.
double due_of(const Target& target, double now, double bytes, const math::Durations& durations) {
  if (target.is_deadline) return target.due;
  return std::max(target.due, now + durations.launch + Target::kSlack * bytes * durations.median() / kSlotsPerGrantMax);
}

}  // namespace

// By the median, not by t_min: a fitted t_min is far below what attempts usually take, and pieces of that size would
// spend their slots on launches.
double RescueRules::shortest_piece(double window, const math::Durations& durations) const {
  constexpr double kShareOfWindow = 1.0 / 3;
  constexpr double kLaunchesLeast = 0.1;
  const double launch = std::max(durations.launch, 1e-3);
  return std::max(kLaunchesLeast * launch, std::min(min_piece * launch, kShareOfWindow * window));
}

// The farthest, since it leaves the shortest rest; the core cuts the same one (farthest() in core/speculation.cpp). Not
// the fastest: an attempt that began late may be faster and still have everything before it.
const Racer& leader_of(const OpenSegment& segment) {
  const Racer* leader = &segment.racers.front();
  for (const Racer& racer : segment.racers) {
    const bool is_farther = racer.attempt->offset > leader->attempt->offset;
    const bool is_as_far = racer.attempt->offset == leader->attempt->offset;
    if (is_farther || (is_as_far && racer.id < leader->id)) leader = &racer;
  }
  return *leader;
}

std::variant<LateSegment, Reason> look_at(const View& view, const JobView& job, const OpenSegment& segment,
                                          const Target& target, const math::Durations& durations,
                                          const RescueRules& rules) {
  const Racer& leader = leader_of(segment);
  if (!(durations.t_min > 0) || segment.range.is_open_ended()) return Reason::NoEstimate;
  if (is_launching(*leader.attempt, durations.launch, view.now)) return Reason::TooYoung;
  // Nothing of it could be given away but all: only a deadline makes that worth it, of one that is late to begin.
  const bool is_late_start = target.is_deadline && job.outlook->is_late_without_pace(*leader.attempt);
  if (leader.pace.is_starting() && !is_late_start) return Reason::TooYoung;
  // It may load something first, and fresh ones would too. With a deadline that ends.
  if (!target.is_deadline && leader.attempt->longest_gap == Duration::zero()) return Reason::TooYoung;
  const double now = job.since_submission(view.now);
  const auto end = static_cast<double>(segment.range.end);
  // A cut at an offset that it has passed would be answered with another one, so the pieces would not be as planned.
  const double position = position_of(leader, segment, now);
  const double due = due_of(target, now, end - position, durations);
  // Attempts at the rest begin a launch from now, so that much less is left to them (D - tau - t_lau in the formula).
  const double window = due - now - durations.launch;
  const double smallest = rules.shortest_piece(window, durations) / durations.median();
  // One that is much slower than usual would keep a slot until the deadline for very few bytes. It only bridges the
  // launch.
  const bool is_slow = leader.pace.rate * durations.median() * rules.slow < 1 && is_surely_slow(leader.pace, durations);
  const double cut =
      place_of_cut(position, leader.pace.rate, due - now, durations.launch, smallest, end, is_slow ? 0 : rules.keep);
  // An attempt that has stopped gives back nothing of what it has taken.
  const bool is_whole = cut >= end - 1 && is_slow;
  if (cut >= end - 1 && !is_whole) return Reason::RemainingShorterThanLaunch;
  if (!(window > 0)) return Reason::Hopeless;
  const double rest = is_whole ? static_cast<double>(segment.range.size()) : end - cut;
  LateSegment late;
  late.whole = is_whole;
  late.task = segment.task;
  late.range = segment.range;
  late.completion = segment.completion();
  late.cut = static_cast<std::uint64_t>(cut);
  // More attempts than race for it: the task was divided or cut before, or a copy has ended.
  late.is_part = job.job->tasks[segment.task.index].attempts.size() > segment.racers.size();
  late.remaining.work = rest * durations.t_min;
  late.remaining.window = window;
  late.remaining.beta = durations.beta;
  if (durations.tail) {
    late.remaining.tail = &*durations.tail;
    late.remaining.ln_time = std::log(window / rest);
  }
  // Giving away less than half of the smallest piece would cost a launch for next to nothing. A copy
  // races for it instead, and the leader goes on as if nothing had happened.
  late.race = is_whole || end - cut < smallest / 2;
  late.remaining.pieces_max = late.race ? 1 : most_pieces(late.remaining.work, window, durations, rules);
  // A late segment can be divided again at the next look if the window lasts for it: copies only duplicate work until
  // then.
  const double until_next = target.interval + durations.launch;
  const bool is_last_chance = target.is_deadline && window < rules.last_chance * until_next;
  late.remaining.copies_max = is_last_chance ? rules.copies : 1;
  late.remaining.ln_before = ln_chance(late.completion - now, target.at - now, rules.spread, late.remaining.pieces_max);
  if (late.race && now + durations.launch + late.remaining.work >= late.completion) return Reason::CopyWouldBeLater;
  if (late.remaining.is_hopeless()) return Reason::Hopeless;
  return late;
}

std::optional<Speculate> race_of_long_start(const JobView& job, const OpenSegment& segment,
                                            const math::Durations& durations, double now) {
  const Racer& racer = segment.racers.front();
  if (segment.in_change || segment.racers.size() > 1 || segment.range.is_open_ended()) return {};
  if (!racer.pace.is_starting() || !job.outlook->is_late_without_pace(*racer.attempt)) return {};
  const double fresh = durations.launch + static_cast<double>(segment.range.size()) * durations.median();
  if (!(now + fresh < racer.completion) || job.pending.contains(segment.task.index)) return {};
  Speculate decision = race_for(segment.task, segment.range.begin, 1, racer.completion);
  decision.reason = Reason::Slow;
  return decision;
}

double fresh_attempt(const JobView& job, const math::Durations& durations) {
  if (!(durations.t_min > 0)) return std::numeric_limits<double>::infinity();
  return durations.launch + mean_split_bytes(job) * durations.median();
}

double position_of(const Racer& racer, const OpenSegment& segment, double now) {
  return std::min(static_cast<double>(segment.range.end),
                  racer.pace.offset + racer.pace.rate * std::max(0.0, now - racer.pace.at));
}

// Each border is computed from the whole, so rounding does not add up. Two that fall together become one: a piece is
// never empty.
std::vector<std::uint64_t> borders_of(std::uint64_t from, std::uint64_t end, const std::vector<double>& shares) {
  double whole = 0;
  for (const double share : shares) whole += share;
  std::vector<std::uint64_t> borders;
  std::uint64_t last = from;
  double done = 0;
  for (std::size_t piece = 0; piece + 1 < shares.size(); ++piece) {
    done += shares[piece];
    const auto border = from + static_cast<std::uint64_t>(static_cast<double>(end - from) * (done / whole));
    if (border <= last || border >= end) continue;
    borders.push_back(border);
    last = border;
  }
  return borders;
}

// The pieces in proportion to the speeds of the nodes that are expected to get them: the next free ones. Takes those
// from the end of `speeds`; a node that is not known is as fast as others.
std::vector<double> shares_of(const Division& division, std::vector<double>& speeds) {
  std::vector<double> shares(division.pieces, 1);
  for (double& share : shares) {
    double fastest = 0;
    for (std::uint32_t copy = 0; copy < division.copies && !speeds.empty(); ++copy, speeds.pop_back()) {
      fastest = std::max(fastest, speeds.back());
    }
    if (fastest > 0) share = fastest;
  }
  return shares;
}

Speculate speculation_at(const LateSegment& late, const Division& division, const std::vector<double>& shares,
                         Handover handover) {
  Speculate decision = race_for(late.task, late.range.begin, 0, late.completion);
  // Not before late.cut, even when the fresh attempts are ready: the attempt keeps what it can do in time.
  if (late.whole) {
    decision.work = WholeSegment{division.copies};
  } else if (late.race) {
    decision.work = SharedTail{late.cut, division.copies, handover};
  } else {
    GivenTail tail{{{late.cut, division.copies}}, handover};
    for (const std::uint64_t border : borders_of(late.cut, late.range.end, shares)) {
      tail.pieces.push_back({border, division.copies});
    }
    decision.work = std::move(tail);
  }
  decision.reason = late.is_part ? Reason::PieceLate : Reason::Late;
  decision.pocd_before = std::exp(late.remaining.ln_before);
  decision.pocd_after = std::exp(division.ln_pocd);
  return decision;
}

}  // namespace ontime::scheduler

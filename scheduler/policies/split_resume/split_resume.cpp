#include "scheduler/policies/split_resume/split_resume.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "scheduler/core/waiting_jobs.h"

namespace ontime::scheduler {
namespace {

// Jobs that come after the others get copies while none of the others waits for a slot.
bool are_last_served(const View& view) {
  return std::ranges::none_of(view.jobs, [](const JobView& job) { return !job.is_behind && job.waiting > 0; });
}

// Slots that nothing waits for yet.
std::uint32_t spare(std::uint32_t free, std::uint32_t taken) { return free > taken ? free - taken : 0; }

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

std::uint32_t unlaunched(const JobView& job) {
  return static_cast<std::uint32_t>(job.job->tasks.size()) - first_unlaunched(*job.job);
}

struct SplitResumeSettings {
  explicit SplitResumeSettings(Parameters& parameters) {
    rescue.check = parameters.number("check", rescue.check, 0.001, 1);
    rescue.safety = parameters.number("safety", rescue.safety, 0, 0.9);
    rescue.keep = parameters.number("keep", rescue.keep, 0, 1);
    rescue.slow = parameters.number("slow", rescue.slow, 1, 1e9);
    rescue.min_piece = parameters.number("min_piece", rescue.min_piece, 0, 1000);
    rescue.spread = parameters.number("spread", rescue.spread, 0.001, 10);
    rescue.max = parameters.count("max", rescue.max, 1, kSlotsPerGrantMax);
    ahead = parameters.number("ahead", ahead, 0, 100);
    rescue.recent = parameters.number("recent", rescue.recent, 0, 1);
    grant.slots_max = rescue.max;
    rescue.copies = parameters.count("copies", rescue.copies, 1, kSlotsPerGrantMax);
    rescue.last_chance = parameters.number("last_chance", rescue.last_chance, 0, 1e6);
    grant.gain_min = parameters.number("gain", 0.001, 0, 100);
    start.pocd = parameters.number("start", start.pocd, 0, 1);
    start.share = parameters.number("start_share", start.share, 0.01, 1);
    by_speed = parameters.flag("by_speed", by_speed);
    start.max = parameters.count("start_max", start.max, 1, 1000);
    const std::string given = parameters.choice("order", "edf", {"edf", "fifo", "srpt"});
    if (given == "fifo") order = JobOrder::Fifo;
    if (given == "srpt") order = JobOrder::ShortestRemaining;
    handover = parameters.handover(handover);
    durations = parameters.durations();
    durations.tail = parameters.tail(math::TailRule::Auto);
    // A Pareto that is fitted to durations of another kind expects so much of fresh attempts that it replaces nearly
    // all.
    rescue.replace = parameters.flag("replace", durations.tail == math::TailRule::Auto);
  }

  RescueRules rescue;
  // Late pieces overtake tasks that wait for their first launch: slots that attempts are expected to free within so
  // many checks are promised to them. 0: only slots that are free and that nothing waits for.
  double ahead = 0.5;
  bool by_speed = true;  // pieces in proportion to the speeds of the free nodes
  GrantRules grant;
  StartRules start;
  JobOrder order = JobOrder::EarliestDeadline;
  Handover handover = Handover::Predicted;
  math::DurationHints durations;
};

// Our own policy. A copy is never faster than t_min, however many there are; a remainder that is divided is. Each late
// piece of a task is cut: the attempt that works on it keeps what it can do in time at its own pace, the rest is
// divided into s segments, each raced by c fresh attempts. (s, c) maximises the piece's PoCD,
//
//   [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s
//
// within the slots that are granted, and slots are granted where they raise the sum of ln PoCD most per slot. A piece
// that turns out to be late is divided again. Tasks are divided before their first launch where even a perfect run
// would be late, or where slots are free and the odds are poor. Slow attempts are replaced, in their own slots, where
// that saves slot time.
//
// docs/split-resume.md lists the parameters.
//
// Declined: CutPending (a cut or fresh attempts are on their way), NoEstimate (nothing known of t_min, or the end of a
// compressed input), RemainingShorterThanLaunch, CopyWouldBeLater, Hopeless (no division helps), NoFreeSlot,
// NotWorthIt. Jobs without a deadline are left alone.
class SplitResume final : public Policy {
 public:
  explicit SplitResume(Parameters& parameters) : settings_(parameters) {}

  JobOrder order() const override { return settings_.order; }

  // Asked before its time because a job has come, it divides only the new job's tasks. Late segments wait for the
  // check, so the cost of a decision does not depend on how often jobs come.
  Plan plan(const View& view) override {
    Plan plan;
    const bool is_due = !due_ || view.now >= *due_;
    auto running = view.jobs.begin();  // in order of id, as what is known is
    std::erase_if(jobs_, [&](const auto& entry) {
      while (running != view.jobs.end() && running->id < entry.first) ++running;
      return running == view.jobs.end() || running->id != entry.first;
    });
    const bool last_served = are_last_served(view);
    std::uint32_t promised = 0;
    const bool has_new = begin_jobs(view, is_due, last_served, promised, plan);
    if (!is_due) {
      if (has_new) due_ = std::min(*due_, next_check(view, false).value_or(*due_));
      plan.next_check = due_;
      return plan;
    }
    // Late pieces overtake tasks that wait for their first launch: with free slots less what waits, which a queue of
    // fresh tasks keeps at zero, no straggler would ever be helped.
    Found found;
    const std::optional<Place> next = next_place(view);
    for (const JobView& job : view.jobs) {
      if (const auto state = jobs_.find(job.id); state != jobs_.end()) {
        state->second.keeps_slots = !next || place_of(job) <= *next;
        find_late(view, job, state->second, found, plan);
      }
    }
    const std::uint32_t soon = settings_.ahead > 0 ? spare(view.free_slots() + found.ending, found.promised) : 0;
    save(view, std::max(soon, spare(view.free_slots(), view.waiting + promised)), found, plan);
    due_ = next_check(view, found.lacks_slots);
    plan.next_check = due_;
    return plan;
  }

 private:
  using Place = std::pair<Rank, JobId>;  // in the order in which jobs get slots

  Place place_of(const JobView& job) const { return {rank_of(*job.job, settings_.order, job.is_behind), job.id}; }

  // Of the job that gets the next slot, if any waits for one.
  std::optional<Place> next_place(const View& view) const {
    std::optional<Place> next;
    for (const JobView& job : view.jobs) {
      if (job.waiting > 0) next = std::min(next.value_or(place_of(job)), place_of(job));
    }
    return next;
  }

  struct Found {  // late pieces of all jobs, and the pieces that could be saved but get no slot now
    std::vector<LateSegment> late;
    bool lacks_slots = false;
    std::uint32_t ending = 0;    // attempts that are expected to be done before the next check but one
    std::uint32_t promised = 0;  // fresh attempts that wait for a slot already
  };
  struct JobState {  // of a job; nothing here is lost by beginning afresh
    math::Durations durations;
    double interval = 1;                 // seconds from one check to the next
    double due = 0;                      // late is what ends after it, seconds after submission; may be infinite
    bool keeps_slots = true;             // a slot that it gives back is its own again
    std::vector<float> progress;         // by task, at the last check: who has slowed down since
    double looked_at = 0;                // seconds after submission
    std::vector<std::uint32_t> divided;  // tasks with several pieces, whose progress hides a slow one; ascending
  };

  // Looks at jobs that are new (at all of them if a check is due) and divides what is not launched yet. True if there
  // was a new one.
  bool begin_jobs(const View& view, bool is_due, bool last_served, std::uint32_t& promised, Plan& plan) {
    // The jobs' own tasks wait too, but they are what is to be divided, so they do not take slots away from themselves.
    std::uint32_t own = 0;
    for (const JobView& job : view.jobs) own += unlaunched(job);
    std::uint32_t slots = spare(view.free_slots(), view.waiting - std::min(own, view.waiting));
    bool has_new = false;
    for (const JobView& job : view.jobs) {
      const auto [state, is_new] = jobs_.try_emplace(job.id);
      has_new = has_new || is_new;
      if (!is_new && !is_due) continue;
      // Nothing is late of a job without a deadline, or of one that comes behind others which wait.
      const bool may_be_late = job.has_deadline() && (!job.is_behind || last_served);
      state->second.durations = durations_of(view, job, settings_.durations);
      state->second.interval = settings_.rescue.interval(job, state->second.durations);
      state->second.due = may_be_late ? settings_.rescue.due(job) : std::numeric_limits<double>::infinity();
      const std::uint32_t tasks = unlaunched(job);
      if (tasks == 0 || !may_be_late) continue;
      const std::uint32_t more =
          divide_at_start(view, job, state->second.durations, slots, settings_.rescue, settings_.start, plan);
      slots = spare(slots, tasks + more);  // what this job's tasks take is not there for the next job's
      promised += more;
    }
    return has_new;
  }

  // One pass over what is expected of the tasks. Looked at more closely are those that are late by their mean speed,
  // those that have slowed down since the last check, those that a fresh attempt would be sooner with, and those with
  // several pieces, where none of this shows.
  void find_late(const View& view, const JobView& job, JobState& state, Found& found, Plan& plan) const {
    const double now = job.since_submission(view.now);
    const double limit = state.due;
    const std::span<const double> completion = job.outlook->completion();
    const std::span<const float> progress = job.outlook->progress();
    const std::span<const std::uint8_t> attempts = job.outlook->live_attempts();
    const std::uint32_t launched = first_unlaunched(*job.job);
    const bool remembers = state.progress.size() == progress.size();
    // A task that goes on as since the last check needs (1 - p) / (p - before) such intervals. Compared by cross
    // multiplication, so a task that stood still needs no division by 0.
    const double intervals = remembers && now > state.looked_at ? (limit - now) / (now - state.looked_at) : 0;
    // Slots of attempts that end before the next check but one will be free when copies could use them.
    const double horizon = now + settings_.ahead * state.interval;
    for (const auto& [task, copies] : job.pending) found.promised += copies;
    std::vector<std::uint32_t> suspects;
    auto was_divided = state.divided.begin();
    for (std::uint32_t index = 0; index < launched; ++index) {
      if (completion[index] == -std::numeric_limits<double>::infinity()) continue;
      // Nothing is said of a task that has a young piece, whatever the others do.
      const bool is_late = completion[index] > limit || (std::isnan(completion[index]) && attempts[index] > 1);
      // The mean speed hides a change for long: an attempt that stops at nine tenths still looks in time by its mean.
      const bool is_slow = remembers && 1 - progress[index] > intervals * (progress[index] - state.progress[index]);
      while (was_divided != state.divided.end() && *was_divided < index) ++was_divided;
      const bool is_divided = was_divided != state.divided.end() && *was_divided == index;
      if (!is_late && !is_slow && !is_divided && !may_save(state, job, completion[index] - now, progress[index])) {
        if (completion[index] < horizon) ++found.ending;
        continue;
      }
      suspects.push_back(index);
    }
    state.divided.clear();
    for (std::size_t i = 0; i < suspects.size(); ++i) {
      fetch_ahead(i, suspects.size(), [&](std::size_t at) { return &job.job->tasks[suspects[at]]; });
      if (job.job->tasks[suspects[i]].ledger.open_segments() > 1) state.divided.push_back(suspects[i]);
      look_at_task(view, job, state, suspects[i], horizon, found, plan);
    }
    state.progress.assign(progress.begin(), progress.end());
    state.looked_at = now;
  }

  // As replacement_of(), from what is at hand without touching the task.
  bool may_save(const JobState& state, const JobView& job, double seconds_to_go, float progress) const {
    const double bytes = (1 - static_cast<double>(progress)) * mean_split_bytes(job);
    const double cost = state.durations.launch + state.interval;
    if (!settings_.rescue.replace || !state.keeps_slots || !(state.durations.t_min > 0)) return false;
    if (!(seconds_to_go > cost + bytes * state.durations.t_min)) return false;
    return saved_by_replacing(bytes, seconds_to_go / bytes, state.durations) > cost;
  }

  // One reason per task at most, and none if one of its segments is helped: people are told why nothing was done,
  // segment by segment would bury that.
  void look_at_task(const View& view, const JobView& job, const JobState& state, std::uint32_t task, double horizon,
                    Found& found, Plan& plan) const {
    std::optional<Reason> declined;
    bool is_helped = false;
    const std::size_t found_before = found.late.size();
    for (const OpenSegment& segment : open_segments(job, task, settings_.rescue.recent)) {
      if (segment.completion() < horizon) ++found.ending;
      const bool is_late = segment.completion() > state.due;
      if (is_late && segment.in_change) {  // the core drops a second decision: it could not know what the first brings
        declined = Reason::CutPending;
        continue;
      }
      std::optional<Speculate> replacement;
      if (state.keeps_slots) {
        replacement = replacement_of(view, job, segment, state.due, state.durations, settings_.rescue);
      }
      const auto looked = is_late ? look_at(view, job, segment, state.durations, settings_.rescue) : Reason::OnSchedule;
      if (const auto* late = std::get_if<LateSegment>(&looked)) {
        found.late.push_back(*late);
        found.late.back().replacement = std::move(replacement);
      } else if (replacement) {
        is_helped = true;
        plan.add(*std::move(replacement));
      } else if (is_late) {
        declined = std::get<Reason>(looked);
      }
    }
    if (declined && !is_helped && found.late.size() == found_before) plan.add(Decline{{job.id, task}, *declined});
  }

  // All late segments of all jobs compete for the slots at once. Job by job, the first job would take slots that would
  // gain more in another one.
  void save(const View& view, std::uint32_t slots, Found& found, Plan& plan) const {
    std::vector<RemainingWork> remainders;
    remainders.reserve(found.late.size());
    plan.decisions.reserve(plan.decisions.size() + found.late.size());
    for (const LateSegment& late : found.late) remainders.push_back(late.remaining);
    const std::vector<Division> divisions = grant(remainders, slots, settings_.grant);
    // The order in which the ResourceManager will hand out slots: the fastest free node first.
    std::vector<double> speeds;
    if (settings_.by_speed) speeds = view.resources.speeds_of_free(slots);
    std::reverse(speeds.begin(), speeds.end());  // the next slot's is last
    std::uint32_t left = slots;
    for (const Division& division : divisions) left -= division.slots();
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      const LateSegment& late = found.late[i];
      if (divisions[i].slots() > 0) {
        speculate(late, divisions[i], shares_of(divisions[i], speeds), plan);
      } else if (late.replacement) {
        plan.add(*late.replacement);
      } else {
        const bool is_said = i > 0 && found.late[i - 1].task == late.task;  // at most once for a task
        if (!is_said) plan.add(Decline{late.task, left == 0 ? Reason::NoFreeSlot : Reason::NotWorthIt});
        found.lacks_slots = true;
      }
    }
  }

  void speculate(const LateSegment& late, const Division& division, const std::vector<double>& shares,
                 Plan& plan) const {
    Speculate decision = race_for(late.task, late.range.begin, 0, late.completion);
    // Not before late.cut, even when the fresh attempts are ready: the attempt keeps what it can do in time.
    if (late.race) {
      decision.work = SharedTail{late.cut, division.copies, settings_.handover};
    } else {
      GivenTail tail{{{late.cut, division.copies}}, settings_.handover};
      for (const std::uint64_t border : borders_of(late.cut, late.range.end, shares)) {
        tail.pieces.push_back({border, division.copies});
      }
      decision.work = std::move(tail);
    }
    decision.reason = late.is_part ? Reason::PieceLate : Reason::Late;
    decision.pocd_before = std::exp(late.remaining.ln_before);
    decision.pocd_after = std::exp(division.ln_pocd);
    plan.add(std::move(decision));
  }

  std::optional<TimePoint> next_check(const View& view, bool lacks_slots) const {
    std::optional<double> soonest;
    for (const JobView& job : view.jobs) {
      const auto state = jobs_.find(job.id);
      if (state == jobs_.end()) continue;
      // Four times as often while slots are lacking, because they become free at any time.
      const double regular = state->second.interval;
      const double interval =
          lacks_slots ? std::min(regular, std::max(state->second.durations.launch, regular / 4)) : regular;
      soonest = std::min(soonest.value_or(interval), interval);
    }
    if (!soonest) return std::nullopt;
    return view.now + from_seconds(std::max(0.01, *soonest));
  }

  const SplitResumeSettings settings_;
  std::map<JobId, JobState> jobs_;
  std::optional<TimePoint> due_;
};

}  // namespace

std::unique_ptr<Policy> make_split_resume(Parameters& parameters) { return std::make_unique<SplitResume>(parameters); }

}  // namespace ontime::scheduler

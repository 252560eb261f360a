#include "scheduler/policies/split_resume/split_resume.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "scheduler/policies/split_resume/quiet_tasks.h"
#include "scheduler/policies/split_resume/settings.h"
#include "scheduler/policies/split_resume/slot_queue.h"

namespace ontime::scheduler {
namespace {

// Seconds between two checks: a short job must not make the master look at a million tasks all the time. A check takes
// a few tenths of a microsecond for each.
constexpr double kPausePerTask = 2e-6;
constexpr double kPausePerJob = 2e-4;  // what is known of its durations is looked up
constexpr double kPauseLeast = 0.01;

// Slots that nothing waits for yet.
std::uint32_t spare(std::uint32_t free, std::uint32_t taken) { return free > taken ? free - taken : 0; }

// Our own policy. A copy is never faster than t_min, however many there are; a remainder that is divided is. Each late
// piece of a task is cut: the attempt that works on it keeps what it can do in time at its own pace, the rest is
// divided into s segments, each raced by c fresh attempts. (s, c) maximises the piece's PoCD,
//
//   [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s
//
// within the slots that are granted, and slots are granted where they raise the sum of ln PoCD most per slot. A piece
// that turns out to be late is divided again. Tasks are divided before their first launch where even a perfect run
// would be late, or where slots are free and the odds are poor. Slow attempts are replaced, in their own slots, where
// that saves slot time. A job without a deadline is treated as if it had one that it could just meet with the slots
// that are free.
//
// docs/research/split-resume.md lists the parameters.
//
// Declined: CutPending (a cut or fresh attempts are on their way), NoEstimate (nothing known of t_min, or the end of a
// compressed input), RemainingShorterThanLaunch, CopyWouldBeLater, Hopeless (no division helps), NoFreeSlot,
// NotWorthIt.
class SplitResume final : public Policy {
 public:
  SplitResume(Parameters& parameters, bool remembers) : settings_(parameters), remembers_(remembers) {}

  JobOrder order() const override { return settings_.order; }
  bool may_plan_behind_submission() const override { return true; }

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
    std::uint32_t promised = 0;
    const bool has_new = begin_jobs(view, is_due, promised, plan);
    if (!is_due) {
      if (has_new) due_ = std::min(*due_, next_check(view, false).value_or(*due_));
      plan.next_check = due_;
      return plan;
    }
    // Late pieces overtake tasks that wait for their first launch: with free slots less what waits, which a queue of
    // fresh tasks keeps at zero, no straggler would ever be helped.
    Found found;
    auto state = jobs_.begin();  // now those of the view, in the same order
    for (const JobView& job : view.jobs) find_late(view, job, (state++)->second, found, plan);
    const std::uint32_t soon = settings_.ahead > 0 ? spare(view.free_slots() + found.ending, found.promised) : 0;
    save(view, std::max(soon, spare(view.free_slots(), view.waiting + promised + found.at_once)), found, plan);
    due_ = next_check(view, found.lacks_slots);
    plan.next_check = due_;
    return plan;
  }

 private:
  struct Found {  // late pieces of all jobs, and the pieces that could be saved but get no slot now
    std::vector<LateSegment> late;
    bool lacks_slots = false;
    std::uint32_t ending = 0;    // attempts that are expected to be done before the next check but one
    std::uint32_t promised = 0;  // fresh attempts that wait for a slot already
    std::uint32_t at_once = 0;   // of them those that will find a runner of their job idle
  };
  // What grows when something is reported or changes of which durations of a job are known.
  struct Known {
    std::uint64_t refreshes, learnt, profiles;
    bool operator==(const Known&) const = default;
  };
  struct JobState {                   // of a job; nothing here is lost by beginning afresh
    math::Durations durations, warm;  // warm: where a runner of the job is idle
    Target target;
    bool has_begun = false;       // it was looked at when it was new
    std::optional<Known> known;   // that durations rest on
    std::uint32_t launched = 0;   // the first so many tasks were
    double mean_split = 0;        // bytes
    double largest = 0;           // no segment is larger
    bool keeps_slots = true;      // a slot that it gives back is its own again
    std::vector<float> progress;  // of the launched, at the last check: who has slowed down since; 0 before their first
    std::vector<bool> divided;    // of these: tasks with several pieces, whose progress hides a slow one
    double looked_at = std::numeric_limits<double>::infinity();  // seconds after submission; infinite: never
    QuietTasks quiet;
  };

  // What its attempts take, unless that is known already.
  void learn(const View& view, const JobView& job, JobState& state) const {
    const Known known{job.outlook->refreshes(), job.outlook->learnt(), view.cluster.profiles().changes()};
    if (remembers_ && state.known == known) return;
    state.known = known;
    state.mean_split = mean_split_bytes(job);
    state.durations = state.warm = durations_of(view, job, settings_.durations);
    if (!view.resources.placement().warm_first) return;
    const double begins = job.outlook->fixed(view.cluster, *job.job, math::Beginning::Warm);
    state.warm.launch = std::min(state.warm.launch, job.outlook->warm_launch(view.cluster, *job.job) + begins);
  }

  // Looks at jobs that are new (at all of them if a check is due) and divides what is not launched yet. True if there
  // was a new one.
  bool begin_jobs(const View& view, bool is_due, std::uint32_t& promised, Plan& plan) {
    const bool last_served = are_last_served(view);
    const SlotQueue queue(view);
    // The jobs' own tasks wait too, but they are what is to be divided, so they do not take slots away from themselves.
    std::uint32_t own = 0;
    bool has_new = false;
    auto next = jobs_.begin();
    for (const JobView& job : view.jobs) {
      if (next == jobs_.end() || next->first != job.id) {
        next = jobs_.try_emplace(next, job.id);
        has_new = true;
      }
      JobState& known = (next++)->second;
      known.launched = first_unlaunched(*job.job);
      own += job.job->tasks.size() - known.launched;
    }
    std::uint32_t slots = spare(view.free_slots(), view.waiting - std::min(own, view.waiting));
    next = jobs_.begin();
    for (const JobView& job : view.jobs) {
      JobState& known = (next++)->second;
      const bool is_new = !std::exchange(known.has_begun, true);
      if (!is_new && !is_due) continue;
      learn(view, job, known);
      if (is_new) known.largest = largest_segment(job.job->spec);
      known.keeps_slots = queue.keeps_slots(job);
      // A job that has missed its deadline takes no free slots while others run: they would miss theirs more often.
      const bool by_deadline = job.has_deadline() && (!job.job->missed_deadline(view.now) || view.jobs.size() > 1);
      known.target = target_of(view, job, by_deadline, slots, known.durations, settings_.rescue);
      // Nothing is late of a job behind others which wait: without a deadline it must not take their slots.
      const bool may_be_late = known.target.is_deadline ? !job.is_behind || last_served : known.keeps_slots;
      if (!may_be_late) {
        known.target.at = known.target.due = std::numeric_limits<double>::infinity();
        continue;
      }
      promised += divide_waiting(view, job, known.target, known.durations, known.largest, settings_.rescue,
                                 settings_.start, plan);
      const std::uint32_t tasks = job.job->tasks.size() - known.launched;
      if (tasks == 0) continue;
      const std::uint32_t more =
          divide_at_start(view, job, known.target, known.durations, slots, settings_.rescue, settings_.start, plan);
      slots = spare(slots, tasks + more);  // what this job's tasks take is not there for the next job's
      promised += more;
    }
    return has_new;
  }

  // Looked at more closely are the tasks that are late by their mean speed, those that have slowed down since the last
  // check, those that a fresh attempt would be sooner with, and those with several pieces, where none of this shows.
  void find_late(const View& view, const JobView& job, JobState& state, Found& found, Plan& plan) const {
    const double now = job.since_submission(view.now);
    // Slots of attempts that end before the next check but one will be free when copies could use them.
    const double horizon = now + settings_.ahead * state.target.interval;
    for (const auto& [task, copies] : job.pending) found.promised += copies;
    const bool may_replace = settings_.rescue.replace && state.keeps_slots;
    const QuietTasks::Look look{job, state.durations, state.warm,     state.target,
                                now, horizon,         state.launched, may_replace};
    std::vector<std::uint32_t> tasks = state.quiet.begin(look);
    if (!remembers_) {
      tasks.resize(state.launched);
      std::iota(tasks.begin(), tasks.end(), 0);
    }
    if (remembers_) found.ending += state.quiet.ending();
    state.progress.resize(state.launched);
    state.divided.resize(state.launched);
    const std::vector<std::uint32_t> suspects = suspects_of(job, state, tasks, now, horizon, found);
    const std::set<std::uint32_t> saved = save_at_once(view, job, state, suspects, found, plan);
    const NodeEffectsOnDemand nodes(view, job);
    for (const std::uint32_t task : suspects) {
      if (!saved.contains(task)) look_at_task(view, job, state, task, horizon, nodes, found, plan);
    }
    if (state.quiet.has_passed_all()) {
      std::ranges::copy(job.outlook->progress().first(state.launched), state.progress.begin());
    } else {
      for (const std::uint32_t task : tasks) state.progress[task] = job.outlook->progress()[task];
    }
    state.quiet.end(tasks);
    state.looked_at = now;
  }

  // Those of the tasks that are to be looked at more closely, by what is expected of them.
  std::vector<std::uint32_t> suspects_of(const JobView& job, JobState& state, const std::vector<std::uint32_t>& tasks,
                                         double now, double horizon, Found& found) const {
    const double limit = state.target.due;
    const std::span<const double> completion = job.outlook->completion();
    const std::span<const float> progress = job.outlook->progress();
    const std::span<const std::uint8_t> attempts = job.outlook->live_attempts();
    // A task that goes on as since the last check needs (1 - p) / (p - before) such intervals. Compared by cross
    // multiplication, so a task that stood still needs no division by 0.
    const double intervals = now > state.looked_at ? (limit - now) / (now - state.looked_at) : 0;
    const double fresh = fresh_attempt(job, state.durations);
    std::vector<std::uint32_t> suspects;
    for (const std::uint32_t index : tasks) {
      if (completion[index] == -std::numeric_limits<double>::infinity()) {
        state.divided[index] = false;
        continue;
      }
      // Completion is unknown (NaN) for a task with a young piece, whatever its other attempts do.
      const bool is_late = completion[index] > limit || (std::isnan(completion[index]) && attempts[index] > 1);
      // The mean speed hides a change for long: an attempt that stops at nine tenths still looks in time by its mean.
      const bool is_slow = std::isfinite(state.looked_at) && limit > now &&
                           1 - progress[index] > intervals * (progress[index] - state.progress[index]);
      if (is_late || is_slow || state.divided[index] || may_save(state, completion[index] - now, progress[index]) ||
          completion[index] - now > fresh) {
        suspects.push_back(index);
      } else if (completion[index] < horizon) {
        ++found.ending;
      }
    }
    for (std::size_t i = 0; i < suspects.size(); ++i) {
      fetch_ahead(i, suspects.size(), [&](std::size_t at) { return &job.job->tasks[suspects[at]]; });
      state.divided[suspects[i]] = job.job->tasks[suspects[i]].ledger.open_segments() > 1;
    }
    return suspects;
  }

  // Where runners of the job are idle a piece costs no launch, so small ones pay and late ones still come in time.
  // Those slots go to the job's own late segments first. Returns the tasks that are helped.
  std::set<std::uint32_t> save_at_once(const View& view, const JobView& job, const JobState& state,
                                       const std::vector<std::uint32_t>& suspects, Found& found, Plan& plan) const {
    if (suspects.empty()) return {};
    const std::uint32_t warm = spare(view.resources.warm_slots(job.id), job.waiting);
    const std::uint32_t slots = std::min(warm, spare(view.spare_slots(), found.at_once));
    std::set<std::uint32_t> saved;
    if (slots == 0) return saved;
    std::vector<LateSegment> late;
    for (const std::uint32_t task : suspects) {
      for (const OpenSegment& segment : open_segments(job, task, settings_.rescue.recent)) {
        if (segment.in_change || !(segment.completion() > state.target.due)) continue;
        const auto looked = look_at(view, job, segment, state.target, state.warm, settings_.rescue);
        if (const auto* found_late = std::get_if<LateSegment>(&looked)) late.push_back(*found_late);
      }
    }
    const std::vector<Division> divisions = divisions_of(late, slots);
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      if (divisions[i].slots() == 0) continue;
      std::vector<double> unknown;  // nobody knows which of the warm nodes it will be
      plan.add(speculation_at(late[i], divisions[i], shares_of(divisions[i], unknown), settings_.handover));
      saved.insert(late[i].task.index);
      found.at_once += divisions[i].slots();
      found.promised += divisions[i].slots();
    }
    return saved;
  }

  // As replacement_of(), from what is at hand without touching the task.
  bool may_save(const JobState& state, double seconds_to_go, float progress) const {
    const double bytes = (1 - static_cast<double>(progress)) * state.mean_split;
    const double cost = state.warm.launch + state.target.interval;
    if (!settings_.rescue.replace || !state.keeps_slots || !(state.durations.t_min > 0)) return false;
    if (!(seconds_to_go > cost + bytes * state.durations.t_min)) return false;
    const double pace = seconds_to_go / bytes;
    return !state.quiet.is_fast(pace) && pays_to_replace(bytes, pace, cost, state.durations);
  }

  // One reason per task at most, and none if one of its segments is helped: people are told why nothing was done,
  // segment by segment would bury that.
  void look_at_task(const View& view, const JobView& job, JobState& state, std::uint32_t task, double horizon,
                    const NodeEffectsOnDemand& nodes, Found& found, Plan& plan) const {
    std::optional<Reason> declined;
    bool is_helped = false;
    const std::size_t found_before = found.late.size();
    const std::vector<OpenSegment> segments = open_segments(job, task, settings_.rescue.recent);
    state.quiet.remember(task, segments);
    for (const OpenSegment& segment : segments) {
      if (segment.completion() < horizon) ++found.ending;
      const bool is_late = segment.completion() > state.target.due;
      if (is_late && segment.in_change) {  // the core drops a second decision: it could not know what the first brings
        declined = Reason::CutPending;
        continue;
      }
      if (found.at_once < view.spare_slots()) {
        if (auto race = race_of_long_start(job, segment, state.durations, job.since_submission(view.now))) {
          is_helped = true;
          ++found.at_once;
          plan.add(*std::move(race));
          continue;
        }
      }
      std::optional<Speculate> replacement;
      if (state.keeps_slots)
        replacement = replacement_of(view, job, segment, state.target, state.warm, settings_.rescue, nodes);
      const auto looked =
          is_late ? look_at(view, job, segment, state.target, state.durations, settings_.rescue) : Reason::OnSchedule;
      if (const auto* late = std::get_if<LateSegment>(&looked)) {
        found.late.push_back(*late);
        found.late.back().replacement = std::move(replacement);
        // For some of them a process that is kept may become free in time.
        RemainingWork& remaining = found.late.back().remaining;
        remaining.gain_min =
            settings_.rescue.launch_gain * (state.durations.launch - state.warm.launch) / remaining.window;
      } else if (replacement) {
        is_helped = true;
        plan.add(*std::move(replacement));
      } else if (is_late) {
        declined = std::get<Reason>(looked);
      }
    }
    if (declined && !is_helped && found.late.size() == found_before) plan.add(Decline{{job.id, task}, *declined});
  }

  std::vector<Division> divisions_of(const std::vector<LateSegment>& late, std::uint32_t slots) const {
    std::vector<RemainingWork> remainders;
    remainders.reserve(late.size());
    for (const LateSegment& segment : late) remainders.push_back(segment.remaining);
    return grant(remainders, slots, settings_.grant);
  }

  // All late segments of all jobs compete for the slots at once. Job by job, the first job would take slots that would
  // gain more in another one.
  void save(const View& view, std::uint32_t slots, Found& found, Plan& plan) const {
    plan.decisions.reserve(plan.decisions.size() + found.late.size());
    const std::vector<Division> divisions = divisions_of(found.late, slots);
    // The order in which the ResourceManager will hand out slots: the fastest free node first.
    std::vector<double> speeds;
    if (settings_.by_speed) speeds = view.resources.speeds_of_free(slots);
    std::reverse(speeds.begin(), speeds.end());  // the next slot's is last
    std::uint32_t left = slots;
    for (const Division& division : divisions) left -= division.slots();
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      const LateSegment& late = found.late[i];
      if (divisions[i].slots() > 0) {
        plan.add(speculation_at(late, divisions[i], shares_of(divisions[i], speeds), settings_.handover));
      } else if (late.replacement) {
        plan.add(*late.replacement);
      } else {
        const bool is_said = i > 0 && found.late[i - 1].task == late.task;  // at most once for a task
        if (!is_said) plan.add(Decline{late.task, left == 0 ? Reason::NoFreeSlot : Reason::NotWorthIt});
        found.lacks_slots = true;
      }
    }
  }

  std::optional<TimePoint> next_check(const View& view, bool lacks_slots) const {
    std::optional<double> soonest;
    double tasks = 0;
    auto state = jobs_.begin();
    for (const JobView& job : view.jobs) {
      tasks += static_cast<double>(job.job->tasks.size());
      // Four times as often while slots are lacking, because they become free at any time.
      const double regular = state->second.target.interval;
      const double interval =
          lacks_slots ? std::min(regular, std::max(state->second.durations.launch, regular / 4)) : regular;
      soonest = std::min(soonest.value_or(interval), interval);
      ++state;
    }
    if (!soonest) return std::nullopt;
    const double pause = tasks * kPausePerTask + static_cast<double>(view.jobs.size()) * kPausePerJob;
    return view.now + from_seconds(std::max({*soonest, pause, kPauseLeast}));
  }

  const SplitResumeSettings settings_;
  const bool remembers_;  // what it has found to be quiet
  std::map<JobId, JobState> jobs_;
  std::optional<TimePoint> due_;
};

}  // namespace

std::unique_ptr<Policy> make_split_resume(Parameters& parameters) {
  return std::make_unique<SplitResume>(parameters, true);
}

std::unique_ptr<Policy> make_forgetful_split_resume(Parameters& parameters) {
  return std::make_unique<SplitResume>(parameters, false);
}

}  // namespace ontime::scheduler

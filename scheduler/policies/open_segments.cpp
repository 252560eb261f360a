#include "scheduler/policies/open_segments.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler {
namespace {

// Tasks whose launches are looked at while no attempt has ended.
constexpr std::size_t kLaunchesLookedAt = 64;

bool is_earlier(const Racer& a, const Racer& b) {
  if (std::isnan(a.completion) || std::isnan(b.completion))
    return !std::isnan(a.completion) && std::isnan(b.completion);
  return a.completion < b.completion;
}

// Until an attempt has ended nothing else is known of launches.
std::optional<double> running_launch(const JobView& job) {
  double sum = 0;
  std::size_t seen = 0;
  for (const auto& [task, launch] : job.outlook->launch_seconds()) {
    sum += static_cast<double>(launch);
    if (++seen == kLaunchesLookedAt) break;
  }
  return seen > 0 ? std::optional(sum / static_cast<double>(seen)) : std::nullopt;
}

// Its speed over the last one or two recent windows (Attempt::earlier) counts with the weight `recent`. Both marks are
// the same as long as it has run for less than that: then its mean speed is its recent one.
Pace believed(Pace pace, const Attempt& attempt, double recent) {
  const double span = seconds(attempt.reported_at - attempt.earlier.at);
  if (recent == 0 || !pace.known || pace.rate <= 0 || attempt.earlier.at == attempt.later.at || span <= 0) return pace;
  const TimePoint takes_since = attempt.reported_at - attempt.segment.age + attempt.segment.first;
  if (attempt.segment.first > Duration::zero() && attempt.earlier.at < takes_since) return pace;
  const double recent_rate = static_cast<double>(attempt.offset - attempt.earlier.offset) / span;
  pace.rate = recent * recent_rate + (1 - recent) * pace.rate;
  return pace;
}

}  // namespace

double OpenSegment::left() const {
  double farthest = static_cast<double>(range.begin);
  for (const Racer& racer : racers) farthest = std::max(farthest, racer.pace.offset);
  return std::max(0.0, static_cast<double>(range.end) - farthest);
}

std::vector<OpenSegment> open_segments(const JobView& job, std::uint32_t index, double recent) {
  std::vector<OpenSegment> found;
  const Task& task = job.job->tasks[index];
  found.reserve(std::min(task.ledger.open_segments(), task.attempts.size()));
  task.ledger.for_each_open_from_back([&](const Segment& segment) {
    OpenSegment one{{job.id, index}, segment.range, {}, job.pending.contains(index)};
    for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
      const Attempt& attempt = task.attempts[number];
      if (!attempt.holds(segment.range.begin)) continue;
      one.in_change = one.in_change || attempt.is_changing();
      if (attempt.standby) continue;
      const AttemptId id{{job.id, index}, number};
      const Pace pace = believed(job.outlook->pace(id, attempt), attempt, recent);
      one.racers.push_back({id, &attempt, pace, pace.reaches(segment.range.end)});
    }
    if (one.racers.empty()) return;
    if (one.racers.size() > 1) std::stable_sort(one.racers.begin(), one.racers.end(), is_earlier);
    found.push_back(std::move(one));
  });
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<AttemptId> slower_racers(const std::vector<OpenSegment>& segments) {
  std::vector<AttemptId> slower;
  const auto is_first = [&](AttemptId id) {
    return std::any_of(segments.begin(), segments.end(),
                       [&](const OpenSegment& segment) { return segment.racers.front().id == id; });
  };
  for (const OpenSegment& segment : segments) {
    for (std::size_t i = 1; i < segment.racers.size(); ++i) {
      const AttemptId id = segment.racers[i].id;
      if (!is_first(id) && std::find(slower.begin(), slower.end(), id) == slower.end()) slower.push_back(id);
    }
  }
  return slower;
}

std::optional<Reason> unsettled(const std::vector<OpenSegment>& segments, double launch, TimePoint now) {
  std::optional<Reason> reason;
  for (const OpenSegment& segment : segments) {
    if (segment.in_change) return Reason::CutPending;
    for (const Racer& racer : segment.racers) {
      const bool has_begun = racer.attempt->state == AttemptState::Running;
      const bool is_young = has_begun && age(*racer.attempt, now) < launch;
      if (is_young || is_launching(*racer.attempt, launch, now) || std::isnan(racer.completion))
        reason = Reason::TooYoung;
    }
  }
  return reason;
}

bool has_unknown_ends(const JobSpec& spec) {
  return std::any_of(spec.inputs.begin(), spec.inputs.end(),
                     [](const InputFile& file) { return !file.knows_length(); });
}

double split_bytes(const JobView& job, std::uint32_t task) {
  const ByteRange split = job.job->tasks.look_at(task, [](const Task& one) { return one.ledger.split(); });
  return split.is_open_ended() ? 0 : static_cast<double>(split.size());
}

double mean_split_bytes(const JobView& job) {
  const double tasks = static_cast<double>(std::max<std::size_t>(1, job.job->tasks.size()));
  return std::max(1.0, static_cast<double>(job.job->input_bytes) / tasks);
}

double age(const Attempt& attempt, TimePoint now) {
  return attempt.state == AttemptState::Running ? seconds(now - attempt.started_at) : 0;
}

math::Durations durations_of(const View& view, const JobView& job, const math::DurationHints& hints) {
  const math::DurationSample* profile = view.cluster.find_profile(*job.job);
  const bool has_profile = profile != nullptr && profile->finished().size() >= math::kEnoughSamples;
  const bool has_own = job.outlook->sample().finished().size() >= math::kEnoughSamples;
  const bool fits_own = hints.tail != math::TailRule::Pareto && (!has_profile || hints.only);
  const bool has_enough = !fits_own && has_own;  // running ones tell whether the profile fits this job
  std::vector<double> running;
  if (!has_enough && job.job->attempts_launched > 0)
    running = hints.early ? job.outlook->early_durations() : job.outlook->running_durations();
  math::Durations chosen =
      math::choose_durations(profile, job.outlook->sample(), running, hints, mean_split_bytes(job));
  const std::optional<double> launch =
      chosen.launch_source == math::DurationSource::Assumed ? running_launch(job) : std::nullopt;
  if (launch) {
    chosen.launch = *launch;
    chosen.launch_source = math::DurationSource::Job;
  }
  if (!job.outlook->takes_at_once(view.cluster, *job.job))
    chosen.launch += job.outlook->fixed(view.cluster, *job.job, math::Beginning::Cold);
  return chosen;
}

bool was_refused(const Job& job, std::uint32_t task) {
  const auto found = job.declined.find(task);
  if (found == job.declined.end()) return false;
  const auto& [reason, since, last] = found->second;
  const bool is_refusal =
      reason == Reason::NotWorthIt || reason == Reason::BudgetSpent || reason == Reason::NothingGained;
  const std::vector<Attempt>& attempts = job.tasks[task].attempts;
  return is_refusal && (attempts.empty() || attempts.back().launched_at <= last) && !job.tasks[task].ledger.is_done();
}

Speculate race_for(TaskId task, std::uint64_t segment, std::uint32_t copies, double completion) {
  Speculate decision;
  decision.task = task;
  decision.segment = segment;
  decision.work = WholeSegment{copies};
  decision.completion = completion;
  return decision;
}

Speculate resume_from(std::uint64_t offset, Speculate race, Handover handover, bool release) {
  const std::uint32_t copies = copies_of(race);
  const std::uint64_t begin = handover == Handover::Ready ? 0 : offset;
  if (release)
    race.work = GivenTail{{{begin, copies}}, handover};
  else
    race.work = SharedTail{begin, copies, handover};
  return race;
}

std::optional<double> linear_handover(double offset, double rate, double time, double end) {
  const double reached = offset + rate * time;
  return reached < end ? std::optional(reached) : std::nullopt;
}

std::optional<std::uint64_t> handover_offset(const Racer& racer, const OpenSegment& segment, double launch,
                                             const JobView& job, TimePoint now) {
  if (!racer.pace.known || segment.range.is_open_ended()) return std::nullopt;
  const double since_report = std::max(0.0, job.since_submission(now) - racer.pace.at);
  const auto offset = linear_handover(racer.pace.offset, racer.pace.rate, since_report + launch,
                                      static_cast<double>(segment.range.end));
  if (!offset) return std::nullopt;
  return std::max(segment.range.begin, static_cast<std::uint64_t>(*offset));
}

namespace {

// The begin of the task's open segment; nothing if nobody works on it or it is in change. As last_segment() where there
// is no choice, for thousands of slow tasks at a time.
std::optional<std::uint64_t> only_segment(const JobView& job, std::uint32_t index) {
  const Task& task = job.job->tasks[index];
  const std::vector<Segment>& segments = task.ledger.segments();
  const auto open = std::find_if(segments.rbegin(), segments.rend(), [](const Segment& one) { return !one.sealed; });
  bool is_held = false;
  for (const Attempt& attempt : task.attempts) {
    if (!is_live(attempt.state)) continue;
    if (attempt.is_changing()) return std::nullopt;
    is_held = is_held || attempt.held.contains(open->range.begin);
  }
  return is_held ? std::optional(open->range.begin) : std::nullopt;
}

std::optional<std::uint64_t> last_of_several(const JobView& job, std::uint32_t task) {
  const std::optional<OpenSegment> segment = last_segment(job, task);
  return segment && !segment->in_change ? std::optional(segment->range.begin) : std::nullopt;
}

}  // namespace

std::uint32_t copies_of(const JobView& job) {
  const std::size_t attempts = job.job->live.size() + job.waiting;
  const std::size_t unfinished = job.job->tasks.size() - job.job->tasks_done;
  return attempts > unfinished ? static_cast<std::uint32_t>(attempts - unfinished) : 0;
}

std::uint32_t attempts_on(const JobView& job, std::uint32_t task) {
  const auto pending = job.pending.find(task);
  return job.outlook->live_attempts()[task] + (pending == job.pending.end() ? 0 : pending->second);
}

const Attempt* first_live(const JobView& job, std::uint32_t task) {
  for (const Attempt& attempt : job.job->tasks[task].attempts) {
    if (is_live(attempt.state)) return &attempt;
  }
  return nullptr;
}

std::optional<OpenSegment> last_segment(const JobView& job, std::uint32_t task) {
  std::vector<OpenSegment> segments = open_segments(job, task);
  if (segments.empty()) return std::nullopt;
  const auto is_sooner = [](const OpenSegment& a, const OpenSegment& b) {
    return !std::isnan(b.completion()) && !(a.completion() >= b.completion());
  };
  return std::move(*std::max_element(segments.begin(), segments.end(), is_sooner));
}

std::optional<Speculate> race(const JobView& job, std::uint32_t task, std::uint32_t copies, Reason reason) {
  const std::optional<std::uint64_t> segment =
      job.job->tasks[task].ledger.open_segments() == 1 ? only_segment(job, task) : last_of_several(job, task);
  if (!segment || job.pending.contains(task)) return std::nullopt;
  Speculate decision = race_for({job.id, task}, *segment, copies, job.outlook->completion()[task]);
  decision.reason = reason;
  return decision;
}

std::uint32_t slots_ahead(const View& view, double period, const std::function<double(const JobView&)>& mean_of) {
  double freed = 0;
  std::uint32_t pending = 0;
  for (const JobView& job : view.jobs) {
    for (const auto& [task, copies] : job.pending) pending += copies;
    if (job.job->live.empty()) continue;
    freed += static_cast<double>(job.job->live.size()) * std::min(1.0, period / mean_of(job));
  }
  const auto whole = static_cast<std::uint32_t>(std::min(std::ceil(freed), static_cast<double>(view.slots())));
  return whole - std::min(whole, pending);
}

double SplitSizes::next() {
  const InputFile& file = spec_.inputs[file_];
  if (!file.knows_length()) {
    ++file_;
    return 0;
  }
  const std::uint64_t bytes = std::min(spec_.split_bytes, file.length() - begin_);
  begin_ += bytes;
  if (begin_ >= file.length()) {
    ++file_;
    begin_ = 0;
  }
  return static_cast<double>(bytes);
}

void Declines::add(const JobView& job, std::uint32_t task, Reason reason) {
  if (full()) return;
  ++count_;
  plan_.add(Decline{{job.id, task}, reason});
}

void Declines::add_compressed(const JobView& job) {
  if (!has_unknown_ends(job.job->spec)) return;
  SplitSizes sizes(job.job->spec);
  const std::span<const double> completion = job.outlook->completion();
  for (std::uint32_t task = 0; task < completion.size() && !full(); ++task) {
    if (sizes.next() == 0 && std::isnan(completion[task])) add(job, task, Reason::NoEstimate);
  }
}

}  // namespace ontime::scheduler

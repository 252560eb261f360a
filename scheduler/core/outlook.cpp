#include "scheduler/core/outlook.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// An attempt that has mapped nothing is called standing after three times the mean launch, but not before this long.
constexpr double kPatienceMin = 2;       // seconds
constexpr double kPatienceUnknown = 10;  // seconds; while no attempt of the job has started yet
constexpr double kPatienceLaunches = 3;
constexpr double kPatienceStarts = 2;  // that were slow already

// Who cannot wait for kTellingShare, because attempts would have to be divided before, takes what runs after less.
constexpr double kEarlyShare = 0.02;
constexpr float kStillStarts = std::numeric_limits<float>::infinity();

constexpr double kMappedLeast = 0.1;  // of an attempt's time

// Refreshes that are remembered: of one task in so many, but at least.
constexpr std::size_t kTasksPerRefresh = 4;
constexpr std::size_t kRefreshesLeast = 64;

bool keeps_readings(std::string_view estimator) {
  return estimator == "exponential" || estimator == "simple-exponential";
}

// What people have chosen to be taken as work, launches and starts too, or what keeps readings on its own.
bool has_own_pace(std::string_view estimator) { return estimator == "hadoop" || keeps_readings(estimator); }

double launch_of(const Attempt& attempt) { return seconds(attempt.ready_at - attempt.launched_at); }

double split_bytes(const Task& task) {
  const ByteRange split = task.ledger.split();
  return split.is_open_ended() ? 0 : static_cast<double>(split.size());
}

void set_positive(std::map<std::uint32_t, float>& values, std::uint32_t key, float value) {
  if (value > 0)
    values[key] = value;
  else
    values.erase(key);
}

// The median is what is usual: the mean of so heavy a tail is not.
std::optional<double> against_usual(const math::DurationSample& sample, double duration) {
  if (sample.finished().size() < Outlook::kUsualFrom) return std::nullopt;
  return duration / sample.usual_finished();
}

}  // namespace

// Chronos eq. 30 as it is meant: what is left at the rate since the first record. Its print, t_FP + (t_now - t_FP) /
// (CP - FP), counts once more what was done already before an attempt that resumes.
double Pace::reaches(std::uint64_t to) const {
  if (!known || to == kUnknownEnd) return kNothing;
  const double left = static_cast<double>(to) - offset;
  if (left > 0 && rate > 0) return at + left / rate;
  if (!std::isnan(seals_at)) return seals_at;
  return left > 0 ? math::kInfinity : at;
}

Outlook::Outlook(const Cluster& cluster, JobId job, std::string_view estimator)
    : estimator_(estimator),
      submitted_at_(cluster.find_job(job)->submitted_at),
      learnt_(1 + (std::uint64_t{cluster.find_job(job)->attempts_launched} << 32)) {
  const std::uint32_t tasks = cluster.find_job(job)->tasks.size();
  completion_.assign(tasks, kNothing);
  progress_ = Zeros<float>(tasks);
  refreshed_ = Zeros<std::uint32_t>(tasks);
  live_attempts_ = Zeros<std::uint8_t>(tasks);
  recall_durations(*cluster.find_job(job));
  sample_.add(cluster.find_job(job)->starts);
  if (const math::DurationSample* profile = cluster.find_profile(*cluster.find_job(job))) {
    slow_first_before_ = profile->slow_first();
    usual_fixed_before_ = profile->usual_fixed(math::Beginning::Cold);
  }
  const std::span<const Task> made = cluster.find_job(job)->tasks.made();
  for (std::uint32_t index = 0; index < made.size(); ++index) {  // last, as it uses all that
    if (!made[index].attempts.empty()) refresh(cluster, {job, index});
  }
}

// Recalls the durations of tasks that were done before the master was started anew.
void Outlook::recall_durations(const Job& job) {
  std::vector<std::pair<TimePoint, double>> finished;  // when, and how long it took
  for (const Task& task : job.tasks.made()) {
    if (!task.ledger.is_done()) continue;
    TimePoint last;
    for (const Attempt& attempt : task.attempts) {
      if (attempt.state == AttemptState::Succeeded) last = std::max(last, attempt.ended_at);
    }
    if (last != TimePoint{}) finished.emplace_back(last, seconds(last - task.attempts.front().launched_at));
  }
  std::sort(finished.begin(), finished.end());
  const std::size_t skipped = finished.size() - std::min(finished.size(), kTaskDurationsKept);
  for (std::size_t index = skipped; index < finished.size(); ++index) {
    task_durations_.push_back(finished[index].second);
  }
}

// Where runners say that they are in their start, those that have begun tell how long one takes: without any, nobody
// stands.
double Outlook::patience(const SegmentTimes& times) const {
  const auto launch = sample_.mean_launch();
  const double for_launch = launch ? std::max(kPatienceMin, kPatienceLaunches * *launch) : kPatienceUnknown;
  if (!times.is_known()) return for_launch;
  const auto slow = slow_first();
  return slow ? std::max(for_launch, kPatienceStarts * *slow) : math::kInfinity;
}

// Everything is as of the attempt's last report and not as of now: between two heartbeats it has gone on, and would
// seem to slow down. Reports that stop are the business of the time-outs (timers.h).
Pace Outlook::pace(AttemptId id, const Attempt& attempt) const {
  Pace pace;
  pace.offset = static_cast<double>(attempt.offset);
  pace.at = since_submission(attempt.reported_at);
  const bool started = attempt.state == AttemptState::Running;
  if (started && attempt.segment.is_known() && !has_own_pace(estimator_)) return pace_by_runner(id, attempt);
  const double mapped = pace.offset - static_cast<double>(attempt.start_offset);
  // No rate yet. A young attempt must not pass for a straggler: only once it has taken longer than launches usually
  // take here is its pace known, as 0.
  if (!started || mapped <= 0) {
    const TimePoint since = started ? attempt.started_at : attempt.launched_at;
    pace.known = seconds(attempt.reported_at - since) > patience(attempt.segment);
    return pace;
  }
  // Hadoop counts the launch as work, so young attempts look slower than they are. The other estimators leave it out: a
  // launch says nothing about how fast records are mapped, and a standby would look slow for having waited.
  const TimePoint from = estimator_ == "hadoop" ? attempt.launched_at : attempt.started_at;
  const double elapsed = seconds(attempt.reported_at - from);
  if (elapsed <= 0) return pace;
  pace.known = true;
  pace.rate = mapped / elapsed;
  const auto smoothing = smoothing_.find(id);
  if (smoothing == smoothing_.end()) return pace;
  // The estimator predicts the end of the whole range that the attempt was launched with. After a cut it may hold only
  // a part of that, so the prediction becomes the rate that leads there. Without enough readings nothing is known,
  // although a mean rate is: mixing the two would make the estimate jump.
  const auto end = smoothing->second->completion();
  pace.known = end.has_value();
  const double left = static_cast<double>(attempt.launch_end) - pace.offset;
  pace.rate = end && *end > pace.at && left > 0 ? left / (*end - pace.at) : pace.rate;
  return pace;
}

std::optional<std::span<const std::uint32_t>> Outlook::refreshed_since(std::uint64_t since) const {
  if (since < forgotten_) return std::nullopt;
  return std::span(recent_).subspan(std::min<std::size_t>(since - forgotten_, recent_.size()));
}

void Outlook::refresh(const Cluster& cluster, TaskId id) {
  ++refreshed_[id.index];
  if (recent_.size() >= std::max(kRefreshesLeast, completion_.size() / kTasksPerRefresh)) {
    forgotten_ += recent_.size();
    recent_.clear();
  }
  recent_.push_back(id.index);
  const Task& task = *cluster.find_task(id);
  if (keeps_readings(estimator_)) {
    for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
      if (is_live(task.attempts[number].state)) smooth({id, number}, task.attempts[number]);
    }
  }
  for (const Attempt& attempt : task.attempts) {
    if (!is_live(attempt.state) || !attempt.segment.is_known()) continue;
    const Duration start = attempt.segment.moves > 0 ? attempt.segment.first : attempt.segment.age;
    longest_start_ = std::max(longest_start_, seconds(start));
    note_start(id.index, attempt.segment.moves > 0 ? static_cast<float>(seconds(start)) : kStillStarts);
  }
  completion_[id.index] = completion_of(id, task);  // uses the readings of just now
  look_at_attempts(id, task);
  if (task.ledger.is_done()) {
    note_progress(id, task, 1);
    return;
  }
  const double whole = split_bytes(task);
  if (whole <= 0) return;
  // The ledger knows what is sealed. Of each open segment the attempt that has got farthest counts, so that a race does
  // not count twice.
  double mapped = static_cast<double>(task.ledger.sealed_bytes());
  task.ledger.for_each_open_from_back([&](const Segment& segment) {
    std::uint64_t farthest = segment.range.begin;
    for (const Attempt& attempt : task.attempts) {
      if (attempt.holds(segment.range.begin)) {
        farthest = std::max(farthest, std::min(attempt.offset, segment.range.end));
      }
    }
    mapped += static_cast<double>(farthest - segment.range.begin);
  });
  note_progress(id, task, static_cast<float>(std::min(1.0, mapped / whole)));
}

// They are asked for until some segments are sealed (fixed()), and of the first tasks alone.
void Outlook::note_start(std::uint32_t task, float start) {
  if (sample_.fixed_seen() >= kUsualFrom) return starts_.clear();
  set_positive(starts_, task, start);
  if (starts_.size() > kStartsKept) starts_.erase(std::prev(starts_.end()));
}

void Outlook::note_progress(TaskId id, const Task& task, float progress) {
  mapped_bytes_ += (static_cast<double>(progress) - static_cast<double>(progress_[id.index])) * split_bytes(task);
  progress_[id.index] = progress;
}

// What policies read of a task in passing, without touching the task: a pass over a million tasks must stay in flat
// arrays (see the header).
void Outlook::look_at_attempts(TaskId id, const Task& task) {
  const double whole = split_bytes(task);
  std::uint32_t live = 0;
  double fastest = 0;  // bytes per second
  double early = 0;    // the same of those that have mapped little
  double launch = 0;
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    const Attempt& attempt = task.attempts[number];
    if (!is_live(attempt.state)) continue;
    ++live;
    // Known as soon as the first attempt is ready, long before any ends: policies need it to predict a hand-over.
    if (attempt.ready_at > attempt.launched_at && !attempt.is_warm) launch = launch_of(attempt);
    const double mapped = static_cast<double>(attempt.offset - attempt.start_offset);
    if (mapped < kEarlyShare * whole) continue;
    double& among = mapped < kTellingShare * whole ? early : fastest;
    among = std::max(among, pace({id, number}, attempt).rate);
  }
  live_attempts_[id.index] = static_cast<std::uint8_t>(std::min<std::uint32_t>(live, 255));
  set_positive(launch_seconds_, id.index, static_cast<float>(launch));
  const bool is_telling = fastest > 0;
  if (fastest == 0) fastest = early;
  if (fastest > 0)
    running_[id.index] = {static_cast<float>(1 / fastest), is_telling};
  else
    running_.erase(id.index);
}

// The last of its open segments. If nothing is known of one of them, the task is unknown, unless another one stands
// still: then the task is late whatever becomes of the first.
double Outlook::completion_of(TaskId id, const Task& task) const {
  if (task.ledger.is_done()) return -math::kInfinity;
  double last = -math::kInfinity;
  bool is_unknown = false;
  task.ledger.for_each_open_from_back([&](const Segment& segment) {
    const double completion = segment_completion(id, task, segment.range);
    if (std::isnan(completion))
      is_unknown = true;
    else
      last = std::max(last, completion);
  });
  return is_unknown && last != math::kInfinity ? kNothing : last;
}

// The first of the attempts that race for it. A standby maps nothing and finishes nothing. An attempt of which nothing
// is known does not hide another that is known.
double Outlook::segment_completion(TaskId id, const Task& task, ByteRange segment) const {
  double first = kNothing;
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    const Attempt& attempt = task.attempts[number];
    if (attempt.standby || !attempt.holds(segment.begin)) continue;
    const double completion = pace({id, number}, attempt).reaches(segment.end);
    // Written as a negation because `first` starts as NaN, and every comparison with NaN is false.
    if (!(first <= completion)) first = std::isnan(completion) ? first : completion;
  }
  return first;
}

// The estimators work with shares of the range that the attempt was launched with, and a range without a known end has
// none. A standby is measured from its begin, which sets start_offset and launch_end anew.
void Outlook::smooth(AttemptId id, const Attempt& attempt) {
  if (attempt.state != AttemptState::Running || attempt.launch_end == kUnknownEnd) return;
  auto& estimator = smoothing_[id];
  if (!estimator) estimator = math::make_estimator(estimator_, since_submission(attempt.launched_at));
  const auto whole = static_cast<double>(attempt.launch_end - attempt.start_offset);
  if (whole <= 0) return;
  estimator->observe(
      {since_submission(attempt.reported_at), static_cast<double>(attempt.offset - attempt.start_offset) / whole});
}

std::vector<double> Outlook::durations(bool early) const {
  std::vector<double> known;
  for (const auto& [task, running] : running_) {
    if (early || running.is_telling) known.push_back(running.seconds_per_byte);
    if (known.size() == kRunningLookedAt) break;
  }
  return known;
}

double Outlook::bytes_left(const Job& job) const {
  const double done = std::max(static_cast<double>(job.sealed_bytes), mapped_bytes_);
  return std::max(0.0, static_cast<double>(job.input_bytes) - done);
}

double Outlook::warm_launch(const Cluster& cluster, const Job& job) const {
  constexpr double kAssumed = 0.1;
  if (const std::optional<double> own = sample_.mean_warm_launch()) return *own;
  const math::DurationSample* profile = cluster.find_profile(job);
  const std::optional<double> earlier = profile != nullptr ? profile->mean_warm_launch() : std::nullopt;
  return earlier.value_or(kAssumed);
}

double Outlook::launch_share() const { return mapping_.get() > 0 ? launch_.get() / mapping_.get() : 0; }

// Durations are kept per byte of split, so that jobs and tasks of different sizes can be compared. The result is
// returned and not stored here: slowness belongs to the node, and the ResourceManager judges nodes over all jobs.
std::optional<double> Outlook::on_attempt_ended(const Cluster& cluster, AttemptId id) {
  ++learnt_;
  smoothing_.erase(id);
  const double fixed = cluster.find_attempt(id)->segment.is_known() || sealed_.contains(id)
                           ? mapped_by(id, *cluster.find_attempt(id)).fixed
                           : 0;
  sealed_.erase(id);
  std::optional<double> slowness;
  const Task& task = *cluster.find_task(id.task);
  const Attempt& attempt = task.attempts[id.number];
  const bool is_launch_known = attempt.ready_at != TimePoint{} && cluster.has_seen_launch_of(attempt);
  if (is_launch_known && attempt.is_warm) {
    sample_.add_warm_launch(launch_of(attempt));
  } else if (is_launch_known && attempt.ready_at > attempt.launched_at) {
    sample_.add_launch(launch_of(attempt));
    launch_.add(launch_of(attempt));
  }
  const double whole = split_bytes(task);
  if (whole > 0 && attempt.started_at != TimePoint{}) {
    const double mapped = static_cast<double>(attempt.offset - attempt.start_offset);
    const bool is_whole = attempt.state == AttemptState::Succeeded;
    // An attempt that was ended counts up to its last move: the silence after that is not its speed.
    const TimePoint until = is_whole ? attempt.ended_at : attempt.progressed_at;
    double took = seconds(until - attempt.started_at);
    mapping_.add(std::max(0.0, took));
    // Where nobody can tell starts from work all of it is work.
    if (took - fixed > kMappedLeast * took) took -= fixed;
    if (took > 0 && mapped >= kTellingShare * whole) {
      slowness = against_usual(sample_, took / mapped);  // before it counts as usual itself
      sample_.add_finished(took / mapped);
    } else if (took > 0) {
      // Ended early: it would have taken longer. Left out, the slow ones that policies end would never be seen, and the
      // tail would look light.
      sample_.add_censored(took / whole);
    }
  }
  if (!task.ledger.is_done() || attempt.state != AttemptState::Succeeded) return slowness;
  if (task_durations_.size() >= kTaskDurationsKept) task_durations_.erase(task_durations_.begin());
  task_durations_.push_back(seconds(attempt.ended_at - task.attempts.front().launched_at));
  return slowness;
}

}  // namespace ontime::scheduler

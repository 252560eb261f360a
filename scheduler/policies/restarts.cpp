#include "scheduler/policies/restarts.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler {
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

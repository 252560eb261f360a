#include "master/outputs/attempt_logs.h"

#include <algorithm>
#include <utility>

#include "master/base/settings.h"

namespace ontime::master {
void AttemptLogs::append(AttemptId attempt, const std::string& node, std::uint64_t begin, std::string_view bytes) {
  Job& job = jobs_[attempt.task.job];
  Log& log = job.logs[attempt];
  output::AttemptLog& kept = log.log;
  const std::uint64_t end = kept.begin + kept.text.size();
  if (begin < end) bytes.remove_prefix(std::min<std::uint64_t>(end - begin, bytes.size()));
  if (bytes.empty() && log.change != 0) return;
  kept.task = attempt.task.index;
  kept.attempt = attempt.number;
  kept.node = node;
  const std::size_t before = kept.text.size();
  if (begin > end) {  // something between was lost
    kept.text.clear();
    kept.begin = begin;
  }
  kept.text += bytes;
  if (kept.text.size() > limits_.of_attempt) {
    const std::size_t surplus = kept.text.size() - limits_.of_attempt;
    kept.begin += surplus;
    kept.text.erase(0, surplus);
  }
  job.bytes += kept.text.size() - before;
  bytes_ += kept.text.size() - before;
  touch(job, attempt, log);
  while (job.bytes > limits_.of_job) drop(job.order.begin()->second);
  while (bytes_ > limits_.of_all) drop(order_.begin()->second);
}

void AttemptLogs::touch(Job& job, AttemptId attempt, Log& log) {
  job.order.erase(log.change);
  order_.erase(log.change);
  log.change = ++changes_;
  job.order.emplace(log.change, attempt);
  order_.emplace(log.change, attempt);
}

void AttemptLogs::drop(AttemptId attempt) {
  Job& job = jobs_.at(attempt.task.job);
  const auto found = job.logs.find(attempt);
  job.bytes -= found->second.log.text.size();
  bytes_ -= found->second.log.text.size();
  job.order.erase(found->second.change);
  order_.erase(found->second.change);
  job.logs.erase(found);
  ++job.dropped;
}

void AttemptLogs::forget(JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  for (const auto& [change, attempt] : found->second.order) order_.erase(change);
  bytes_ -= found->second.bytes;
  jobs_.erase(found);
}

AttemptLogs::Slice AttemptLogs::slice(const Question& question) const {
  Slice slice;
  slice.next = question.since;
  const auto found = jobs_.find(question.job);
  if (found == jobs_.end()) return slice;
  const Job& job = found->second;
  slice.dropped = job.dropped;
  std::size_t bytes = 0;
  for (auto at = job.order.upper_bound(question.since); at != job.order.end(); ++at) {
    slice.is_partial = bytes > kReplyBytesMax;
    if (slice.is_partial) return slice;
    slice.next = at->first;
    const output::AttemptLog& log = job.logs.at(at->second).log;
    if (question.task.value_or(log.task) != log.task || question.attempt.value_or(log.attempt) != log.attempt) continue;
    slice.logs.push_back(log);
    bytes += log.text.size();
  }
  return slice;
}

std::vector<output::AttemptLog> AttemptLogs::of(JobId job) const {
  std::vector<output::AttemptLog> logs;
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return logs;
  for (const auto& [attempt, log] : found->second.logs) logs.push_back(log.log);
  return logs;
}

}  // namespace ontime::master

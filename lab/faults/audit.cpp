#include "lab/faults/audit.h"

#include <utility>

#include "master/journal/record_codec.h"

namespace ontime::lab::faults {
namespace {

using scheduler::JobState;

// The codec's own checksum stands behind the version.
std::uint32_t checksum_of(const std::string& encoded) {
  std::uint32_t checksum = 0;
  for (std::size_t i = 1; i < 5; ++i) checksum = checksum << 8 | static_cast<std::uint8_t>(encoded[i]);
  return checksum;
}

void put(std::string& text, std::uint64_t number) { text.append(std::to_string(number)).push_back(' '); }

void put(std::string& text, const scheduler::Task& task) {
  for (const scheduler::Segment& segment : task.ledger.segments()) {
    put(text, segment.range.begin);
    put(text, segment.range.end);
    text += segment.sealed ? "sealed by " + std::to_string(segment.attempt) + " length " +
                                 std::to_string(segment.output.length) + "; "
                           : "open, failures " + std::to_string(segment.failures) + "; ";
  }
  for (const scheduler::Attempt& attempt : task.attempts) {
    put(text, attempt.node.value);
    const bool is_live = scheduler::is_live(attempt.state);
    text += is_live ? "live holds " : "state " + std::to_string(static_cast<int>(attempt.state)) + " held ";
    put(text, attempt.held.begin);
    put(text, attempt.held.end);
    put(text, static_cast<std::uint64_t>(to_unix_ns(attempt.launched_at)));
    put(text, static_cast<std::uint64_t>(to_unix_ns(attempt.ended_at)));
    text += attempt.standby ? "standby; " : "; ";
  }
}

}  // namespace

std::string durable_state(const scheduler::Cluster& cluster) {
  std::string text = "epoch " + std::to_string(cluster.epoch()) + "\n";
  for (const auto& [id, node] : cluster.nodes()) {
    text += to_string(id) + " " + node.incarnation + " " + name_of(node.duty) + " runs";
    for (const AttemptId attempt : node.live) text += " " + to_string(attempt);
    text += "\n";
  }
  for (const auto& [id, job] : cluster.jobs()) {
    text += to_string(id) + " state " + std::to_string(static_cast<int>(job.state)) + " " + job.message + " ";
    put(text, static_cast<std::uint64_t>(to_unix_ns(job.submitted_at)));
    put(text, static_cast<std::uint64_t>(to_unix_ns(job.ended_at)));
    put(text, job.sealed_bytes);
    put(text, job.sealed_records);
    put(text, job.attempts_launched);
    put(text, job.attempts_failed);
    text += "\n";
    for (const scheduler::Task& task : job.tasks) {
      put(text, task);
      text += "\n";
    }
  }
  return text;
}

void Audit::Memory::apply(const scheduler::JournalRecord& record, std::uint32_t checksum) {
  if (const auto removed = journal::removed_by(record.fact)) {
    cluster.erase(cluster.lower_bound(removed->first), cluster.lower_bound(removed->second));
    if (const JobId job = scheduler::job_of(record.fact); job != JobId{}) records.erase(job);
  } else if (const auto place = journal::place_of(record.fact)) {
    cluster[*place] = checksum;
  } else {
    records[scheduler::job_of(record.fact)].push_back(checksum);
  }
}

// Journal -------------------------------------------------------------------------------------------------------------

void Audit::on_batch(const std::vector<scheduler::JournalRecord>& batch, const std::vector<std::string>& encoded) {
  under_way_ = batch;
  under_way_checksums_.clear();
  for (const std::string& bytes : encoded) under_way_checksums_.push_back(checksum_of(bytes));
}

void Audit::on_durable() {
  for (std::size_t i = 0; i < under_way_.size(); ++i) durable_.apply(under_way_[i], under_way_checksums_[i]);
  under_way_.clear();
}

void Audit::on_death(const scheduler::Cluster* settled) {
  settled_.reset();
  if (settled != nullptr) settled_ = durable_state(*settled);
}

void Audit::on_recovered(const JournalContent& content, const std::vector<scheduler::JournalRecord>& records,
                         const scheduler::Cluster& cluster, const OutputStore& store) {
  Memory found;
  for (const auto& [key, encoded] : content.cluster) found.cluster[key] = checksum_of(encoded);
  for (const auto& [job, all] : content.records) {
    for (const std::string& encoded : all) found.records[job].push_back(checksum_of(encoded));
  }
  // What was being written is there as a whole or not at all. Jobs may have ended and been forgotten in it.
  const bool has_more = found != durable_;
  for (const scheduler::JournalRecord& one : under_way_) {
    const auto* forgotten = std::get_if<scheduler::fact::JobForgotten>(&one.fact);
    if (has_more && forgotten != nullptr) reported_.emplace(forgotten->job, forgotten_[forgotten->job]);
  }
  if (has_more) on_durable();
  under_way_.clear();
  require(found == durable_, "a new master finds everything that was durable, in order, and no part of a batch");
  require(!settled_ || *settled_ == durable_state(cluster), "a new master knows what the last one knew");
  settled_.reset();
  jobs_.clear();
  duties_.clear();
  epoch_ = 0;
  latest_ = {};  // what was not durable never was
  for (const scheduler::JournalRecord& one : records) {
    latest_ = std::max(latest_, one.at);
    follow(one, nullptr, true);
  }
  for (const auto& [job, output] : answered_) {
    const auto known = jobs_.find(job);
    require(known != jobs_.end() || reported_.contains(job), "a job that was accepted is never lost");
    require(known == jobs_.end() || known->second.spec.output == output, "a job stays the job that was accepted");
  }
  for (const auto& [job, state] : reported_) {
    const auto known = jobs_.find(job);
    require(known == jobs_.end() || known->second.state == state, "what was reported of a job stays so");
  }
  // A client that asks the new master now gets the answer.
  for (const auto& [id, job] : jobs_) {
    if (is_final(job.state) && !reported_.contains(id)) on_reported(id, job.state, store);
  }
}

// Clients -------------------------------------------------------------------------------------------------------------

void Audit::on_answered(JobId job, const std::string& output) {
  require(!answered_.contains(job), "a job's number is answered once");
  answered_[job] = output;
}

void Audit::on_reported(JobId job, JobState state, const OutputStore& store) {
  require(!reported_.contains(job), "the end of a job is reported once");
  reported_[job] = state;
  const auto known = jobs_.find(job);
  if (known == jobs_.end()) return;  // forgotten in the same batch
  const std::uint32_t directory = directory_of(known->second.spec.output);
  if (state != JobState::Succeeded) {
    require(!store.directory(directory).has_success, "a job whose commit was complete succeeds");
    return;
  }
  succeeded_[directory] = job;
  require(store.directory(directory).has_success, "a job that is reported to have succeeded is committed");
  check_output(job, directory, store);
}

void Audit::on_success(JobId job, std::uint32_t directory, const OutputStore& store) {
  const auto reported = reported_.find(job);
  require(reported == reported_.end(), "nothing is committed after a job's end was reported");
  const auto known = jobs_.find(job);
  require(known == jobs_.end() || known->second.state == JobState::Committing, "what is committed is being committed");
  check_output(job, directory, store);
}

void Audit::check_output(JobId job, std::uint32_t directory, const OutputStore& store) {
  const auto& expected = expected_.at(directory);
  const OutputDirectory& output = store.directory(directory);
  require(output.parts.size() == expected.size(), "there is a part for each task");
  for (std::uint32_t task = 0; task < expected.size(); ++task) {
    const auto part = output.parts.find(part_file_name(task));
    if (part == output.parts.end()) return complain(to_string(TaskId{job, task}) + " has no output");
    const std::vector<std::uint32_t>& records = store.file(part->second).records;
    if (records == expected[task]) continue;
    complain(to_string(TaskId{job, task}) + ": its output is not every record once and in order: " +
             std::to_string(records.size()) + " of " + std::to_string(expected[task].size()));
  }
}

void Audit::on_rest(const OutputStore& store, const FaultPlan& plan) {
  for (const auto& [id, job] : jobs_) {
    if (!is_final(job.state)) complain(to_string(id) + " does not end though nothing goes wrong any more");
  }
  for (const auto& [directory, job] : succeeded_) check_output(job, directory, store);
  for (const auto& [job, output] : answered_) {
    const auto reported = reported_.find(job);
    if (reported == reported_.end()) {
      complain(to_string(job) + " was accepted and does not end though nothing goes wrong any more");
      continue;
    }
    if (reported->second == JobState::Succeeded) continue;
    require(!store.directory(directory_of(output)).has_success, "a job that did not succeed is not committed");
    const bool is_blamed = blamed_for_lost_workers_.contains(job);
    require(!is_blamed || plan.may_blame_a_job_for_lost_workers(), "a job is not blamed for what few workers do");
    if (plan.must_succeed() && !is_blamed) complain(to_string(job) + " did not succeed though nothing made it fail");
  }
}

std::size_t Audit::succeeded() const { return succeeded_.size(); }

}  // namespace ontime::lab::faults

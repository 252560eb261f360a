#include "tests/faults/audit.h"

#include <algorithm>
#include <utility>

#include "common/base/crc32c.h"
#include "master/journal/record_codec.h"

namespace ontime::lab::faults {

using scheduler::JobState;

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

void Audit::on_batch(std::span<const scheduler::JournalRecord> batch) {
  under_way_.assign(batch.begin(), batch.end());
  ++batches_;
}

void Audit::on_durable() {
  const auto batch = std::exchange(under_way_, {});
  for (const scheduler::JournalRecord& one : batch) {
    durable_.apply(one, crc32c(journal::encode_record(one)));
    follow(one, false);
  }
}

void Audit::on_recovered(const std::vector<scheduler::JournalRecord>& records) {
  ++masters_;
  Memory found;
  for (const scheduler::JournalRecord& one : records) found.apply(one, crc32c(journal::encode_record(one)));
  if (std::exchange(times_have_changed_, false)) durable_ = found;
  // What was being written is there as a whole or not at all.
  if (found != durable_ && !under_way_.empty()) on_durable();
  under_way_.clear();
  require(found == durable_, "a new master finds everything that was durable, and no part of a batch");
  model_.forget();
  for (const scheduler::JournalRecord& one : records) follow(one, true);
  for (const auto& [job, output] : answered_) {
    const Job* known = model_.find_job(job);
    require(known != nullptr || ended_.contains(job), "a job that was accepted is never lost");
    require(known == nullptr || known->spec.output == output, "a job stays the job that was accepted");
  }
  for (const auto& [job, state] : ended_) {
    const Job* known = model_.find_job(job);
    require(known == nullptr || known->state == state, "the end of a job stays what it was");
  }
}

void Audit::on_answered(JobId job, const std::string& output) {
  require(!answered_.contains(job), "a job's number is answered once");
  answered_[job] = output;
  require(model_.find_job(job) != nullptr || ended_.contains(job), "a job that is answered is durable");
}

void Audit::on_told(JobId job, JobState state) {
  const auto known = ended_.find(job);
  require(known != ended_.end(), "what a client hears of a job's end is durable");
  require(known == ended_.end() || known->second == state, "a client hears how its job ended");
}

// Durable now: who looks at the output after this finds it as it was promised.
void Audit::on_ended(JobId job, JobState state) {
  const auto [known, is_first] = ended_.emplace(job, state);
  if (!is_first) return;
  if (state == JobState::Succeeded) ++succeeded_;
  if (const Job* ended = model_.find_job(job)) check_end(job, ended->spec.output, state);
}

// A commit that fails at its last steps cannot always take back what it has made, but that is right then.
void Audit::check_end(JobId job, const std::string& output, JobState state) {
  if (state == JobState::Succeeded || outputs_.has_success(output)) {
    if (const std::string wrong = outputs_.check(output); !wrong.empty()) complain(to_string(job) + ": " + wrong);
  }
  require(state == JobState::Succeeded || !outputs_.has_success(output) || plan_.may_leave_output(),
          "the output of a job that did not succeed is not complete");
}

// A store has no renames: what a complete output holds is there before its _SUCCESS, and stays what it is. Requests may
// arrive late, and twice; they change nothing then.
void Audit::on_object(const std::string& key, const std::string* before, const std::string* after) {
  const auto [output, name] = outputs_.place_of(key);
  if (before != nullptr && after != nullptr && *before == *after) return;
  const bool is_success = name == "_SUCCESS";
  if (is_success && after != nullptr) {
    if (const std::string wrong = outputs_.check(output); !wrong.empty()) complain(key + " was made: " + wrong);
  }
  const bool is_result = is_success || name == "_manifest.json" || name.starts_with("part-m-");
  if (is_result && (before != nullptr || !is_success) && outputs_.has_success(output))
    complain(key + " was changed in a complete output");
  if (is_success && before != nullptr) complain(key + " was taken away or written over");
  if (name.starts_with("_attempts/") && before != nullptr && after != nullptr)
    complain(key + " was stored once more, with other bytes");
  if (name == "_claim" && before != nullptr && (after != nullptr || *before == kRivalsClaim))
    complain(key + " was written over, or taken from another job");
}

void Audit::on_step(const scheduler::Cluster& cluster) {
  std::vector<std::string> broken = scheduler::violations(cluster);
  if (!broken.empty()) complain(std::move(broken.front()));
}

bool Audit::have_all_ended() const {
  return std::ranges::all_of(model_.jobs(), [](const auto& job) { return is_final(job.second.state); });
}

// Of what was submitted and became no job. The claim of a master that dies stays until a job wants that directory.
void Audit::check_refused() {
  if (masters_ > 1 || plan_.may_leave_claims()) return;
  for (const std::string& output : outputs_.requested()) {
    require(taken_.contains(output) || !outputs_.holds_something(output),
            "nothing is left of a submission that became no job");
  }
}

// `id`: "CLUSTER/job-1/0".
void Audit::on_notice(const std::string& id, std::uint32_t master) {
  require(notices_.emplace(id, master).second, "no master tells a notice twice");
  require(!noted_.contains(id.substr(id.find('/') + 1)), "no notice goes out again that the journal has as told");
}

void Audit::on_rest() {
  for (const auto& [id, job] : model_.jobs()) {
    require(!is_final(job.state) || job.told.contains(kNoticeOfEnd), "who asks for it hears of the end of every job");
  }
  check_refused();
  for (const auto& [id, job] : model_.jobs()) {
    if (!is_final(job.state)) complain(to_string(id) + " does not end though nothing goes wrong any more");
  }
  for (const auto& [job, output] : answered_) {
    const auto end = ended_.find(job);
    if (end == ended_.end()) return complain(to_string(job) + " was accepted and does not end");
    check_end(job, output, end->second);
    if (end->second == JobState::Succeeded) {
      require(!outputs_.has_leftovers(output) || plan_.may_act_late(), "nothing is left over in an output");
      continue;
    }
    // A master that has forgotten the job at its end, and died, cannot know what it was about to remove.
    require(!outputs_.holds_something(output) || model_.find_job(job) == nullptr || plan_.may_leave_output(),
            "nothing is left of a job that did not succeed");
    const bool is_blamed = blamed_for_lost_workers_.contains(job);
    require(!is_blamed || plan_.may_blame_a_job_for_lost_workers(), "a job is not blamed for what few workers do");
    const bool must_succeed = plan_.must_succeed() && !(plan_.may_fail_at_store() && outputs_.uses_store(output));
    if (must_succeed && !is_blamed) complain(to_string(job) + " did not succeed though nothing made it fail");
  }
}

}  // namespace ontime::lab::faults

#pragma once
// Jobs, tasks and nodes as people read them. Pure.

#include <string>

#include "cli/show/progress_line.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

// "running", "committing", "succeeded", "failed", "killed".
std::string state_name(wire::JobState state);
bool has_ended(const wire::JobSummary& job);
bool missed_its_deadline(const wire::JobSummary& job);  // only for a job that has ended

std::string local_time(std::int64_t unix_ns);  // empty for 0

ProgressState progress_of(const wire::JobSummary& job);

// What `run` and `submit --wait` print at the end of a job that succeeded: a few lines.
std::string summary_text(const wire::JobSummary& job);
// "job-1 failed: ..." with what the master knows, for stderr.
std::string failure_text(const wire::JobSummary& job);

std::string jobs_table(const wire::Reply::Jobs& jobs);
std::string nodes_table(const wire::Reply::Nodes& nodes);
// What has become of it when it was taken out, or back.
std::string drain_text(const wire::NodeSummary& node, bool undo);

// The head of `ontime job`: "name: value" lines, as far as there is something to say.
std::string job_text(const wire::Reply::Job& job);
// Lines about speculation for the end of a run; nothing if there was none.
std::string speculation_text(const wire::Reply::Job& job);
// One line for each policy, with titles and line ends.
std::string accounts_table(const wire::Reply::Jobs& jobs);
// One line for each attempt, below its task.
std::string tasks_table(const wire::Reply::Job& job, bool open_only);
std::string segments_table(const wire::Reply::Job& job, bool open_only);

}  // namespace ontime::cli

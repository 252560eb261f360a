#pragma once
// Jobs, tasks and nodes as people read them. Pure.

#include <string>
#include <vector>

#include "cli/show/progress_line.h"
#include "cli/show/table.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

// "running", "committing", "succeeded", "failed", "killed".
std::string state_name(wire::JobState state);
bool has_ended(const wire::JobSummary& job);
bool missed_its_deadline(const wire::JobSummary& job);  // only for a job that has ended

std::string local_time(std::int64_t unix_ns);  // empty for 0

ProgressState progress_of(const wire::JobSummary& job);

// What `run` and `submit --wait` print at the end of a job that succeeded: a few lines.
// The command that prints the answer works as it is shown: it names directories in which the application was found.
std::string summary_text(const wire::JobSummary& job, const std::vector<std::string>& application_directories = {});
// "job-1 failed: ..." with what the master knows, for stderr.
std::string failure_text(const wire::JobSummary& job);

std::string jobs_table(const wire::Reply::Jobs& jobs, Colours colours = Colours::No);
std::string nodes_table(const wire::Reply::Nodes& nodes, Colours colours = Colours::No);
// What has become of it when it was taken out, or back.
std::string drain_text(const wire::NodeSummary& node, bool undo);

// The head of `ontime job`: "name: value" lines, as far as there is something to say.
std::string job_text(const wire::Reply::Job& job);
// Lines about speculation for the end of a run; nothing if there was none.
std::string speculation_text(const wire::Reply::Job& job);
// One line for each policy, with titles and line ends.
std::string accounts_table(const wire::Reply::Jobs& jobs);
// One line for each attempt, below its task.
std::string tasks_table(const wire::Reply::Job& job, bool open_only, Colours colours = Colours::No);
std::string segments_table(const wire::Reply::Job& job, bool open_only);

// What is behind a job, as people read it: the forecast and what it rests on, where bytes and machine time have gone.
// Pure; texts without a line end unless said otherwise, empty when there is nothing to say.

// "theta=2s, lambda=0.1"
std::string parameters_text(const wire::JobSummary& job);
// "every 5.00 s", "off", or for a policy that restarts "off (hadoop restarts from the beginning; --checkpoint 5s ...)".
std::string checkpoint_text(const wire::JobSummary& job);
// True if checkpoints are off because the policy's paper restarts.
bool restarts_without_checkpoints(const wire::JobSummary& job);

std::string pocd_text(double pocd);  // "0.973", "above 0.999", "1"
std::string expected_text(const wire::JobSummary& job);
std::string durations_text(const wire::Durations& durations);

// "3 for late, 1 for slow"
std::string copies_text(const wire::Reply::Job& job);
std::string bytes_text(const wire::Account& account);
std::string machine_text(const wire::Account& account);
std::string saved_text(const wire::Account& account);

// The decisions about stragglers: when, why, and their results, as text for people. Pure.

// `whole`: every decision of a task; otherwise the first and last few of one with many.
std::string explained_text(const wire::Reply::Explained& explained, bool whole);

}  // namespace ontime::cli

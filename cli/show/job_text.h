#pragma once
// Jobs, tasks, nodes, decisions and logs as people read them. Pure, but for what a LogText remembers.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/show/lateness.h"
#include "cli/show/progress_line.h"
#include "cli/show/table.h"
#include "common/base/ids.h"
#include "common/output/attempt_log.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

std::string task_name(std::uint32_t index);  // "t00003"

ProgressState progress_of(const wire::JobSummary& job);

// What `run` and `submit --wait` print at the end of a job that succeeded: a few lines.
// The command that prints the answer works as it is shown: it names directories in which the application was found.
std::string summary_text(const wire::JobSummary& job, const std::vector<std::string>& application_directories = {});
// A line with what would have helped a job that was late (lateness.h), if there is something to say.
std::string hint_text(const wire::Reply::Job& job, std::uint32_t slots);
// "job-1 failed: ..." with what the master knows, for stderr.
std::string failure_text(const wire::JobSummary& job);

std::string jobs_table(const wire::Reply::Jobs& jobs, Look look = {});
std::string nodes_table(const wire::Reply::Nodes& nodes, Look look = {});
// What has become of it when it was taken out, or back.
std::string drain_text(const wire::NodeSummary& node, bool undo);

// The head of `ontime job`: "name: value" lines, as far as there is something to say.
std::string job_text(const wire::Reply::Job& job);
// Lines about speculation for the end of a run; nothing if there was none.
std::string speculation_text(const wire::Reply::Job& job);
// One line for each policy, with titles and line ends.
std::string accounts_table(const wire::Reply::Jobs& jobs, Look look = {});
// One line for each attempt, below its task.
std::string tasks_table(const wire::Reply::Job& job, Look look = {});
std::string segments_table(const wire::Reply::Job& job, Look look = {});
// That the list of `command` goes on there, and how to see it.
std::string more_tasks_text(const std::string& command, std::uint32_t next_task);

std::string left_out_text(const wire::JobSummary& job);     // likewise
std::string notices_text(const wire::JobSummary& job);      // likewise
std::string checkpoints_text(const wire::JobSummary& job);  // "every 5s", "off"
// "theta=2s, lambda=0.1"; empty: none.
std::string parameters_text(const wire::JobSummary& job);
// True if checkpoints are off because the policy's paper restarts.
bool restarts_without_checkpoints(const wire::JobSummary& job);
// "command=tr a-z A-Z": the application's; empty: none.
std::string settings_text(const wire::JobSummary& job);

// The decisions about stragglers: when, why, and their results, as text for people. Pure.

// "slow (it is slower than its peers)"
std::string reason_text(const std::string& code);
// Why, and what was done: "late (it is ...): 2 copies race from byte 0".
std::string decision_sentence(const wire::DecisionDetail& decision);
// `whole`: every decision of a task; otherwise the first and last few of one with many.
std::string explained_text(const wire::Reply::Explained& explained, bool whole);

// What attempts have written, for people and programs. Shows each attempt's log, and later only what has come since.
// What a master has kept.
std::vector<output::AttemptLog> logs_of(const wire::Reply::Logs& logs);

class LogText {
 public:
  explicit LogText(bool json) : json_(json) {}

  // As text: a title whenever another attempt speaks, then its lines. As JSON: an object a line.
  std::string next(output::AttemptLog log);
  std::string next(std::vector<output::AttemptLog> logs);  // in order of their attempts
  bool is_empty() const { return shown_.empty(); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  const bool json_;
  std::map<Key, std::uint64_t> shown_;  // up to this byte
  Key last_{~0U, ~0U};
  bool ends_in_line_ = true;
};

}  // namespace ontime::cli

#pragma once
// What verbs that talk to a master share: reaching it, waiting for a job, and reporting the job's end. Apart from
// execute.h for the sake of verbs that do not, as the messages are slow to compile.

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cli/client/master_client.h"
#include "cli/cluster/interrupt.h"
#include "cli/command.h"
#include "cli/show/progress_line.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace ontime::cli {

// How to reach the master that the options name. BadInput for a bad address or an unreadable token file.
Result<MasterClient::Options> client_options(const MasterOptions& options);

// How long a client waits for a master that is away: the next one may have to read its journal first.
inline constexpr auto kMasterAwayMost = std::chrono::seconds(60);

// Asks again while the master is away, until Ctrl-C. For clients that this master has answered before.
template <class Ask>
auto ask_patiently(const Ask& ask) {
  const auto give_up_at = std::chrono::steady_clock::now() + kMasterAwayMost;
  for (;;) {
    auto answer = ask();
    const bool is_away = !answer && answer.error().kind == ErrorKind::Unavailable;
    if (!is_away || interrupts() > 0 || std::chrono::steady_clock::now() >= give_up_at) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// Waits with long polls, progress, and patience with a master that is away for a while.
// Returns when the job has ended, with its account. An error when the client's watch ends the wait, or when the master
// has been away for `away_most` without a break.
Result<wire::Reply::Job> follow(MasterClient& client, JobId job, ProgressView& view, Duration away_most);

// Asks for the forecasts of the jobs in a list that run and have a deadline.
Status add_forecasts(MasterClient& client, wire::Reply::Jobs& jobs);

// How many tasks are explained unless all are asked for.
inline constexpr std::uint32_t kTasksExplained = 20;

// What `run` and `submit --wait` say when the job has ended, and the exit code that belongs to it. Prints the job as
// JSON or text to stdout, the reason of a failure to stderr.
struct ReportStyle {
  bool json = false;
  bool quiet = false;
  bool tasks = false;                                 // `job` holds tasks, and they are to be shown
  const wire::Reply::Explained* explained = nullptr;  // to be shown too
  std::vector<std::string> application_directories;   // where the client was told to look
  std::uint32_t slots = 0;                            // of the cluster; 0: not known
};
// The slots of all live workers, if the job was late and that may be why; 0: nobody asked, or there was no answer.
std::uint32_t slots_if_late(MasterClient& client, const wire::JobSummary& job);
ExitCode report_end(const wire::Reply::Job& job, ReportStyle style);

}  // namespace ontime::cli

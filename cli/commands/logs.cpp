#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/client/follow.h"
#include "cli/client/selector.h"
#include "cli/commands/execute.h"
#include "cli/result/part_file.h"
#include "cli/show/job_text.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using output::AttemptLog;

constexpr auto kFollowInterval = 500ms;

bool is_chosen(const AttemptLog& log, const AttemptChoice& choice) {
  return log.task == choice.task.value_or(log.task) && log.attempt == choice.attempt.value_or(log.attempt);
}

// Silence could also mean that something is wrong.
void say_if_nothing(const LogText& text, const LogsCommand& command) {
  if (text.is_empty() && !command.json) std::fputs("ontime: nothing was written to stderr\n", stderr);
}

void print_now(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// "Nothing was written" would be a wrong answer about a task that does not exist.
Status check_task(const std::string& output, const AttemptChoice& choice) {
  if (!choice.task) return {};
  const auto local = LocalOutput::with_file(output, output::kManifestName);
  if (!local) return local.error();
  const auto manifest = output::read_manifest((*local)->directory());
  if (!manifest || *choice.task < manifest->tasks.size()) return {};
  return bad_input("no such task: " + std::to_string(*choice.task) + "; the job of '" + output + "' has " +
                   counted(manifest->tasks.size(), "task") + ", counted from 0");
}

Result<ExitCode> print_kept(const std::string& output, const LogsCommand& command) {
  const auto local = LocalOutput::with_file(output, output::kLogsName);
  if (!local) return local.error();
  if (Status known = check_task(output, command.attempts); !known) return known.error();
  auto logs = output::read_logs((*local)->directory());
  if (!logs) return logs.error();
  std::erase_if(*logs, [&](const AttemptLog& log) { return !is_chosen(log, command.attempts); });
  LogText text(command.json);
  print_now(text.next(std::move(*logs)));
  say_if_nothing(text, command);
  return ExitCode::Done;
}

// A name without a slash may be a job's too, unless there is such a directory.
bool is_output(const std::string& word) {
  std::error_code ignored;
  return !parse_job_id(word) && (word.find('/') != word.npos || std::filesystem::exists(word, ignored));
}

}  // namespace

Result<ExitCode> execute(const LogsCommand& command) {
  if (is_output(command.job)) return print_kept(command.job, command);
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto job = find_job(client, command.job);
  if (!job) return job.error();
  wire::Request::ReadLogs request;
  request.set_job(job->value);
  if (command.attempts.task) request.set_task(*command.attempts.task);
  if (command.attempts.attempt) request.set_attempt(*command.attempts.attempt);
  LogText text(command.json);
  for (bool is_first = true;; is_first = false) {
    const auto ask = [&] {
      auto answer = client.read_logs(request);
      if (!answer) request.set_since(0);  // the next master counts anew; what was printed is not printed again
      return answer;
    };
    auto reply = is_first ? ask() : ask_patiently(ask);
    if (!reply) return reply.error();
    // A master that was restarted since has only what stands beside the output.
    if (is_first && reply->state() == wire::SUCCEEDED && reply->logs().empty())
      return print_kept(reply->output(), command);
    const bool is_last = !command.follow || protocol::has_ended(reply->state());
    request.set_since(reply->next());
    if (is_first && reply->dropped() > 0)
      std::fprintf(stderr, "ontime: %s not kept any more\n",
                   counted(reply->dropped(), "log of an attempt is", "logs of attempts are").c_str());
    print_now(text.next(logs_of(*reply)));
    if (is_last) {
      say_if_nothing(text, command);
      return ExitCode::Done;
    }
    std::this_thread::sleep_for(kFollowInterval);
  }
}

}  // namespace ontime::cli

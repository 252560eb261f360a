#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/application_check.h"
#include "cli/client/exported_job.h"
#include "cli/client/follow.h"
#include "cli/cluster/embedded_cluster.h"
#include "cli/cluster/interrupt.h"
#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/each_job.h"
#include "cli/job_request.h"
#include "cli/result/answer_output.h"
#include "cli/show/job_text.h"
#include "cli/show/table.h"
#include "cli/spooled_input.h"
#include "common/base/limits.h"
#include "common/base/machine.h"
#include "common/base/wording.h"
#include "master/recording/block.h"

#ifndef __has_feature  // clang's way to say what gcc says by macros
#define __has_feature(name) 0
#endif

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kKillPatience = 2s;
constexpr auto kNoticesMost = 2min;  // a server that is down is asked again for one

// Most jobs of a few MB have ended before a second worker could be of use. Where time counts all start at once.
Duration wait_of_other_workers(const RunCommand& command) {
  const injection::Flags& injection = command.cluster.injection;
  const bool time_counts =
      command.job.deadline > Duration::zero() || !injection.settings.empty() || !injection.file.empty();
  return time_counts ? 0ms : 50ms;
}

ResultCommand answer_of(const RunCommand& command, const std::string& output) {
  ResultCommand result;
  result.directory = output;
  result.output = command.answer;
  result.run_command = true;  // it is the reader's own
  result.application_directories = command.job.application_directories;
  return result;
}

bool is_standard_output(const std::string& path) { return path == kStandardOutput; }

Status check_is_new_or_stdout(const std::string& flag, const std::string& path) {
  return is_standard_output(path) ? Status() : check_is_new(flag, path);
}

// What a run writes besides its output.
Status check_files_of(const RunCommand& command) {
  const int printed = (command.json ? 1 : 0) + (is_standard_output(command.answer) ? 1 : 0) +
                      (is_standard_output(command.report) ? 1 : 0);
  if (printed > 1)
    return bad_input(
        "two of --json, --answer - and --report - would print into each other; give --answer or --report a file");
  std::vector<NamedFile> files{{"--record", command.record}, {"--log-file", command.cluster.log_file}};
  if (!is_standard_output(command.answer)) files.push_back({"--answer", command.answer});
  if (!is_standard_output(command.report)) files.push_back({"--report", command.report});
  for (const Status& check :
       {check_can_be_written("--log-file", command.cluster.log_file), check_is_new("--record", command.record),
        check_is_new_or_stdout("--answer", command.answer), check_is_new_or_stdout("--report", command.report)})
    if (!check) return check;
  return check_are_different(files);
}

// What an application that leaks may take. None under sanitizers, which allocate terabytes.
std::uint64_t default_attempt_memory(const ClusterOptions& cluster) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
  return cluster.attempt_memory;
#else
  const std::uint64_t all = machine_share().memory_bytes;
  return std::max(all / (std::uint64_t{cluster.workers} * cluster.slots), std::min<std::uint64_t>(all, 1u << 30));
#endif
}

// One `ontime run`: the cluster, the job on it, and the view of it, in the order of their lives.
class OneJobCluster {
 public:
  OneJobCluster(const RunCommand& command, wire::JobSpec spec)
      : command_(command), spec_(std::move(spec)), output_(spec_.output()), view_(command.quiet) {}

  // `is_checked`: the application is.
  Result<ExitCode> execute(bool is_checked);

 private:
  MasterClient::Options options(int interrupts_seen, Duration patience);
  Result<wire::Reply::Job> run_job(MasterClient& client);
  Result<JobId> submit(MasterClient& client);
  Result<JobId> find_or_submit(MasterClient& client);
  void announce(const wire::Reply::Submitted& submitted);
  void kill_job();
  Result<ExitCode> give_up(const Error& error);
  void await_notices(MasterClient& client);
  Status keep_recording();
  Status write_report();
  Status write_answer();
  Error in_spite_of_success(Error error) const;

  const RunCommand& command_;
  const wire::JobSpec spec_;
  LeftOutput output_;
  ProgressView view_;
  std::unique_ptr<EmbeddedCluster> cluster_;
  JobId job_;  // 0: not accepted yet
  std::optional<wire::Reply::Explained> explained_;
  std::string report_;  // the page, if one is wanted
};

MasterClient::Options OneJobCluster::options(int interrupts_seen, Duration patience) {
  MasterClient::Options options;
  options.masters = cluster_->master();
  options.token = cluster_->token();
  options.patience = patience;
  options.watch = [this, interrupts_seen] {
    auto status = check_interrupts(interrupts_seen);
    return status ? cluster_->tend() : status;
  };
  return options;
}

Result<ExitCode> OneJobCluster::execute(bool is_checked) {
  auto options_of_cluster = command_.cluster;
  options_of_cluster.application_directories = command_.job.application_directories;
  options_of_cluster.record = !command_.record.empty();
  options_of_cluster.is_local_only = is_local_only(command_.job);
  options_of_cluster.access_points = prepare_access_points();
  if (options_of_cluster.attempt_memory == 0)
    options_of_cluster.attempt_memory = default_attempt_memory(options_of_cluster);
  auto cluster = EmbeddedCluster::start(options_of_cluster);
  if (!cluster) return cluster.error();
  cluster_ = std::move(*cluster);
  const Status application = is_checked ? Status() : check_application(command_.job);  // while that starts
  if (!application) return give_up(application.error());
  MasterClient client(options(0, 30s));
  const auto ended = run_job(client);
  view_.clear();
  if (!ended) return give_up(ended.error());
  auto code = report_end(*ended, {.json = command_.json,
                                  .quiet = command_.quiet || is_standard_output(command_.answer),
                                  .tasks = command_.show_tasks,
                                  .explained = explained_ ? &*explained_ : nullptr,
                                  .application_directories = command_.job.application_directories,
                                  .slots = slots_if_late(client, ended->summary())});
  if (ended->summary().notify_size() > 0) await_notices(client);
  cluster_->stop();
  const bool succeeded = ended->summary().state() == wire::SUCCEEDED;
  if (!succeeded) output_.remove();
  const Status recorded = keep_recording();
  const Status reported = write_report();
  const Status answered = succeeded ? write_answer() : Status();
  for (const Status& status : {recorded, reported, answered})
    if (!status) return succeeded ? in_spite_of_success(status.error()) : status.error();
  return code;
}

// What was asked for besides the output is missing.
Error OneJobCluster::in_spite_of_success(Error error) const {
  while (error.message.ends_with('.')) error.message.pop_back();
  error.message += "; the job has succeeded, and its output is in '" + spec_.output() + "'";
  return error;
}

Result<wire::Reply::Job> OneJobCluster::run_job(MasterClient& client) {
  const auto job = submit(client);
  if (!job) return job.error();
  job_ = *job;
  output_.hold();
  auto ended = follow(client, job_, view_, kMasterAwayMost);
  if (ended && command_.explain) {
    wire::Request::Explain request;
    request.set_job(job_.value);
    request.set_tasks_max(kTasksExplained);
    auto explained = client.explain(std::move(request));
    if (!explained) return explained.error();
    explained_ = std::move(*explained);
  }
  if (ended && !command_.report.empty()) {
    auto report = export_job(client, job_, ExportCommand::As::Report);
    if (!report) return report.error();
    report_ = std::move(*report);
  }
  if (!ended || !command_.show_tasks) return ended;
  return client.describe(job_, {.tasks = true, .account = true});
}

// A master that dies between the request and its answer may have accepted the job: the next one knows.
Result<JobId> OneJobCluster::submit(MasterClient& client) {
  auto submitted = client.submit(spec_);
  if (submitted) {
    announce(*submitted);
    return JobId{submitted->job()};
  }
  const auto give_up_at = std::chrono::steady_clock::now() + kMasterAwayMost;
  Result<JobId> job = submitted.error();
  while (!job && job.error().kind == ErrorKind::Unavailable && std::chrono::steady_clock::now() < give_up_at)
    job = find_or_submit(client);
  return job;
}

Result<JobId> OneJobCluster::find_or_submit(MasterClient& client) {
  const auto jobs = client.list_jobs();
  if (!jobs) return jobs.error();
  for (const auto& job : jobs->jobs())
    if (job.output() == spec_.output()) return JobId{job.job()};
  const auto submitted = client.submit(spec_);
  if (!submitted) return submitted.error();
  return JobId{submitted->job()};
}

void OneJobCluster::announce(const wire::Reply::Submitted& submitted) {
  view_.say(to_string(JobId{submitted.job()}) + ": " + spec_.application() + ", " + counted(submitted.tasks(), "task") +
            ", " + counted(command_.cluster.workers, "worker"));
  if (const std::string due = told_due(command_.job); !due.empty()) view_.say(due);
  if (!submitted.left_out().empty()) view_.say(submitted.left_out());
  for (const std::string& doubt : doubts_about(command_.cluster, submitted.tasks(), machine_share().cores))
    view_.say(doubt);
}

// The master ends with this run and takes them along, so what is due goes out before.
void OneJobCluster::await_notices(MasterClient& client) {
  const auto give_up_at = std::chrono::steady_clock::now() + kNoticesMost;
  for (;;) {
    const auto job = client.describe(job_, {});
    if (!job) return;
    const auto& notices = job->summary().notify();
    const bool is_any_due = std::ranges::any_of(notices, [](const wire::Notice& notice) { return notice.is_due(); });
    if (is_any_due && std::chrono::steady_clock::now() < give_up_at) {
      std::this_thread::sleep_for(20ms);
      continue;
    }
    for (const wire::Notice& notice : notices) {
      const std::string why = notice.is_due() ? "it took too long" : notice.problem();
      if (!why.empty())
        std::fprintf(stderr, "ontime: --notify %s was not told: %s\n", notice.when().c_str(), why.c_str());
    }
    return;
  }
}

// Complete once the master has ended.
Status OneJobCluster::keep_recording() {
  if (command_.record.empty()) return {};
  if (Status still_new = check_is_new("--record", command_.record); !still_new) return still_new;
  return recording::join_epochs(recording::recordings_of(cluster_->journal()), command_.record);
}

Status OneJobCluster::write_report() {
  if (report_.empty()) return {};
  if (Status still_new = check_is_new_or_stdout("--report", command_.report); !still_new) return still_new;
  return write_export(report_, command_.report, false);
}

Status OneJobCluster::write_answer() {
  if (command_.answer.empty()) return {};
  if (Status still_new = check_is_new_or_stdout("--answer", command_.answer); !still_new) return still_new;
  const auto done = cli::execute(answer_of(command_, spec_.output()));
  return done ? Status() : done.error();
}

// Lets the master end the attempts and drop the output; a second Ctrl-C cuts that short.
void OneJobCluster::kill_job() {
  MasterClient client(options(1, kKillPatience));
  if (!client.kill(job_)) return;
  const auto ended = client.describe(job_, {}, kKillPatience);
  static_cast<void>(ended);
}

Result<ExitCode> OneJobCluster::give_up(const Error& error) {
  const bool was_interrupted = interrupts() > 0;
  if (was_interrupted && job_.value != 0) kill_job();
  cluster_->stop();
  if (job_.value != 0) {
    static_cast<void>(keep_recording());  // there may be none
    output_.remove();
  }
  if (!was_interrupted) return error;
  std::fprintf(stderr, "ontime: interrupted; the job was ended and has no output\n");
  return ExitCode::Interrupted;
}

}  // namespace

Result<ExitCode> execute(const RunCommand& asked) {
  RunCommand command = asked;
  if (Status found = look_up_by_name(command.job); !found) return found.error();
  if (Status named = add_named_inputs(command.job); !named) return named.error();
  for (const auto& check :
       {check_output(command.job.output), check_intervals(command.cluster.heartbeat, command.cluster.node_timeout),
        check_files_of(command)})
    if (!check) return check.error();
  install_interrupt_handlers();
  signal(SIGPIPE, SIG_IGN);
  files::TemporaryDirectory::remove_left_overs();
  // Before what takes long. Where nothing does, the application is checked while the cluster starts.
  const bool is_checked =
      !is_application(command.job) || SpooledInput::is_asked(command.job) || !is_local_only(command.job);
  const Status application = is_checked ? check_application(command.job) : Status();
  SpooledInput standard_input(command.quiet);
  const Status read = application ? standard_input.read(command.job) : application;
  if (interrupts() > 0) return ExitCode::Interrupted;
  if (!read) return read.error();
  complete_each(command.job);
  auto spec = make_job_spec(command.job, current_directory());
  if (const Status added = add_files(command.job, spec); !added) return added.error();
  command.cluster.others_wait = wait_of_other_workers(command);
  return OneJobCluster(command, std::move(spec)).execute(is_checked);
}

}  // namespace ontime::cli

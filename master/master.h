#pragma once
// The composition root: one master on one io_context. Owns everything but the journal and the listening socket's
// origin. Everything runs on the thread that runs the io_context, but for the pools inside.

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/result.h"
#include "master/acceptor.h"
#include "master/actions/action_dispatcher.h"
#include "master/actions/submit_answers.h"
#include "master/advice/advisor.h"
#include "master/base/settings.h"
#include "master/clients/client_session.h"
#include "master/clients/job_pictures.h"
#include "master/clients/shared_answers.h"
#include "master/clients/views.h"
#include "master/history/job_history.h"
#include "master/inputs/index_store.h"
#include "master/journal/journal.h"
#include "master/loop/control_loop.h"
#include "master/loop/journal_writer.h"
#include "master/mounts/file_work.h"
#include "master/notices/notices.h"
#include "master/outputs/attempt_logs.h"
#include "master/outputs/output_committer.h"
#include "master/recording/recorder.h"
#include "master/submissions/submissions.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

class Master {
 public:
  // Recovers what the journal holds. The journal and the io_context outlive the master; destroy the master only when
  // the io_context does not run. `on_failure`: see JournalWriter. `recorder` may be null: nothing is recorded.
  static Result<std::unique_ptr<Master>> make(asio::io_context& io, journal::Journal& journal, Settings settings,
                                              asio::ip::tcp::acceptor socket, JournalWriter::OnFailure on_failure,
                                              std::unique_ptr<recording::Recorder> recorder = nullptr);
  ~Master();

  void start();
  // Calls `then`, which ends the run of the io_context, when everything that has happened so far is durable and told to
  // whom it concerns, or kWindDownMax later.
  void wind_down(std::function<void()> then);
  // Closes all connections and lets commits end early. What is not durable is lost, as by kill. False if threads hang
  // in a file system that does not answer: then the process must end by _exit. When the io_context does not run.
  bool stop();

  // See Acceptor. On the io_context's thread.
  std::size_t set_tokens(net::Tokens tokens);

  std::uint16_t port() const { return acceptor_.port(); }
  const scheduler::Cluster& cluster() const { return scheduler_->cluster(); }
  const SessionCounters& counters() const { return acceptor_.counters(); }

  static constexpr Duration kWindDownMax = std::chrono::milliseconds(500);

 private:
  static constexpr Duration kLateLogs = std::chrono::seconds(2);  // after a job's end, of attempts that were killed
  static constexpr Duration kLastWords = std::chrono::milliseconds(1);  // between two looks whether answers have left

  struct Recovered {
    std::unique_ptr<scheduler::Scheduler> scheduler;
    AttemptMessages failures;
    TimePoint first = TimePoint::max();  // of the records
    TimePoint last;
  };
  static Result<Recovered> read(journal::Journal& journal, const Settings& settings, recording::Recorder* recorder);
  // Sets the journal's times back if the last of them, but not all, are far ahead of the clock.
  static Result<Recovered> recover(journal::Journal& journal, const Settings& settings, recording::Recorder* recorder);
  Master(asio::io_context& io, journal::Journal& journal, const Settings& settings, asio::ip::tcp::acceptor socket,
         JournalWriter::OnFailure on_failure, Recovered recovered, std::unique_ptr<recording::Recorder> recorder);
  void begin_recording();
  void end_when_told(std::function<void()> then, asio::steady_timer::time_point until);

  std::unique_ptr<Advisor> make_advisor(const Settings& settings);
  void observe(const scheduler::JournalRecord& record);
  // For the masters to come: at its end, and again if its attempts are heard of until some time later.
  asio::awaitable<void> keep_history(JobId id);
  // Of jobs that ended just before the last master did.
  void discard_left_output();
  // Jobs that a master with --advise has left to one without it, or the other way round.
  void end_jobs_of_the_other_kind(bool advises);

  const std::string cluster_id_;
  const Duration heartbeat_;
  const scheduler::Settings scheduling_;
  const std::unique_ptr<scheduler::Scheduler> scheduler_;
  const std::unique_ptr<recording::Recorder> recorder_;  // may be null
  AttemptMessages failures_;
  AttemptLogs logs_;
  ApplicationLinks applications_;
  IndexStore indexes_;
  MachineUses machine_uses_;
  JobWatch watch_;
  SubmitAnswers answers_;
  ActionDispatcher dispatcher_;
  ControlLoop control_;
  FileWork commit_work_;
  FileWork submission_work_;  // its own threads: long commits hold up no submission
  OutputCommitter committer_;
  JobLists lists_;
  Accounts accounts_;
  JobPictures pictures_;
  history::JobHistory history_;
  Notices notices_;
  RoomForJobs room_;
  Submissions submissions_;
  std::optional<net::Right> command_right_;  // see ClientServices
  const bool is_command_right_given_;
  const std::unique_ptr<Advisor> advisor_;  // may be null
  Acceptor acceptor_;
  asio::steady_timer wind_down_;
};

}  // namespace ontime::master

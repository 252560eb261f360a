#pragma once
// The worker's attempts and the runners they run in. Takes the master's orders, drives runners and launcher, puts what
// happens into the report log. One thread; outlives the run of its io_context.
//
// Bounds:
// * attempts: 2 * slots. The master may hand out a slot again when its attempt has sealed all, a moment before the
//   runner says that it has finished.
// * living runners: 2 * slots.
// * killed runners whose end has not been seen, because they hang in the kernel: kDyingFactor * slots + kDyingExtra.
//   A launch beyond that is refused as LAUNCH: it is this machine's state, not the attempt's fault.
// * such runners of one job: kDyingOfJobFactor * slots + kDyingOfJobExtra, so that a job whose disk hangs leaves room
//   for others. A launch beyond that is refused as INPUT: the job's files hang here.
// * users, where each job has its own: a job that finds none free is refused as LAUNCH (job_resources.h).

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/files/roots.h"
#include "common/store/access.h"
#include "worker/agent/attempts/attempt.h"
#include "worker/agent/attempts/attempt_outputs.h"
#include "worker/agent/attempts/disturber.h"
#include "worker/agent/attempts/refusal_log.h"
#include "worker/agent/runners/job_resources.h"
#include "worker/agent/runners/launcher_link.h"
#include "worker/agent/runners/runner_link.h"
#include "worker/agent/session/master_link.h"
#include "worker/agent/session/outboxes.h"
#include "worker/agent/session/report_log.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {

class Slots final : public OrderTaker, private RunnerEvents, private LauncherEvents {
 public:
  static constexpr std::uint32_t kSlotsMax = kSlotsOfWorkerMax;
  static constexpr std::size_t kJobsMax = 10'000;  // set up and not forgotten
  // A runner that is not inside a record answers a cut in 50 ms. If it has not after this time, the worker does.
  static constexpr Duration kAnswerTime = std::chrono::milliseconds(250);
  static constexpr std::size_t kDyingFactor = 4;
  static constexpr std::size_t kDyingExtra = 64;
  static constexpr std::size_t kDyingOfJobFactor = 2;
  static constexpr std::size_t kDyingOfJobExtra = 8;

  struct Options {
    std::uint32_t slots = 1;
    std::vector<std::string> application_directories;
    std::string node_name{};  // as the master knows this worker
    files::Roots input_roots{};
    files::Roots output_roots{};
    AttemptLimits limits{};
    std::optional<uid_t> user{};         // attempts run as this one, and the launcher makes their output files
    std::optional<UserRange> users{};    // each job has one of these, instead
    bool has_only_own_apps = false;      // jobs may not name other directories of applications
    Duration answer_time = kAnswerTime;  // another one in tests only
    JobFiles::Hook before_file_work = [] {};
  };

  // All of them outlive it.
  Slots(asio::any_io_executor executor, Options options, ReportLog& reports, LauncherLink& launcher,
        AttemptOutputs& outputs);
  ~Slots() override;

  // Starts the launcher; Failed if that cannot be done.
  Status start() { return launcher_.start(*this); }
  // Kills all attempts without a report and ends the launcher. Nothing is taken afterwards.
  void stop();

  Status begin_session(const wire::ToWorker::Welcome& welcome) override;
  Status obey(const wire::Order& order) override;
  void add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) override;
  void refill_logs() override;
  std::optional<wire::ToMaster::Logs> take_logs() override;
  std::optional<wire::ToMaster::Notes> take_notes() override;

  std::size_t attempt_count() const { return attempts_.size(); }
  std::size_t runner_count() const { return runners_.size(); }  // dying ones included

 private:
  struct Running {
    Attempt attempt;
    std::shared_ptr<RunnerLink> runner;
    std::unique_ptr<AttemptOutput> output;
    // Its seals, and that it has finished, count one after another, when the segments are where the master looks for
    // them. The first is under way.
    std::deque<wire::FromRunner> waiting{};
    std::optional<wire::StartPoint> start{};         // that came with the order to begin
    std::unique_ptr<asio::steady_timer> patience{};  // until the worker answers a cut itself
  };
  using Setup = std::shared_ptr<const wire::JobSetup>;
  struct Refusal {
    wire::Failure failure = wire::LAUNCH;
    std::string message;
  };

  Status on_setup(const wire::JobSetup& setup);
  Status on_launch(const wire::Order::Launch& launch);
  Status on_begin(const wire::Order::Begin& begin);
  Status on_cut(const wire::Order::Cut& cut);
  void kill(AttemptId id, const std::string& reason);
  void forget(JobId job);

  // Hands the attempt to a runner: an idle one of the job, otherwise a new one.
  Result<void, Refusal> place(AttemptId id, const wire::Order::Launch& launch, const Setup& setup);
  std::shared_ptr<RunnerLink> find_idle(const Setup& setup) const;
  Result<std::shared_ptr<RunnerLink>, Refusal> spawn(const Setup& setup);
  // Its files are there, or not.
  void on_directory_made(std::uint64_t runner, const Status& made);
  // The user that the job's runners have; 0: the one of all.
  Result<uid_t, Refusal> user_of(JobId job);
  // Ends idle runners, oldest first, until another one fits.
  void make_room();
  void end_idle_runners();
  std::size_t living_runners() const;
  // Whether one more runner of this job fits beside those that do not end.
  Result<void, Refusal> check_dying(JobId job) const;
  // Tells the runner of a standby to begin, if it is time.
  void pass_begin(Running& running);
  void ask_cut(Running& running);
  // Answers the cut in place of the runner, if that is still possible.
  void answer_cut(Running& running);
  void limit_wait(Running& running);
  // A fresh one for the file of a store.
  void give_address(Running& running, std::uint32_t part);  // of its file
  Status observe(Running& running);
  // Syncs the first of what it has sealed, or takes note that it has finished.
  void sync_next(Running& running);
  // False: the attempt was killed meanwhile, nobody wants its segment.
  bool on_synced(AttemptId id, const Status& status);
  // Takes note of what the attempt has said.
  void hear(Running& running, const wire::FromRunner& message);

  void on_runner_message(RunnerLink& runner, const wire::FromRunner& message) override;
  void on_runner_garbled(RunnerLink& runner) override;
  void on_runner_over(RunnerLink& runner, int wait_status) override;
  void on_runner_spawned(std::uint64_t runner, pid_t pid) override;
  void on_runner_exited(std::uint64_t runner, int wait_status) override;
  void on_spawn_failed(std::uint64_t runner, const std::string& why) override;
  void on_launcher_lost() override;
  void on_launcher_ready() override { sweep_left_behind(); }

  Running* running_in(const RunnerLink& runner);
  // What it has written since the last time is to be sent.
  void collect_log(const Running& running);
  void on_finished(Running& running);
  // Reports the end of the attempt that this runner works on, if any, and kills the runner.
  void fail(RunnerLink& runner, wire::Ended ended);
  void fail(RunnerLink& runner, wire::Failure failure, std::string message);
  // The same of one that has said what cannot be.
  void fail_for(RunnerLink& runner, const std::string& breach);
  void report_end(AttemptId id, wire::Ended ended);
  void drop(std::uint64_t runner);
  // Gives the job's user back unless a runner has it.
  void leave_user(JobId job);
  // Ends what runs as users that no job has.
  void sweep_left_behind();

  asio::any_io_executor executor_;
  const Options options_;
  ReportLog& reports_;
  LauncherLink& launcher_;
  AttemptOutputs& outputs_;
  RefusalLog refusals_;
  store::Lender lender_;
  Disturber disturber_;
  JobFiles files_;
  LogOutbox logs_;
  NoteOutbox notes_;
  bool syncs_at_commit_ = false;   // as in ToWorker.Welcome
  std::map<JobId, Setup> setups_;  // of this session
  std::map<AttemptId, Running> attempts_;
  std::map<std::uint64_t, std::shared_ptr<RunnerLink>> runners_;  // until their end was seen
  // Those of them that wait for their files, with what the launcher is then asked for.
  struct Waiting {
    RunnerEnds ends;
    uid_t user = 0;
    std::optional<std::string> output{};
  };
  std::map<std::uint64_t, Waiting> starting_;
  std::uint64_t last_runner_ = 0;
  std::optional<JobUsers> users_;
};

}  // namespace ontime::worker

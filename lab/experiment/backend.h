#pragma once
// Where the runs of an experiment are carried out.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "common/base/result.h"
#include "lab/experiment/job_rows.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/result_directory.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"
#include "lab/verbs/command.h"

namespace ontime::lab::experiment {

// The input files of jobs: those that the scenario names, and data that is made for it as by `ontime gen`.
class Inputs {
 public:
  // Data goes to `directory`, which the workers must see under the same path.
  explicit Inputs(std::string directory) : directory_(std::move(directory)) {}

  // Makes what is missing.
  Status prepare(const Scenario& scenario, const std::vector<PlannedJob>& jobs);
  std::vector<std::string> of(const JobGroup& group, std::uint32_t tasks) const;

 private:
  std::string data_path(const JobGroup& group, std::uint32_t tasks) const;
  std::string directory_;
};

// Whether jobs have given the right answer: the output is whole, every record of the input is in it once, and jobs that
// ask the same get the same answer, whatever was done about their stragglers.
class Answers {
 public:
  Answers(std::string scratch, std::vector<std::string> application_directories)
      : scratch_(std::move(scratch)), application_directories_(std::move(application_directories)) {}

  // Failed, with what is wrong, for an answer that is not right.
  Status check(const std::string& output, const JobGroup& group, const std::vector<std::string>& inputs);

 private:
  struct Known {
    std::uint64_t records = 0;
    std::uint32_t checksum = 0;
  };
  Result<std::uint32_t> checksum_of(const std::string& output) const;

  std::string scratch_;  // a file for merged answers
  std::vector<std::string> application_directories_;
  std::map<std::string, Known> known_;  // by question: application, parameters, inputs
};

// One run on a cluster: submits each job at its instant, watches, and asks about those that have ended.
struct RunProgress {
  std::size_t ended = 0;  // of the counted jobs
  std::size_t jobs = 0;   // counted
};

class ClusterRun {
 public:
  struct Setup {
    const Scenario& scenario;
    const Run& run;
    const Baselines& baselines;
    const Inputs& inputs;
    std::string outputs;  // a directory, each job has one below
    std::function<void(const RunProgress&)> show;
    std::function<Status()> watch;  // its error ends the run
  };
  // `client` reaches the master; both outlive this.
  ClusterRun(Setup setup, cli::MasterClient& client) : setup_(std::move(setup)), client_(client) {}

  // Returns when all counted jobs have ended or the scenario's limit has passed; what is left is then killed.
  Result<Results> carry_out();
  // Where job `index` has written, if it has succeeded; empty otherwise.
  std::string output_of(std::size_t index) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    JobId id;  // 0: not submitted
    std::string output;
    Clock::time_point submitted;
    double deadline = 0;
    std::size_t next_forecast = 0;
    bool has_ended = false;
    bool has_succeeded = false;
  };

  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool is_counted(std::size_t index) const { return setup_.run.jobs[index].kind == JobKind::Counted; }
  bool is_due(std::size_t index) const;
  bool is_over() const;
  Status submit_what_is_due();
  Status submit(std::size_t index);
  Result<wire::JobSpec> spec_of(std::size_t index);
  Status ask_forecasts();
  Status poll();
  Status take(std::size_t index, const wire::JobSummary& summary);
  JobContext context_of(std::size_t index) const {
    return experiment::context_of(setup_.scenario, setup_.run, index, begin_unix_ns_);
  }
  void kill_what_is_left();
  void rest();
  void show();

  Setup setup_;
  cli::MasterClient& client_;
  Clock::time_point begin_;
  std::int64_t begin_unix_ns_ = 0;  // by the master's clock
  std::vector<Job> jobs_;           // as the run's
  std::size_t next_ = 0;            // to be submitted
  Clock::time_point poll_at_;
  Clock::time_point heard_at_;
  Results results_;
};

class Backend {
 public:
  virtual ~Backend() = default;
  using Show = std::function<void(const RunProgress&)>;
  // A run whose answers are right, or an error.
  virtual Result<Results> carry_out(const Run& run, const Baselines& baselines, const Show& show) = 0;
  virtual std::uint32_t slots() const = 0;
  // What has to be said about it before the first run; empty: nothing.
  virtual std::string remark() const { return {}; }
};

// sim, local, or HOST:PORT for a cluster that is there; BadInput or Unavailable if there is none or it does not fit.
// The scenario and the directory outlive it.
Result<std::unique_ptr<Backend>> make_backend(const ExperimentCommand& command, const Scenario& scenario,
                                              const ResultDirectory& directory);

}  // namespace ontime::lab::experiment

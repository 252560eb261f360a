#pragma once
// One run on a cluster: submits each job at its instant, watches, and asks about those that have ended.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "common/base/result.h"
#include "lab/experiment/inputs.h"
#include "lab/experiment/job_rows.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

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
  JobContext context_of(std::size_t index) const;
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

}  // namespace ontime::lab::experiment

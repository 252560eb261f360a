#pragma once
// Where the runs of an experiment are carried out.

#include <functional>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/experiment/cluster_run.h"
#include "cli/experiment/result_directory.h"
#include "common/base/result.h"
#include "experiment/plan.h"
#include "experiment/scenario.h"

namespace ontime::cli {

class Backend {
 public:
  virtual ~Backend() = default;
  using Show = std::function<void(const RunProgress&)>;
  // A run whose answers are right, or an error.
  virtual Result<experiment::Results> carry_out(const experiment::Run& run, const experiment::Baselines& baselines,
                                                const Show& show) = 0;
  virtual std::uint32_t slots() const = 0;
  // What has to be said about it before the first run; empty: nothing.
  virtual std::string remark() const { return {}; }
};

// sim, local, or HOST:PORT for a cluster that is there; BadInput or Unavailable if there is none or it does not fit.
// The scenario and the directory outlive it.
Result<std::unique_ptr<Backend>> make_backend(const ExperimentCommand& command, const experiment::Scenario& scenario,
                                              const ResultDirectory& directory);

}  // namespace ontime::cli

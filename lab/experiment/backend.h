#pragma once
// Where the runs of an experiment are carried out.

#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "lab/experiment/cluster_run.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/result_directory.h"
#include "lab/scenario/scenario.h"
#include "lab/verbs/command.h"

namespace ontime::lab::experiment {

class Backend {
 public:
  virtual ~Backend() = default;
  using Show = std::function<void(const RunProgress&)>;
  // A run whose answers are right, or an error.
  virtual Result<Results> carry_out(const Run& run, const Baselines& baselines,
                                                const Show& show) = 0;
  virtual std::uint32_t slots() const = 0;
  // What has to be said about it before the first run; empty: nothing.
  virtual std::string remark() const { return {}; }
};

// sim, local, or HOST:PORT for a cluster that is there; BadInput or Unavailable if there is none or it does not fit.
// The scenario and the directory outlive it.
Result<std::unique_ptr<Backend>> make_backend(const ExperimentCommand& command, const Scenario& scenario,
                                              const ResultDirectory& directory);

}  // namespace ontime::lab::experiment

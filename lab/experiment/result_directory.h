#pragma once
// The directory that holds what an experiment has measured. Each run is written whole, so an experiment that was
// interrupted goes on with the runs that are missing.
//
//   scenario.yaml experiment.json injection.yaml      what was asked for, with what, where
//   runs/<policy>/<repetition>/*.csv                  a run; measured/<policy>/<repetition>/ a baseline
//   jobs.csv tasks.csv attempts.csv copies.csv forecasts.csv    all runs together
//   utilisation.csv summary.csv summary.json report.html figures/    what python/ontime/lab makes of them

#include <optional>
#include <string>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/rows.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

class ResultDirectory {
 public:
  // Makes it, or opens what is there. BadInput if it belongs to another scenario or another kind of cluster, or if
  // another process is at work in it.
  static Result<ResultDirectory> open(const std::string& path, const std::string& scenario, const std::string& on);

  const std::string& path() const { return path_; }
  std::string work() const { return path_ + "/work"; }  // inputs and outputs of jobs; not kept

  // Nothing if the run has not been finished yet.
  Result<std::optional<Results>> load(const Run& run) const;
  Status save(const Run& run, const Results& results) const;
  Status write(const std::string& name, const std::string& text) const;
  // "hadoop, 2": what a run is called in messages.
  static std::string name_of(const Run& run);

 private:
  ResultDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string directory_of(const Run& run) const;

  std::string path_;
  Descriptor lock_;
};

// The tables of all runs of an experiment together.
Status write_rows(const ResultDirectory& directory, const Results& results);

}  // namespace ontime::lab::experiment

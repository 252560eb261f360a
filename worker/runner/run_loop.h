#pragma once
// The life of one runner process: Setup once, then attempt after attempt of the same job, until the worker closes the
// socket or an attempt fails.

#include <memory>
#include <optional>
#include <utility>

#include "common/app/loaded_application.h"
#include "worker/confine/confinement.h"
#include "worker/runner/attempt_run.h"

namespace ontime::worker {

// What binds a real runner.
struct RunnerBounds {
  AttemptLimits limits;               // for the words of a failure; they hold already
  int output_socket = -1;             // as in RunnerPlaces
  std::optional<app::Keeper> keeper;  // none: any application is loaded
};

class RunLoop {
 public:
  // `block_bytes` is smaller, and the clock another one, in tests only.
  RunLoop(RunnerChannel& channel, ProgressBlock& progress, std::size_t block_bytes = RecordReader::kBlockBytes,
          RunClock& clock = steady_run_clock(), RunnerBounds bounds = {})
      : channel_(channel), progress_(progress), block_bytes_(block_bytes), clock_(clock), bounds_(std::move(bounds)) {}

  // The exit status of the process: 0 when the worker has closed the socket, 1 after a failure.
  int serve();

 private:
  AttemptStatus set_up(const wire::ToRunner::Setup& setup);
  AttemptStatus load(const wire::ToRunner::Setup& setup);
  AttemptStatus make_mapper(const app::LoadedApplication& loaded);
  bool run(const wire::ToRunner::Run& order);  // false: the attempt failed
  AttemptStatus map(const wire::ToRunner::Run& order);

  RunnerChannel& channel_;
  ProgressBlock& progress_;
  const std::size_t block_bytes_;
  RunClock& clock_;
  const RunnerBounds bounds_;
  AttemptStatus ready_ = AttemptFailure{wire::BAD_APPLICATION, "the worker sent an attempt before the job's set-up"};
  RecordRule rule_;
  Compression compression_;
  RunnerPlaces places_;
  std::size_t claim_bytes_ = RecordReader::kBlockBytes;
  std::unique_ptr<RunContext> context_;  // the mapper refers to it
  std::unique_ptr<app::Mapper> mapper_;
};

}  // namespace ontime::worker

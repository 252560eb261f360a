#pragma once
// A request as a job with its inputs listed: what the master does of a submission, at once.

#include <utility>

#include "master/submissions/submission.h"

namespace ontime::test {

inline Result<scheduler::JobSpec> prepare_job(const wire::JobSpec& request) {
  Result<scheduler::JobSpec> spec = master::begin_job(request, {});
  if (!spec) return spec;
  const auto choice = master::choice_of(request);
  if (!choice) return choice.error();
  auto inputs = master::list_inputs({request.inputs().begin(), request.inputs().end()}, {}, *choice);
  if (!inputs) return inputs.error();
  return master::finish_job(request, std::move(*spec), std::move(inputs->files));
}

}  // namespace ontime::test

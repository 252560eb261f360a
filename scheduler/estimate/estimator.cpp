#include "scheduler/estimate/estimator.h"

#include "scheduler/estimate/chronos.h"
#include "scheduler/estimate/exponential.h"
#include "scheduler/estimate/hadoop.h"
#include "scheduler/estimate/simple_exponential.h"

namespace ontime::scheduler::estimate {

std::unique_ptr<Estimator> make_estimator(std::string_view name, double launched, const EstimatorSettings& settings) {
  if (name == "hadoop") return std::make_unique<HadoopEstimator>(launched);
  if (name == "exponential") return std::make_unique<ExponentialEstimator>(launched, settings.exponential_window);
  if (name == "simple-exponential") {
    return std::make_unique<SimpleExponentialEstimator>(
        launched, SmoothingSettings{settings.simple_exponential_window, settings.simple_exponential_skip});
  }
  if (name == "chronos") return std::make_unique<ChronosEstimator>();
  return nullptr;
}

std::vector<std::string_view> estimator_names() { return {"hadoop", "exponential", "simple-exponential", "chronos"}; }

}  // namespace ontime::scheduler::estimate

// Closed forms against simulation: 400,000 samples from a fixed seed, within five standard errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/chronos/chronos.h"
#include "scheduler/policies/shed/shed.h"
#include "scheduler/policies/xu_lau/xu_lau.h"
#include "tests/pocd/chronos_paper.h"
#include "tests/pocd/xu_lau_paper.h"

namespace ontime::scheduler::test {
namespace {

using namespace math;     // NOLINT
using namespace chronos;  // NOLINT
using namespace shed;     // NOLINT
using namespace xu_lau;   // NOLINT

constexpr int kSamples = 400'000;
constexpr double kErrors = 5;  // allowed distance in standard errors

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  double pareto(double t_min, double beta) { return t_min * std::pow(1 - uniform(), -1 / beta); }
  double fastest(double t_min, double beta, int copies) {
    double best = pareto(t_min, beta);
    for (int i = 1; i < copies; ++i) best = std::min(best, pareto(t_min, beta));
    return best;
  }

 private:
  std::mt19937_64 engine_;
};

void expect_mean(double expected, const std::function<double(Dice&)>& sample, unsigned seed = 1) {
  Dice dice(seed);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = sample(dice);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kSamples;
  const double error = std::sqrt((squares / kSamples - mean * mean) / kSamples);
  EXPECT_NEAR(mean, expected, kErrors * error) << "standard error " << error;
}

// beta > 2 keeps the variance finite.
const ChronosJob kJob{4, 20, 2.3, 45, 12, 26, 0.3};
constexpr int kR = 2;

// A task under each strategy: when it is done and the machine time it took.
struct Outcome {
  double done;
  double cost;
};

Outcome run_clone(Dice& dice, const ChronosJob& job) {
  const double done = dice.fastest(job.t_min, job.beta, kR + 1);
  return {done, done + kR * std::min(done, job.tau_kill)};
}

// All but the best attempt are killed at tau_kill, or when the task is done.
double race_cost(double race, const ChronosJob& job) {
  return job.tau_est + race + kR * std::min(race, job.tau_kill - job.tau_est);
}

Outcome run_restart(Dice& dice, const ChronosJob& job) {
  const double original = dice.pareto(job.t_min, job.beta);
  if (original <= job.deadline) return {original, original};
  const double race = std::min(original - job.tau_est, dice.fastest(job.t_min, job.beta, kR));
  return {job.tau_est + race, race_cost(race, job)};
}

Outcome run_resume(Dice& dice, const ChronosJob& job) {
  const double original = dice.pareto(job.t_min, job.beta);
  if (original <= job.deadline) return {original, original};
  const double race = (1 - job.phi) * dice.fastest(job.t_min, job.beta, kR + 1);
  return {job.tau_est + race, race_cost(race, job)};
}

using Run = Outcome (*)(Dice&, const ChronosJob&);

void expect_pocd_and_cost(Strategy strategy, Run run) {
  const double pocd = chronos_pocd(strategy, kJob, kR).value;
  expect_mean(pocd, [run](Dice& dice) {
    bool all_in_time = true;
    for (int task = 0; task < 4; ++task) all_in_time &= run(dice, kJob).done <= kJob.deadline;
    return all_in_time ? 1.0 : 0.0;
  });
  expect_mean(
      machine_time(strategy, kJob, kR) / kJob.tasks, [run](Dice& dice) { return run(dice, kJob).cost; }, 2);
}

TEST(MonteCarlo, Clone) { expect_pocd_and_cost(Strategy::Clone, run_clone); }
TEST(MonteCarlo, Restart) { expect_pocd_and_cost(Strategy::Restart, run_restart); }
TEST(MonteCarlo, Resume) { expect_pocd_and_cost(Strategy::Resume, run_resume); }

TEST(MonteCarlo, RestartWhenCopiesCannotMakeIt) {
  ChronosJob job = kJob;
  job.tau_est = 33;  // D - tau_est = 12 < t_min
  job.tau_kill = 70;
  const double expected = machine_time(Strategy::Restart, job, kR) / job.tasks;
  expect_mean(expected, [&](Dice& dice) { return run_restart(dice, job).cost; });
}

TEST(MonteCarlo, ResumeWithLinearProgress) {
  const ChronosJob job{1, 20, 1.2, 50, 10, 20, 0};
  expect_mean(std::exp(ln_miss_resume_linear(job, kR)), [&](Dice& dice) {
    const double original = dice.pareto(job.t_min, job.beta);
    if (original <= job.deadline) return 0.0;
    const double rest = 1 - job.tau_est / original;
    return job.tau_est + rest * dice.fastest(job.t_min, job.beta, kR + 1) > job.deadline ? 1.0 : 0.0;
  });
}

TEST(MonteCarlo, ShedRunningJob) {
  const ShedJob job{3, 60, 1.5, 300, 100, 0.3};
  expect_mean(shed_pocd(job, 1).value, [&](Dice& dice) {
    for (int task = 0; task < 3; ++task) {
      if (job.tau + (1 - job.phi) * dice.fastest(job.t_min, job.beta, 2) > job.deadline) return 0.0;
    }
    return 1.0;
  });
}

TEST(MonteCarlo, ClonedJobOfXuAndLau) {
  const ClonedJob job{8, 2, 2.5};
  expect_mean(cloned_job_time(job, 2), [&](Dice& dice) {
    double last = 0;
    for (int task = 0; task < 8; ++task) last = std::max(last, dice.fastest(job.mu, job.alpha, 2));
    return last;
  });
}

TEST(MonteCarlo, StragglerDetection) {
  const double alpha = 2.5;
  const double sigma = 1.3;
  const double s = 0.2;
  const double limit = sigma * alpha / (alpha - 1);
  for (const int copies : {2, 3}) {
    expect_mean(detection_cost(alpha, sigma, copies, s), [&](Dice& dice) {
      const double task = dice.pareto(1, alpha);
      if ((1 - s) * task <= limit) return task;
      return s * task + copies * std::min((1 - s) * task, dice.fastest(1, alpha, copies - 1));
    });
  }
}

TEST(MonteCarlo, EnhancedSpeculativeExecution) {
  const double alpha = 2.5;
  for (const double sigma : {0.3, 1.5}) {
    const double limit = sigma * alpha / (alpha - 1);
    expect_mean(enhanced_machine_time(alpha, sigma), [&](Dice& dice) {
      const double task = dice.pareto(1, alpha);
      const double looked_at = dice.uniform() * task;
      if (task <= std::max(limit, 1.0) && limit >= 1) return task;
      const double rest = task - looked_at;
      return rest > limit ? looked_at + 2 * std::min(rest, dice.pareto(1, alpha)) : task;
    });
  }
}

TEST(MonteCarlo, CappedMeans) {
  const Pareto pareto(3, 1.4);
  expect_mean(pareto.mean_capped(11), [](Dice& dice) { return std::min(11.0, dice.pareto(3, 1.4)); });
  const Lognormal lognormal(1.2, 0.9);
  expect_mean(lognormal.mean_capped(5), [&](Dice& dice) { return std::min(5.0, lognormal.quantile(dice.uniform())); });
}

}  // namespace
}  // namespace ontime::scheduler::test

#pragma once
// When will this attempt be done? What is estimated from all reports of an attempt, not from the newest alone: the
// smoothing of Hadoop's exponential estimators. It is pure: time comes with the reports, in any one unit with any one
// origin (the job's start, for instance). The other estimators, hadoop and chronos, need the newest report only;
// Outlook computes them.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ontime::scheduler::math {

// One progress report. Progress is the fraction done of what the attempt itself holds, 0 to 1.
struct Reading {
  double time = 0;
  double progress = 0;
};

class Estimator {
 public:
  virtual ~Estimator() = default;

  // Reports come in order of time. A report that repeats or contradicts the last one is ignored.
  virtual void observe(Reading reading) = 0;

  // The instant at which progress reaches 1, judged by the reports so far; may be infinite (no progress). Nothing as
  // long as there is too little to go by.
  virtual std::optional<double> completion() const = 0;
};

// By its name (exponential, simple-exponential) for an attempt launched at `launched`, with Hadoop's time constants in
// seconds; null for another name.
std::unique_ptr<Estimator> make_estimator(std::string_view name, double launched);

// All that a job may choose among.
std::vector<std::string_view> estimator_names();

// Hadoop's ExponentiallySmoothedTaskRuntimeEstimator (idea: MAPREDUCE-2039): the rate of progress, recent reports
// counting more. v <- w v + (1 - w) x with w = exp(-dt / lambda), x the newest rate; remaining time (1 - progress) / v.
// Hadoop's class takes exp(+dt / lambda), so that the newest rate gets a negative weight, and loses the first report.
class ExponentialEstimator final : public Estimator {
 public:
  // window: lambda > 0, in the unit of time.
  ExponentialEstimator(double launched, double window) : last_{launched, 0}, window_(window) {}

  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  Reading last_;
  double window_;
  std::optional<double> rate_;  // progress per time
};

// Hadoop's SimpleExponentialTaskRuntimeEstimator (MAPREDUCE-7208; the poster "A Comprehensive Review of Speculation for
// Hadoop Ecosystem"): exponential smoothing of the rate of progress with a weight that follows the time between
// reports.

// S_k = alpha X_k + (1 - alpha) S_k-1, the poster's recursion; S_0 = X_0, alpha in [0, 1].
double smooth(double alpha, double newest, double smoothed);

struct SmoothingSettings {
  double window = 120;  // lambda: time constant
  unsigned skip = 24;   // readings that are taken in before the first forecast is given
};

// With reading n at time t: x = (p - p') / (t - t'), alpha = 1 - exp(-(t - t') / lambda), S <- alpha x + (1 - alpha) S.
// S starts as the mean rate from launch to the first reading. A reading that brings neither time nor progress is
// ignored; one at the same time replaces the last. When `skip` readings are in, lambda grows to the time they took.
class SimpleExponentialEstimator final : public Estimator {
 public:
  SimpleExponentialEstimator(double launched, SmoothingSettings settings) : launched_(launched), settings_(settings) {}

  void observe(Reading reading) override;

  // Last report + (1 - progress) / forecast. Hadoop's class has an opinion before there is a forecast, at a rate of
  // 1e-10 per ms: a young attempt then looks like the worst straggler.
  std::optional<double> completion() const override;

  unsigned readings() const { return now_.index; }  // accepted
  double smoothed_rate() const { return now_.rate; }
  std::optional<double> forecast() const;  // the rate, when enough readings are in

 private:
  struct State {
    Reading reading;
    double rate = 0;  // S
    unsigned index = 0;
  };

  double launched_;
  SmoothingSettings settings_;
  bool started_ = false;
  State now_;
  State before_;  // to go back to when a reading replaces the last one
};

}  // namespace ontime::scheduler::math

#pragma once
// When will this attempt be done? An estimator follows one attempt by its progress reports. It is pure: time comes with
// the reports, in any one unit with any one origin (the job's start, for instance).

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/math/pocd.h"

namespace ontime::scheduler::estimate {

// One progress report. Progress is the fraction done of what the attempt itself holds, 0 to 1; that of a resumed
// attempt may as well be the fraction of the whole split, then its first report is about phi.
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

// Defaults in seconds; scale the times for another unit.
struct EstimatorSettings {
  double exponential_window = 60;          // lambda of `exponential`
  double simple_exponential_window = 120;  // lambda of `simple-exponential`
  unsigned simple_exponential_skip = 24;   // readings before its first forecast
};

// By its name (hadoop, exponential, simple-exponential, chronos) for an attempt launched at `launched`; nothing for
// another name. The historic defects of Hadoop's classes are not among them: construct those with as_written.
std::unique_ptr<Estimator> make_estimator(std::string_view name, double launched,
                                          const EstimatorSettings& settings = {});
std::vector<std::string_view> estimator_names();

// Whether Hadoop's classes behave as their source says or as their users hope. AsWritten only to reproduce them.
enum class Defects { Fixed, AsWritten };

// Chronos, section VI-B (eq. 30): completion without the launch time, which Hadoop counts as work.

// t_ect = t_now + (1 - CP) (t_now - t_FP) / (CP - FP): what is left at the mean rate since the first report (t_FP, FP).
// Right for an attempt that resumes at FP > 0 too, where the paper's t_FP + (t_now - t_FP) / (CP - FP) counts the part
// already done once more. Infinite for CP = FP.
double chronos_completion(Reading first, Reading now, pocd::Form form = pocd::Form::Corrected);

// The same from bytes: an attempt at `offset` (absolute) that read its first byte report at first_offset and works up
// to `end`. For resumed and divided attempts, whose ranges are not whole splits.
struct ByteReading {
  double time = 0;
  double offset = 0;
};
double byte_completion(ByteReading first, ByteReading now, double end);

class ChronosEstimator final : public Estimator {
 public:
  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  std::optional<Reading> first_;
  Reading now_;
};

// Hadoop's ExponentiallySmoothedTaskRuntimeEstimator (idea: MAPREDUCE-2039): the rate of progress, recent reports
// counting more.

enum class Smoothed {
  Rate,            // progress per time
  TimePerProgress  // its inverse
};

// v <- w v + (1 - w) x with w = exp(-dt / lambda), x the newest rate; remaining time (1 - progress) / v.
// AsWritten takes exp(+dt / lambda), so that the newest rate gets a negative weight, and loses the first report.
class ExponentialEstimator final : public Estimator {
 public:
  // window: lambda > 0, in the unit of time.
  ExponentialEstimator(double launched, double window, Smoothed smoothed = Smoothed::Rate,
                       Defects defects = Defects::Fixed)
      : last_{launched, 0}, window_(window), smoothed_(smoothed), defects_(defects) {}

  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  double weight_of_the_past(double step) const;

  Reading last_;
  double window_;
  Smoothed smoothed_;
  Defects defects_;
  bool first_seen_ = false;
  std::optional<double> value_;
};

// Hadoop's LegacyTaskRuntimeEstimator: elapsed time over progress, as if the attempt had worked from its launch on.

// (now - start) / max(1e-4, progress): run time in the unit of the arguments; nothing unless 0 < start < now. (Hadoop
// counts milliseconds since 1970 and answers -1.)
std::optional<double> hadoop_runtime(double start, double now, double progress);

// The instant of completion with the launch time inside the estimate, t_lau + (t_now - t_lau) / CP; infinite at CP = 0.
// What Chronos (section VI-B) compares its own estimate with.
double hadoop_completion(double launched, double now, double progress);

class HadoopEstimator final : public Estimator {
 public:
  explicit HadoopEstimator(double launched) : launched_(launched) {}

  void observe(Reading reading) override;
  std::optional<double> completion() const override;

 private:
  double launched_;
  std::optional<Reading> last_;
};

// Hadoop's SimpleExponentialTaskRuntimeEstimator (MAPREDUCE-7208; the poster "A Comprehensive Review of Speculation for
// Hadoop Ecosystem"): exponential smoothing of the rate of progress with a weight that follows the time between
// reports.

// S_k = alpha X_k + (1 - alpha) S_k-1, the poster's recursion; S_0 = X_0, alpha in [0, 1].
double smooth(double alpha, double newest, double smoothed);

struct SmoothingSettings {
  double window = 120;           // lambda: time constant
  unsigned skip = 24;            // readings that are taken in before the first forecast is given
  double least_rate = 1e-7;      // AsWritten: progress per unit of time that stands in for no forecast (1e-10 per ms)
  double stagnated_after = 360;  // time without progress
};

// With reading n at time t: x = (p - p') / (t - t'), alpha = 1 - exp(-(t - t') / lambda), S <- alpha x + (1 - alpha) S.
// S starts as the mean rate from launch to the first reading. A reading that brings neither time nor progress is
// ignored; one at the same time replaces the last. When `skip` readings are in, lambda grows to the time they took.
class SimpleExponentialEstimator final : public Estimator {
 public:
  SimpleExponentialEstimator(double launched, SmoothingSettings settings, Defects defects = Defects::Fixed)
      : launched_(launched), settings_(settings), defects_(defects) {}

  void observe(Reading reading) override;

  // last report + (1 - progress) / forecast. AsWritten always has an opinion, at 1e-10 per ms if there is no forecast:
  // a young attempt then looks like the worst straggler.
  std::optional<double> completion() const override;

  unsigned readings() const { return now_.index; }  // accepted
  double smoothed_rate() const { return now_.rate; }
  std::optional<double> forecast() const;  // the rate, when enough readings are in

  // No report has brought progress for too long. AsWritten has the comparison the wrong way round.
  bool is_stagnated(double now) const;

 private:
  struct State {
    Reading reading;
    double rate = 0;  // S
    unsigned index = 0;
  };

  void start(Reading first);

  double launched_;
  SmoothingSettings settings_;
  Defects defects_;
  bool started_ = false;
  State now_;
  State before_;  // to go back to when a reading replaces the last one
  double last_gain_ = 0;
};

}  // namespace ontime::scheduler::estimate

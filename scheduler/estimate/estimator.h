#pragma once
// When will this attempt be done? An estimator follows one attempt by its progress reports. It is pure: time comes with
// the reports, in any one unit with any one origin (the job's start, for instance).

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace ontime::scheduler::estimate

#pragma once
// Do no harm, checked while a job runs: what its policy may spend besides the job's own work, and whether what was
// promised comes. Not durable: a new master begins with trust.

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/byte_range.h"
#include "scheduler/core/judgement.h"
#include "scheduler/core/ledger.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

class Restraint {
 public:
  // Seconds of machine time that promises may cost, as a share of the job's own work.
  static constexpr double kSpend = 1;

  // Why the decision is not to be carried out; nothing if it may be. `work`: machine time of the whole job without
  // speculation, in seconds; 0 if that is not known.
  std::optional<Reason> refusal(const Speculate& decision, const Worth& worth, double work) const;
  // The same of what promises no gain of its own: an end, a division before a launch, or clones.
  std::optional<Reason> refusal(const Worth& worth, double work) const;
  void spend(const Worth& worth);
  // The decision is carried out, on that segment.
  void promise(const Speculate& decision, const Worth& worth, ByteRange segment);
  // The range of the task was just sealed, now (seconds after submission). True when too little came of what was
  // promised, for the first time.
  bool on_sealed(std::uint32_t task, ByteRange sealed, const Ledger& ledger, double now);
  // By how many seconds the job, which is done now, would have been done sooner by what was expected without its
  // decisions; nothing if that is too little to say so.
  std::optional<double> slower_by(double now) const;

 private:
  struct Promise {
    std::uint32_t task = 0;
    ByteRange range;
    double without = 0;  // as in Worth
    double gain = 0;
    bool is_binding = false;
  };
  std::vector<Promise> open_;
  double spent_ = 0;
  double promised_ = 0;  // by those that are over
  double gained_ = 0;
  std::uint32_t over_ = 0;
  double without_ = 0;  // when the last of those that are over was expected to be done without what was decided
  double others_ = 0;   // when the last segment was sealed about which nothing was decided
  bool is_regretted_ = false;
};

}  // namespace ontime::scheduler

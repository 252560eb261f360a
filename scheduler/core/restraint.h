#pragma once
// Do no harm, checked while a job runs: what its policy may spend besides the job's own work, and whether what was
// promised comes. Not durable: a new master begins with trust.

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/byte_range.h"
#include "scheduler/core/task.h"
#include "scheduler/core/worth.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

class Restraint {
 public:
  // Seconds of machine time that promises may cost, as a share of the job's own work.
  static constexpr double kSpend = 1;

  // Why the decision is not to be carried out; nothing if it may be. `work`: machine time of the whole job without
  // speculation, in seconds; 0 if that is not known.
  std::optional<Reason> refusal(const Speculate& decision, const Worth& worth, double work) const;
  // It is carried out, on that segment.
  void promise(const Speculate& decision, const Worth& worth, ByteRange segment);
  // Something of the task was sealed, now (seconds after submission). True when too little came of what was promised,
  // for the first time.
  bool on_sealed(std::uint32_t task, const Ledger& ledger, double now);

  double spent() const { return spent_; }

 private:
  struct Promise {
    std::uint32_t task = 0;
    ByteRange range;
    double without = 0;  // as in Worth
    double gain = 0;
  };
  std::vector<Promise> open_;
  double spent_ = 0;
  double promised_ = 0;  // by those that are over
  double gained_ = 0;
  std::uint32_t over_ = 0;
  bool is_regretted_ = false;
};

}  // namespace ontime::scheduler

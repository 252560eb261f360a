#pragma once
// Which notices of one job are due. Pure.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "master/submissions/notify.h"
#include "scheduler/core/job.h"

namespace ontime::master {

class JobNotices {
 public:
  JobNotices(const scheduler::JobSpec& spec, TimePoint now);

  // A new forecast.
  void foresee(double pocd, TimePoint now);
  // How a running job stands. `waits_for`: as waiting_for().
  struct Standing {
    std::uint64_t mapped = 0;  // bytes
    std::string waits_for;
  };
  void look(const scheduler::Job& job, const Standing& standing, TimePoint now);

  const std::vector<Notify>& all() const { return all_; }
  bool asks_whether_stuck() const;
  // What is due stays so, even if it does not hold any more when it can go out.
  bool is_due(std::uint32_t number) const { return due_.contains(number); }

  // PoCD has to stay below the bound for so long, over at least two forecasts: one may be a single bad guess.
  static constexpr Duration kStaysLow = std::chrono::seconds(1);
  // A job is stuck that has mapped nothing new for so long: while nothing of it runs, though it waits for no slot that
  // other jobs have; else for as long as its attempts may stand still, or this long if it does not say.
  static constexpr Duration kStuckWaiting = std::chrono::minutes(1);
  static constexpr Duration kStuck = std::chrono::minutes(10);

 private:
  bool is_stuck(const scheduler::Job& job, const Standing& standing, TimePoint now);

  std::vector<Notify> all_;
  std::set<std::uint32_t> due_;
  std::map<std::uint32_t, TimePoint> low_since_;
  std::uint64_t mapped_ = 0;  // the most so far
  TimePoint moved_at_;
};

}  // namespace ontime::master

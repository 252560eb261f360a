#pragma once
// Which ended jobs are still remembered, and which is the next to be forgotten: the one that ended first.

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::scheduler {

struct Job;

// Of ended jobs, gone nodes and profiles. What is beyond any of them is forgotten.
struct HistoryLimits {
  std::uint32_t jobs = 1000;
  std::uint64_t tasks = 1'000'000;  // of all of them together: what they take of memory and journal goes by their tasks,
                                    // as each of which 128 bytes of parameters count too
  Duration age{0};                  // since the job has ended; 0: any
  std::uint32_t gone_nodes = 100;   // lost or left ones that none of the remembered jobs ran on
  std::uint32_t profiles = 1000;    // of applications with their parameters; see ProfileTable for their bytes
};

class History {
 public:
  explicit History(HistoryLimits limits) : limits_(limits) {}

  void add(JobId id, const Job& job);  // that has ended
  // Takes out the next job that has to be forgotten; nothing if all is within the limits. `newest` stays whatever
  // happens: its number is where counting goes on.
  std::optional<JobId> take_surplus(TimePoint now, JobId newest);
  // When there will be one because of its age, if nothing else happens.
  std::optional<TimePoint> next_expiry(JobId newest) const;

 private:
  struct Ended {
    TimePoint at;
    JobId job;
    std::uint64_t tasks = 0;
    auto operator<=>(const Ended&) const = default;
  };
  std::set<Ended>::const_iterator first_but(JobId newest) const;

  const HistoryLimits limits_;
  std::set<Ended> ended_;
  std::uint64_t tasks_ = 0;
};

}  // namespace ontime::scheduler

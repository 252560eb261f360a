#pragma once
// A PacedWorld on nodes with one slot each, for policies whose copies start at the split's begin: attempts map at a
// rate that the test chooses, 10 % of a split per second unless it says otherwise, so that a task takes 10 seconds.
// They start 100 ms after they are launched and report every 100 ms.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/policy/paced_world.h"

namespace ontime::scheduler::test {

class BaselineWorld : public PacedWorld {
 public:
  static constexpr std::uint64_t kSplit = 100'000;  // bytes

  explicit BaselineWorld(std::uint32_t nodes, Settings settings = {});

  JobId submit_tasks(std::uint32_t tasks, const std::string& policy, const StringMap& parameters = {},
                     Duration deadline = Duration::zero());

  void set_percent(std::function<double(AttemptId)> rate);  // of a split per second
  // The originals of these tasks, of any job, have these rates.
  void slow_down(std::map<std::uint32_t, double> percent_of_task);
  void advance(double seconds) { run(from_seconds(seconds)); }

  const Job& job(JobId id) const { return *cluster().find_job(id); }
  const Attempt& attempt(JobId job, std::uint32_t task, std::uint32_t number) const;
  std::uint32_t copies_launched(JobId job) const;  // speculative attempts, live or not
  std::vector<std::uint32_t> tasks_with_copies(JobId job) const;
};

}  // namespace ontime::scheduler::test

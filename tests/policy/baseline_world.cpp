#include "tests/policy/baseline_world.h"

#include <algorithm>

namespace ontime::scheduler::test {

BaselineWorld::BaselineWorld(std::uint32_t nodes, Settings settings) : PacedWorld(std::move(settings)) {
  add_nodes(nodes);
  set_launch(Duration::zero());
  set_step(std::chrono::milliseconds(100));
  set_percent([](AttemptId) { return 10.0; });
}

JobId BaselineWorld::submit_tasks(std::uint32_t tasks, const std::string& policy, const StringMap& parameters,
                                  Duration deadline) {
  JobSpec spec = World::quiet_spec();
  spec.policy = policy;
  spec.policy_parameters = parameters;
  spec.deadline = deadline;
  return world().submit(tasks * kSplit, kSplit, std::move(spec));
}

void BaselineWorld::set_percent(std::function<double(AttemptId)> rate) {
  set_rate([rate = std::move(rate)](AttemptId id) { return rate(id) / 100 * kSplit; });
}

void BaselineWorld::slow_down(std::map<std::uint32_t, double> percent_of_task) {
  set_percent([percent_of_task = std::move(percent_of_task)](AttemptId id) {
    const auto slow = percent_of_task.find(id.task.index);
    return id.number == 0 && slow != percent_of_task.end() ? slow->second : 10.0;
  });
}

const Attempt& BaselineWorld::attempt(JobId id, std::uint32_t task, std::uint32_t number) const {
  return job(id).tasks[task].attempts.at(number);
}

std::uint32_t BaselineWorld::copies_launched(JobId id) const {
  std::uint32_t copies = 0;
  for (const Task& task : job(id).tasks.all()) {
    for (const Attempt& one : task.attempts) copies += one.speculative ? 1 : 0;
  }
  return copies;
}

std::vector<std::uint32_t> BaselineWorld::tasks_with_copies(JobId id) const {
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t index = 0; index < job(id).tasks.size(); ++index) {
    const std::vector<Attempt>& attempts = job(id).tasks[index].attempts;
    if (std::any_of(attempts.begin(), attempts.end(), [](const Attempt& one) { return one.speculative; })) {
      tasks.push_back(index);
    }
  }
  return tasks;
}

}  // namespace ontime::scheduler::test

#pragma once
// What this worker does on purpose to its attempts, as the master's injection of the session says: draws each attempt's
// disturbance, and burns cores. Lives on the worker's one thread; the burning threads touch nothing of it.

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/result.h"
#include "common/injection/injection.h"
#include "common/protocol/control.pb.h"

namespace ontime::worker {

class Disturber {
 public:
  explicit Disturber(std::string node_name) : node_name_(std::move(node_name)) {}

  // From now on the welcome's injection counts, or none. BadInput if it makes no sense.
  Status adopt(const wire::ToWorker::Welcome& welcome);

  // What happens to an attempt of a job with so many tasks (0: not known); nothing most of the time.
  std::optional<wire::Disturbance> draw(const wire::Order::Launch& launch, std::uint32_t job_tasks,
                                        bool is_reused) const;

  std::size_t burner_count() const { return burners_.size(); }

 private:
  void burn(std::size_t threads);

  const std::string node_name_;
  std::optional<injection::Injection> injection_;
  std::vector<std::jthread> burners_;
};

}  // namespace ontime::worker

#pragma once
// Random histories for property tests: nodes come, fall silent and return, attempts progress, seal, fail, answer cuts,
// lie; policies decide at random; nodes drain and leave; the master restarts; commits find sealed output lost. Draws
// from RapidCheck, so it belongs into a property.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {

// Plays the workers: knows which attempts run where because it sees the launches and kills.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint32_t seed);
  explicit RandomHistory(Settings settings);  // its policies decide at random

  void step();
  void settle();  // everything behaves from here on
  bool all_ended() const;
  World& world() { return world_; }

 private:
  void look();
  std::vector<AttemptId> live();
  template <class Do>
  void with_any(Do what);  // also attempts that have ended long ago
  void register_some();
  void register_node(const std::string& name, const Cluster& cluster);
  void drain_some();
  void submit();
  void end_commit(const action::CommitOutput& commit);
  void heartbeat_all();
  void work(AttemptId id);

  World world_;
  std::vector<AttemptId> all_;
  int jobs_ = 0;
};

}  // namespace ontime::scheduler::test

// Thousands of random histories: nodes come, fall silent and return, attempts progress, seal, fail, answer cuts, lie;
// the master restarts. After every step the invariants hold (the fixture checks), the records rebuild the same state,
// and once the faults stop every job ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "tests/scheduler/durable_text.h"
#include "tests/scheduler/random_history.h"

namespace ontime::scheduler {
namespace {

using test::durable;
using test::RandomHistory;

// Whether every attempt was launched on a node that serves.
bool launches_only_where_served(const std::vector<JournalRecord>& records) {
  std::map<NodeId, Duty> duties;
  for (const JournalRecord& record : records) {
    if (const auto* changed = std::get_if<fact::DutyChanged>(&record.fact)) duties[changed->node] = changed->duty;
    const auto* launched = std::get_if<fact::AttemptLaunched>(&record.fact);
    if (launched != nullptr && duties[launched->node] != Duty::Serves) return false;
  }
  return true;
}

RC_GTEST_PROP(SchedulerProperty, AnyHistoryKeepsTheInvariantsReplaysAndEnds, ()) {
  RandomHistory history(*rc::gen::arbitrary<std::uint32_t>());
  const int steps = *rc::gen::inRange(0, 200);
  for (int i = 0; i < steps; ++i) {
    history.step();
    RC_ASSERT(!testing::Test::HasFailure());
  }
  RC_ASSERT(launches_only_where_served(history.world().records()));
  Scheduler replayed({});
  for (const JournalRecord& record : history.world().records()) replayed.replay(record);
  RC_ASSERT(durable(replayed.cluster()) == durable(history.world().cluster()));

  history.settle();
  RC_ASSERT(!testing::Test::HasFailure());
  RC_ASSERT(history.all_ended());
}

}  // namespace
}  // namespace ontime::scheduler

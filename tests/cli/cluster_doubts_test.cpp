#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cluster/embedded_cluster.h"

namespace ontime::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ClusterOptions cluster(std::uint32_t workers, std::uint32_t slots, std::vector<std::string> settings = {}) {
  ClusterOptions options;
  options.workers = workers;
  options.slots = slots;
  options.injection.settings = std::move(settings);
  return options;
}

TEST(ClusterDoubts, AreToldOfManyMoreSlotsThanCores) {
  EXPECT_THAT(
      doubts_about(cluster(16, 8), 1, 2),
      ElementsAre(
          "note: 128 slots for 1 task share 2 cores; without --workers and --slots there is one for each core"));
  EXPECT_THAT(doubts_about(cluster(4, 2), 1, 2), IsEmpty());
  EXPECT_THAT(doubts_about(cluster(16, 8, {"pace=1s"}), 1, 2), IsEmpty());
}

TEST(ClusterDoubts, AreToldOfAnInjectionForNoWorker) {
  EXPECT_THAT(
      doubts_about(cluster(2, 1, {"node=worker-9:3x"}), 1, 2),
      ElementsAre("note: nothing is injected by node=worker-9: no worker is called so, only worker-1 to worker-2"));
  EXPECT_THAT(doubts_about(cluster(1, 1, {"node=worker-2:3x"}), 1, 2),
              ElementsAre("note: nothing is injected by node=worker-2: no worker is called so, only worker-1"));
  EXPECT_THAT(doubts_about(cluster(2, 1, {"node=*-2:3x"}), 1, 2), IsEmpty());
}

}  // namespace
}  // namespace ontime::cli

// What is done for a job that has missed its deadline.
#include "scheduler/policies/late_help.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
using test::PacedWorld;
using test::World;

class LateHelpTest : public testing::TestWithParam<const char*> {
 protected:
  LateHelpTest() {
    paced_.add_nodes(8);
    // 1000 bytes a split: 10 s; the first task's original takes 200 s.
    paced_.set_rate([](AttemptId id) { return id.number == 0 && id.task.index == 0 ? 5.0 : 100.0; });
  }
  JobId submit(const StringMap& more, Duration deadline) {
    const StringMap known{{"t_min", "8s"}, {"beta", "3"}, {"t_avg", "100ms"}, {"fit", "flags"}};
    return paced_.submit(3, World::quiet_spec(GetParam(), known, more, deadline));
  }

  PacedWorld paced_;
};

TEST_P(LateHelpTest, IsCopiesOfWhatIsSlow) {
  const JobId job = submit({{"late", "mantri"}}, 1ms);
  EXPECT_TRUE(paced_.run_job(job, 60s));
  EXPECT_GE(paced_.copies(job), 1u);
}

TEST_P(LateHelpTest, BeginsWhenTheDeadlinePasses) {
  const JobId job = submit({{"late", "mantri"}}, 6s);  // nobody has less than 8 s
  paced_.run(5900ms);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_TRUE(paced_.run_job(job, 60s));
  EXPECT_GE(paced_.copies(job), 1u);
}

TEST_P(LateHelpTest, IsNoneUnlessItIsAskedFor) {
  const JobId job = submit({}, 1ms);
  paced_.run(60s);
  EXPECT_EQ(paced_.copies(job), 0u);
  EXPECT_THROW(make_policy(GetParam(), {{"late", "often"}}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Each, LateHelpTest, testing::Values("shed+", "s-restart", "s-resume"));

}  // namespace
}  // namespace ontime::scheduler

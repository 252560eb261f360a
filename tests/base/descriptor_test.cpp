#include "common/base/descriptor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ontime {
namespace {

TEST(DescriptorLimit, IsRaisedToWhatIsWantedAndNeverLowered) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GE(before.rlim_max, 200u);
  const rlimit low{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(150), 150u);
  EXPECT_EQ(raise_descriptor_limit(50), 150u);
  EXPECT_EQ(raise_descriptor_limit(~std::uint64_t{0}), before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace ontime

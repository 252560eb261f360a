#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "worker/agent/runners/text.h"

namespace ontime::worker {
namespace {

using testing::HasSubstr;

constexpr int exited(int code) { return code << 8; }

TEST(ProcessEnd, NamesTheSignal) {
  EXPECT_EQ(describe_process_end(SIGSEGV), "was killed by signal 11 (Segmentation fault)");
}

TEST(ProcessEnd, SuspectsMemoryBehindAKillThatWeDidNotSend) {
  EXPECT_THAT(describe_process_end(SIGKILL), HasSubstr("out of memory"));
}

TEST(ProcessEnd, NamesTheStatus) { EXPECT_THAT(describe_process_end(exited(3)), HasSubstr("exited with status 3")); }

TEST(ProcessEnd, SaysThatAnExitIsNoFinish) {
  EXPECT_THAT(describe_process_end(exited(0)), HasSubstr("exited without finishing"));
}

}  // namespace
}  // namespace ontime::worker

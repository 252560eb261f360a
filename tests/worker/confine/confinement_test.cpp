#include "worker/confine/confinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace ontime::worker {
namespace {

using testing::HasSubstr;

TEST(Confinement, TravelsAsArguments) {
  Confinement confinement;
  EXPECT_TRUE(to_arguments(confinement).empty());
  EXPECT_EQ(*from_arguments({}), confinement);
  confinement.run_as = Identity{65534, 100, {100, 4}};
  confinement.limits = {1u << 30, 64, 100, 3600};
  confinement.output_roots = {"/data/out", "/--files"};
  confinement.control_groups = {"/sys/fs/cgroup/memory/attempts", "/sys/fs/cgroup/pids/attempts"};
  EXPECT_EQ(*from_arguments(to_arguments(confinement)), confinement);
}

TEST(Confinement, ArgumentsThatAreNoneAreRefused) {
  EXPECT_FALSE(from_arguments({"--files"}));
  EXPECT_FALSE(from_arguments({"--files", "many"}));
  EXPECT_FALSE(from_arguments({"--run-as", "1"}));
  EXPECT_FALSE(from_arguments({"--run-as", "1,"}));
  EXPECT_FALSE(from_arguments({"--what", "1"}));
}

TEST(Identity, IsFoundByNameAndByNumber) {
  EXPECT_EQ(parse_identity("root")->user, 0u);
  EXPECT_EQ(*parse_identity("65534:12"), (Identity{65534, 12, {}}));
  EXPECT_EQ(parse_identity("root:root")->groups, std::vector<gid_t>());
  EXPECT_EQ(parse_identity("no-such-user").error().message, "there is no user 'no-such-user'");
  EXPECT_EQ(parse_identity("root:no-such-group").error().message, "there is no group 'no-such-group'");
  EXPECT_THAT(parse_identity("4123456789").error().message, HasSubstr("say its group too"));
}

TEST(UserRange, IsTwoNumbers) {
  EXPECT_EQ(*parse_user_range("4123450000-4123450003"), (UserRange{4'123'450'000, 4'123'450'003}));
  for (const char* user : {"www-data", "7", "7-", "-7", "7-8-9", "7-8x", "65534:12"}) EXPECT_FALSE(is_user_range(user));
}

TEST(UserRange, ThatCannotBeUsedIsRefusedWithTheReason) {
  EXPECT_THAT(parse_user_range("9-8").error().message, HasSubstr("the range 9-8 has nobody for a job"));
  EXPECT_FALSE(parse_user_range("9-9"));  // the last one is no job's
  EXPECT_THAT(parse_user_range("0-99").error().message, HasSubstr("has root in it"));
  EXPECT_THAT(parse_user_range("60000-4294967295").error().message, HasSubstr("more than 10000 users"));
  EXPECT_THAT(parse_user_range("65530-65540").error().message, HasSubstr("has 65534 in it, which is the user nobody"));
}

TEST(ControlGroup, ADirectoryThatIsNoneIsRefused) {
  EXPECT_THAT(check_control_group("/tmp").error().message, HasSubstr("'/tmp' is no control group"));
  EXPECT_THAT(check_control_group("/tmp").error().message, HasSubstr("it has no cgroup.procs"));
  EXPECT_THAT(enter_control_group("/nowhere").error().message, HasSubstr("cannot enter the control group /nowhere"));
}

TEST(Limits, NameWhatIsBehindAFailure) {
  const AttemptLimits limits{64u << 20, 4096, 1u << 20, 10};
  std::string many = "open: ";
  many += std::strerror(EMFILE);
  EXPECT_EQ(used_up(limits, many), "; it had all 4096 files open that --attempt-files allows");
  EXPECT_EQ(used_up(limits, "the mapper does not like this line"), "");
  EXPECT_EQ(used_up({}, many), "");
  EXPECT_EQ(used_up_memory(limits), "; it needed more than the 64.0 MiB of memory that --attempt-memory allows");
  EXPECT_EQ(used_up_memory({}), "");
}

TEST(Limits, NameWhatEndedAProcess) {
  const AttemptLimits limits{0, 0, 0, 10};
  EXPECT_EQ(used_up_by(W_EXITCODE(0, SIGXCPU), limits), "; it had used the 10 s of CPU time that --attempt-cpu allows");
  EXPECT_EQ(used_up_by(W_EXITCODE(0, SIGSEGV), limits), "");
  EXPECT_EQ(used_up_by(W_EXITCODE(1, 0), limits), "");
  EXPECT_EQ(used_up_by(W_EXITCODE(0, SIGTERM), {64u << 20, 0, 0, 0}), "");
  EXPECT_EQ(used_up_by(W_EXITCODE(0, SIGSEGV), {64u << 20, 0, 0, 0}),
            "; it had at most the 64.0 MiB of memory that --attempt-memory allows");
}

}  // namespace
}  // namespace ontime::worker

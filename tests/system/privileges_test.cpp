// What attempts may do on a real worker: nothing they were not given, and a limit that is reached is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <regex>
#include <string>

#include "tests/support/sanitized.h"
#include "tests/system/privileges_fixture.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(Privileges, AnAttemptCanGainNothingAndKnowsNoSecrets) {
  ::setenv("ONTIME_TOKEN", "the token", 1);
  ::setenv("ONTIME_TEST_SECRET", "a secret", 1);
  ::setenv("ONTIME_TEST_WANTED", "wanted", 1);
  start({"--attempt-env", "ONTIME_TEST_W*"});
  const std::string told = output_of("status\nenvironment\nlimits\ndescriptors\n");
  for (const char* name : {"ONTIME_TOKEN", "ONTIME_TEST_SECRET", "ONTIME_TEST_WANTED"}) ::unsetenv(name);
  EXPECT_THAT(told, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(told, HasSubstr("Max core file size        0 "));
  EXPECT_THAT(told, HasSubstr("\nPATH="));
  EXPECT_THAT(told, HasSubstr("\nONTIME_TEST_WANTED=wanted\n"));
  EXPECT_THAT(told, Not(HasSubstr("the token")));
  EXPECT_THAT(told, Not(HasSubstr("a secret")));
  EXPECT_THAT(told, Not(HasSubstr("\nHOME=")));
  EXPECT_THAT(told, HasSubstr("\n0\t/dev/null\n1\tpipe:"));
  const std::regex descriptor("\n[0-9]+\t");
  const std::ptrdiff_t count = std::distance(std::sregex_iterator(told.begin(), told.end(), descriptor), {});
  EXPECT_EQ(count, 3 + 4) << told;  // and socket, input, output and its directory
}

TEST_F(Privileges, MemoryThatIsUsedUpIsNamed) {
  if (test::kIsSanitized) GTEST_SKIP() << "sanitizers allocate terabytes";
  start({"--attempt-memory", "256MiB"});
  EXPECT_THAT(failure_of("memory\n"), HasSubstr("256.0 MiB of memory that --attempt-memory allows"));
}

TEST_F(Privileges, FilesThatAreUsedUpAreNamed) {
  start({"--attempt-files", "64"});
  EXPECT_THAT(failure_of("files\n"), HasSubstr("had all 64 files open that --attempt-files allows"));
}

TEST_F(Privileges, TimeThatIsUsedUpIsNamed) {
  start({"--attempt-cpu", "1s"});
  EXPECT_THAT(failure_of("cpu\n"), HasSubstr("had used the 1 s of CPU time that --attempt-cpu allows"));
}

TEST_F(Privileges, AnApplicationThatOthersCanChangeIsNotRun) {
  fs::copy_file(at("apps/libontime_app_curious.so"), at("apps/libontime_app_changeable.so"));
  fs::permissions(at("apps/libontime_app_changeable.so"), fs::perms(0666));
  start();
  write_file(at("in/lines"), "status\n");
  const Finished submitted =
      cluster_.client({"submit", "changeable", at("in/lines"), "--output", at("out/job"), "--app-dir", at("apps")});
  EXPECT_EQ(submitted.status, 2) << submitted.out;
  EXPECT_THAT(submitted.err, HasSubstr("libontime_app_changeable.so is not run, because others could change it"));
}

TEST_F(Privileges, JobsStayWithinTheRootsOfMasterAndWorker) {
  write_file(at("secret"), "outside\n");
  fs::create_symlink(at("secret"), at("in/link"));
  start({}, {"--input-root", at("in"), "--output-root", at("out")});
  const auto refused = [&](const std::string& input, const std::string& output, const std::string& why) {
    const Finished submitted =
        cluster_.client({"submit", "curious", input, "--output", output, "--app-dir", at("apps")});
    EXPECT_EQ(submitted.status, 2) << submitted.out;
    EXPECT_THAT(submitted.err, HasSubstr(why));
  };
  refused(at("in/link"), at("out/a"), "lies outside of the directories that this cluster reads (" + at("in") + ")");
  refused(at("in/../secret"), at("out/a"), "lies outside of the directories that this cluster reads");
  write_file(at("in/lines"), "status\n");
  refused(at("in/lines"), at("in/a"),
          "lies outside of the directories that this cluster writes to (" + at("out") + ")");
  EXPECT_THAT(output_of("status\n"), HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_TRUE(fs::exists(at("out/job/_SUCCESS")));
}

TEST_F(Privileges, AWorkerLooksAgainWhereItOpens) {
  start({"--input-root", at("in"), "--output-root", at("apps")});
  EXPECT_THAT(failure_of("status\n"), HasSubstr("lies outside of the output roots"));
}

// A control group of the test's own, if this machine lets us make one.
class ControlGroup : public Privileges {
 protected:
  void SetUp() override {
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids"}) {
      directory_ = std::string(root) + "/ontime-test-" + std::to_string(::getpid());
      if (fs::exists(std::string(root) + "/cgroup.procs") && ::mkdir(directory_.c_str(), 0755) == 0) return;
    }
    directory_.clear();
    GTEST_SKIP() << "no control group can be made here";
  }
  // It can go when its last process has.
  void TearDown() override {
    if (directory_.empty()) return;
    cluster_.worker(0).kill();
    EXPECT_TRUE(eventually([this] { return ::rmdir(directory_.c_str()) == 0; }));
  }
  std::string directory_;
};

TEST_F(ControlGroup, HoldsAttemptsAndNotTheirWorker) {
  start({"--attempt-cgroup", directory_});
  const std::string name = "/" + fs::path(directory_).filename().string() + "\n";
  EXPECT_THAT(output_of("cgroup\n"), HasSubstr(name));
  EXPECT_THAT(read_file("/proc/" + std::to_string(cluster_.worker(0).pid()) + "/cgroup"), Not(HasSubstr(name)));
}

TEST(ControlGroupFlag, IsRefusedForADirectoryThatIsNone) {
  const Finished worker = run({kBin + "/ontime-worker", "--attempt-cgroup", "/tmp", "--check-config"});
  EXPECT_EQ(worker.status, 2);
  EXPECT_THAT(worker.err, HasSubstr("--attempt-cgroup: '/tmp' is no control group"));
}

}  // namespace
}  // namespace ontime::test

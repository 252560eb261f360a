// Policies in Python in processes of their own: one that misbehaves does no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "common/base/descriptor.h"
#include "common/files/temporary_directory.h"
#include "master/policies/look.h"
#include "master/policies/own_policies.h"
#include "master/policies/watched_policy.h"
#include "tests/own_policy/asked_policy.h"
#include "tests/support/process.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using scheduler::Plan;
using scheduler::StringMap;
using scheduler::View;
using scheduler::test::PacedWorld;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

const std::string kCopyLate = ONTIME_TEST_SOURCES "/examples/policy/copy_late.py";

// What the note says that a job gets of a policy that behaves like this, between the name and the last sentence.
std::string problem_of(const StringMap& parameters) {
  const auto notes = notes_under(python("unruly"), parameters);
  if (notes.size() != 1) return std::to_string(notes.size()) + " notes";
  const std::string whole = excuse_of(python("unruly"), "\n");
  const std::string begin = whole.substr(0, whole.find('\n')), end = whole.substr(whole.find('\n') + 1);
  EXPECT_TRUE(notes[0].starts_with(begin) && notes[0].ends_with(end)) << notes[0];
  return notes[0].substr(begin.size(), notes[0].size() - begin.size() - end.size());
}

std::string problem_of(const std::string& how) { return problem_of({{"how", how}}); }

TEST(RemotePolicies, AFileOfPythonIsAPolicyLikeOurs) {
  allow_own_policies(Duration::zero());
  EXPECT_TRUE(scheduler::check_policy(kCopyLate, {}));
  EXPECT_TRUE(scheduler::check_policy(kCopyLate, {{"period", "500ms"}, {"budget", "2s"}, {"as_written", "yes"}}));
  EXPECT_EQ(scheduler::make_policy(kCopyLate, {})->order(), scheduler::JobOrder::EarliestDeadline);
  const auto every = scheduler::make_policy(python("every_decision"), {});
  EXPECT_EQ(every->order(), scheduler::JobOrder::ShortestRemaining);
  EXPECT_TRUE(every->has_shares());
  EXPECT_FALSE(every->plans_at_submission());
}

TEST(RemotePolicies, ParametersAreWhatTheirAnnotationsSay) {
  EXPECT_EQ(refusal_of(kCopyLate, {{"coppies", "2"}}), "the policy " + kCopyLate +
                                                           " cannot start: there is no parameter 'coppies'; there are: "
                                                           "period, copies, slow");
  EXPECT_THAT(refusal_of(kCopyLate, {{"copies", "two"}}), EndsWith("cannot start: the parameter copies=two is no int"));
  EXPECT_TRUE(scheduler::check_policy(
      python("two"), {{"class", "Second"}, {"whole", "3"}, {"part", "250ms"}, {"is_so", "yes"}, {"plain", "2"}}));
}

TEST(RemotePolicies, OneThatCannotStartSaysWhy) {
  EXPECT_THAT(refusal_of(python("two")),
              EndsWith("cannot start: it has the policies First, Second; choose one with class=NAME"));
  EXPECT_THAT(refusal_of(python("two"), {{"class", "Third"}}),
              EndsWith("cannot start: it has no class Third that derives from ontime.lab.Policy"));
  EXPECT_THAT(refusal_of(python("unruly"), {{"how", "at-once"}}),
              EndsWith("cannot start: it raises RuntimeError: out of temper (line 13)"));
  EXPECT_THAT(refusal_of(python("unruly"), {{"how", "order"}}),
              EndsWith("cannot start: it has the order 'alphabet'; there are fifo, deadline and workload"));
  EXPECT_EQ(refusal_of("/nonexistent/mine.py"),
            "cannot examine the policy /nonexistent/mine.py: No such file or directory");
}

TEST(RemotePolicies, AFileThatHasChangedIsLoadedAgainAndOneThatOthersCouldChangeIsRefused) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const std::string file = (*scratch)->path() + "/mine.py";
  std::ofstream(file) << "import ontime.lab\n1 / 0\n";
  EXPECT_EQ(refusal_of(file),
            "the policy " + file + " cannot start: it raises ZeroDivisionError: division by zero (line 2)");
  const auto write = [&](const std::string& order) {
    std::ofstream(file) << "import ontime.lab\n\n\nclass Mine(ontime.lab.Policy):\n    order = '" << order << "'\n";
    return scheduler::make_policy(file, {})->order();
  };
  EXPECT_EQ(write("deadline"), scheduler::JobOrder::EarliestDeadline);
  EXPECT_EQ(write("workload"), scheduler::JobOrder::ShortestRemaining);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(refusal_of(file), HasSubstr("the policy " + file + " is not run, because others could change it"));
}

TEST(RemotePolicies, WhatNobodyKnowsIsLeftOut) {
  EXPECT_THAT(notes_under(python("unruly"), {{"how", "unknown"}}), Each(Not(HasSubstr("is not asked any more"))));
}

TEST(RemotePolicies, OneThatFailsIsNotAskedAgainAndTheJobIsDone) {
  EXPECT_EQ(problem_of("not"), "0 notes");
  EXPECT_EQ(problem_of("raises"), "it raises RuntimeError: out of temper (line 29)");
  EXPECT_EQ(problem_of("exits"), "it raises SystemExit: 3 (line 32)");
  EXPECT_EQ(problem_of("dies"), "its process has ended with exit code 0");
  EXPECT_EQ(problem_of("crashes"), "its process was ended by signal 11");
}

TEST(RemotePolicies, AnAnswerThatIsNoPlanIsNotCarriedOut) {
  EXPECT_THAT(problem_of("nothing"), HasSubstr("plan() has returned None, which is no ontime.lab.Plan"));
  EXPECT_EQ(problem_of("nonsense"), "its answer is no object of JSON");
  EXPECT_EQ(problem_of("boundless"), "its answer has 16384.0 PiB");
  EXPECT_EQ(problem_of("names"), "it names row 99 as its attempt, and there are 2");
  EXPECT_EQ(problem_of("reason"), "its plan has the reason 'bored', which there is not");
  EXPECT_THAT(problem_of("field"), HasSubstr("its plan has a field too many: {"));
  EXPECT_EQ(problem_of("decision"), "its plan has the decision 'dance', which there is not");
  EXPECT_THAT(problem_of("lacks"), HasSubstr("its plan cannot be read: "));
  EXPECT_EQ(problem_of("negative"), "its plan has a copies that is no whole number from 0 on: -1");
  EXPECT_EQ(problem_of("handover"), "its plan has the handover 'never'; there are predicted and ready");
  EXPECT_EQ(problem_of("flawed"), "it asks for no copy of job-1/t00000, or for more than 1000");
}

// One that is dead and not waited for yet does not.
bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state = "Z";
  file >> number >> name >> state;
  return state != "Z";
}

pid_t pid_in(const std::string& file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  EXPECT_GT(pid, 0);
  return pid;
}

TEST(RemotePolicies, OneThatHangsIsCutOffAndItsProcessEnded) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const std::string mark = (*scratch)->path() + "/pid";
  EXPECT_EQ(problem_of({{"how", "hangs"}, {"mark", mark}, {"budget", "5s"}}), "it has not answered within 5.00 s");
  const pid_t pid = pid_in(mark);
  EXPECT_TRUE(test::eventually([pid] { return !runs(pid); }));
}

// Not only together with the policy, which stays as long as its job.
TEST(RemotePolicies, AProcessThatHangsIsEndedAtOnce) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const std::string mark = (*scratch)->path() + "/pid";
  allow_own_policies(Duration::zero());
  const auto hung = scheduler::make_policy(python("unruly"), {{"how", "hangs"}, {"mark", mark}, {"budget", "5s"}});
  PacedWorld paced = world_that_looks([&](const View& view) { return hung->plan(view); });
  EXPECT_TRUE(paced.run_job(paced.submit(2, {})));
  EXPECT_FALSE(runs(pid_in(mark)));
}

// As in simulations.
TEST(RemotePolicies, OneThatHangsWithoutABudgetEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    const auto end = [](const std::string& why, bool) {
      std::fprintf(stderr, "%s\n", why.c_str());
      std::_Exit(2);
    };
    end_at_hanging_policies(end, 50ms);
    notes_under(python("unruly"), {{"how", "hangs"}, {"mark", "/dev/null"}});
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(2), "unruly.py has not answered for 3.00 s, and this program ends");
}

// Somebody has ended it who needed its memory, say.
TEST(RemotePolicies, AProcessThatHasEndedIsNotUsedAgain) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const std::string file = (*scratch)->path() + "/marked.py", mark = (*scratch)->path() + "/pid";
  std::ofstream(file)
      << "import ontime.lab, os\n\n\nclass Marked(ontime.lab.Policy):\n    def __init__(self):\n        "
      << "open('" << mark << "', 'w').write(str(os.getppid()))\n";
  allow_own_policies(Duration::zero());
  EXPECT_TRUE(scheduler::check_policy(file, {}));
  const pid_t pid = pid_in(mark);
  ::kill(pid, SIGKILL);
  ASSERT_TRUE(test::eventually([pid] { return !runs(pid); }));
  EXPECT_TRUE(scheduler::check_policy(file, {}));
  EXPECT_NE(pid_in(mark), pid);
}

TEST(RemotePolicies, OneThatLetsNobodyConnectIsNotWaitedForForLong) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const std::string path = (*scratch)->path() + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  const Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), general, sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  std::vector<Descriptor> waiting;
  do waiting.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  while (::connect(waiting.back().get(), general, sizeof address) == 0);
  EXPECT_THAT(refusal_of(path), HasSubstr("it cannot be reached: "));
}

TEST(RemotePolicies, NoFileInTheWorkingDirectoryIsTakenForAModule) {
  const auto scratch = files::TemporaryDirectory::make();
  ASSERT_TRUE(scratch);
  const fs::path other = fs::path((*scratch)->path()) / "other", before = fs::current_path();
  fs::create_directories(other / "ontime");
  std::ofstream(other / "ontime" / "__init__.py") << "raise SystemExit(9)\n";
  const std::string file = (*scratch)->path() + "/mine.py";
  std::ofstream(file) << "import ontime.lab\n\n\nclass Mine(ontime.lab.Policy):\n    order = 'deadline'\n";
  allow_own_policies(Duration::zero());
  fs::current_path(other);
  EXPECT_TRUE(scheduler::check_policy(file, {}));
  fs::current_path(before);
}

}  // namespace
}  // namespace ontime::master

// Some thousands of fault schedules. Each seed is a cluster, its jobs and everything that goes wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "scheduler/policies/policy.h"
#include "tests/faults/cluster_run.h"
#include "tests/faults/fault_plan.h"
#include "tests/support/process.h"

namespace ontime::lab::faults {
namespace {

constexpr std::uint64_t kSeeds = 400;  // of each of the tests that run in parallel

class Faults : public testing::TestWithParam<std::uint64_t> {
 protected:
  static void SetUpTestSuite() { set_application_directory(ONTIME_FAULT_APPLICATIONS); }
};

// So that ctest can run them side by side.
TEST_P(Faults, LoseNothingAndEnd) {
  run_apart({GetParam(), GetParam() + kSeeds - 1}, 1, [](std::uint64_t seed, const Verdict& verdict) {
    EXPECT_TRUE(verdict.is_good()) << verdict.broken << "\nreplay: ontime-faults --seed " << seed << " --trace\n"
                                   << describe(minimise(make_plan(seed)));
    return verdict.is_good();
  });
}

INSTANTIATE_TEST_SUITE_P(From, Faults,
                         testing::Values(1, 100'001, 200'001, 300'001, 400'001, 500'001, 600'001, 700'001),
                         testing::PrintToStringParamName());

// A schedule in each line.
void run_file(const std::string& name, int least) {
  set_application_directory(ONTIME_FAULT_APPLICATIONS);
  std::ifstream file(std::string(ONTIME_FAULT_SCHEDULES) + "/" + name);
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto plan = from_file(line);
    ASSERT_TRUE(plan) << plan.error().message;
    const Verdict verdict = run_apart(*plan);
    EXPECT_TRUE(verdict.is_good()) << name << ", line " << count + 1 << ": " << verdict.broken;
  }
  EXPECT_GE(count, least);
}

// Schedules that once ended badly (past_schedules.jsonl), by their seeds at the time, and what was mended since:
//   175, 126       a power cut took records that the master before had written and not synced from below newer ones
//   1011           a commit that failed at its last step left its parts there
//   6136, 2962, 1018638   a power cut brought back names of an output that were removed, and they stayed
//   1024095        a power cut left a claim beside the _SUCCESS that was made after it, and a commit took that for
//                  foreign
//   4300           two masters died while they removed an output
//   2000117        a network that was slow for a while silenced the workers of all copies of a task, which was blamed
//   101445 with --store   the store died before a commit had removed its claim, which stayed in a complete output
//   5000227, 8010064, 8010635 with --nodes 10 --jobs 3   an attempt was ended as silent while it mapped its first
//   record 8011080 with --nodes 10 --jobs 3   a store took the last bytes of a killed attempt behind the list of what
//   was to go 8013861 with --nodes 10 --jobs 3   a task was blamed for workers that had been silent before they were
//   given it 20002665, 20005945 with --nodes 10 --jobs 3, 21004295   a straggler was ended as silent while it mapped
//   its first
//                  record; the last of them under a new master, which knew nothing of how long records take
//   20016325, 30005047, 30005675 with --nodes 10 --jobs 3   what was checked was wrong: of a worker whose connection
//   had
//                  broken off, of a master that died in its first epoch, of three commits in a store at once
//   71000710 with --shared-journal   a master that stood still in a commit removed a part that another one had put in
//                  place
TEST(FaultsOfThePast, EndWell) { run_file("past_schedules.jsonl", 23); }

// Of 3,200 seeds those that reached places in the programs, or reached them so often, that none before
// them had: `ontime-faults --keep-new`.
TEST(FaultsThatReachMost, EndWell) { run_file("corpus.jsonl", 575); }

// To the byte, in processes whose memory lies elsewhere and that have other files open.
TEST(FaultsOfOneSeed, HaveTheSameLog) {
  for (const std::string seed : {"3", "8", "21", "60"}) {
    const auto first = test::run({ONTIME_FAULT_PROGRAM, "--seed", seed, "--trace"});
    const auto second = test::shell(
        "exec 3</dev/null 4</dev/null 5>/dev/null 6<>/dev/null; " ONTIME_FAULT_PROGRAM " --seed " + seed + " --trace");
    EXPECT_GT(first.out.size(), 5000u);
    EXPECT_TRUE(first.out == second.out) << "seed " << seed;
    // That somebody listens changes nothing.
    const auto silent = test::run({ONTIME_FAULT_PROGRAM, "--seed", seed});
    EXPECT_TRUE(first.out.ends_with(silent.out.substr(silent.out.rfind('\n', silent.out.size() - 2) + 1)));
  }
}

// A call that stays the C library's would meet the descriptors and the files of the real process.
TEST(FaultPrograms, HaveNoRealCallsOnDescriptorsAndNames) {
  const std::set<std::string> calls{
      "access",    "chdir",     "chmod",       "chown",    "close",    "closedir", "creat",     "dup",     "dup2",
      "dup3",      "faccessat", "fallocate",   "fchdir",   "fchmod",   "fchmodat", "fchown",    "fcntl",   "fcntl64",
      "fdatasync", "fdopen",    "fdopendir",   "flock",    "fopen",    "fopen64",  "fstat",     "fstat64", "fstatat",
      "fsync",     "ftruncate", "ftruncate64", "futimens", "link",     "linkat",   "lseek",     "lseek64", "lstat",
      "lstat64",   "mkdir",     "mkdirat",     "mkostemp", "mkstemp",  "open",     "open64",    "openat",  "openat64",
      "opendir",   "pread",     "pread64",     "preadv",   "pwrite",   "pwrite64", "pwritev",   "read",    "readdir",
      "readdir64", "readlink",  "readv",       "remove",   "rename",   "renameat", "rewinddir", "rmdir",   "sendfile",
      "stat",      "stat64",    "statvfs",     "syncfs",   "truncate", "unlink",   "unlinkat",  "write",   "writev"};
  const auto listed = test::shell("nm -D --undefined-only --without-symbol-versions " ONTIME_FAULT_PROGRAM);
  std::istringstream undefined(listed.out);
  int count = 0;
  for (std::string kind, name; undefined >> kind >> name; ++count) EXPECT_FALSE(calls.contains(name)) << name;
  EXPECT_GT(count, 100);
}

TEST(FaultPlans, AreTheSameAfterTheyWereWrittenAndRead) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string file = to_file(make_plan(seed));
    const auto read = from_file(file);
    ASSERT_TRUE(read);
    EXPECT_EQ(to_file(*read), file);
    EXPECT_EQ(describe(*read), describe(make_plan(seed)));
  }
}

TEST(FaultPlans, ThatCannotBeRunAreRefusedWithASentence) {
  for (const char* text :
       {"", "{}", "[1]", R"({"slots":[1],"slowness":[1],"submissions":[{}],"faults":[{"kind":"no-such"}]})",
        R"({"slots":[1],"slowness":[1],"submissions":[{}],"faults":[{"kind":"worker-dies","node":1}]})",
        R"({"slots":[1],"slowness":[1],"submissions":[{}],"faults":[{"kind":"etcd-stops"}]})"}) {
    const auto read = from_file(text);
    ASSERT_FALSE(read) << text;
    EXPECT_FALSE(read.error().message.empty());
  }
}

// Whatever is left out, faults name the jobs that they named. What is tried fails as long as the input of the second
// job changes.
TEST(Minimise, TriesSchedulesWhoseFaultsNameWhatIsThere) {
  FaultPlan plan;
  plan.slots = {1, 1};
  plan.slowness = {1, 1};
  plan.submissions.resize(3);
  for (std::uint32_t job = 0; job < 3; ++job) plan.submissions[job].tasks = job + 1;
  plan.submissions[2].has_input_in_store = true;
  plan.faults.resize(3);
  plan.faults[0].kind = FaultKind::InputChanges;
  plan.faults[0].node = 1;
  plan.faults[1].kind = FaultKind::ClientDies;
  plan.faults[1].node = 2;
  plan.faults[2].kind = FaultKind::StoreStops;
  // With three jobs it takes another fault, so that there is one when jobs are left out.
  const FaultPlan smallest = minimise(plan, [](const FaultPlan& tried) {
    const auto read = from_file(to_file(tried));
    EXPECT_TRUE(read) << read.error().message << "\n" << describe(tried);
    const bool has_change = std::any_of(tried.faults.begin(), tried.faults.end(), [&](const Fault& fault) {
      return fault.kind == FaultKind::InputChanges && tried.submissions.at(fault.node).tasks == 2;
    });
    Verdict verdict;
    verdict.broken = has_change && (tried.faults.size() > 1 || tried.submissions.size() < 3) ? "job-2 is wrong" : "";
    return verdict;
  });
  ASSERT_EQ(smallest.submissions.size(), 1u);
  EXPECT_EQ(smallest.submissions.front().tasks, 2u);
  ASSERT_EQ(smallest.faults.size(), 1u);
  EXPECT_EQ(smallest.faults.front().node, 0u);
}

// What the swarm draws: every kind of fault, every policy, masters that die in the middle of writing.
TEST(FaultPlans, HaveFaultsOfEveryKind) {
  std::set<FaultKind> kinds;
  std::set<std::string> policies;
  bool strikes_batches = false;
  bool strikes_commits = false;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const FaultPlan plan = make_plan(seed);
    for (const Fault& fault : plan.faults) {
      kinds.insert(fault.kind);
      strikes_batches = strikes_batches || fault.trigger == Trigger::Batch;
      strikes_commits = strikes_commits || fault.trigger == Trigger::CommitStep;
    }
    for (const Submission& submission : plan.submissions) policies.insert(submission.policy);
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kFaultKinds));
  EXPECT_EQ(policies.size(), scheduler::policies().size());
  EXPECT_TRUE(strikes_batches);
  EXPECT_TRUE(strikes_commits);
}

// A schedule without faults that is stopped by a master's death in every batch it ever writes, at several places in it,
// by a kill and by a power cut.
TEST(FaultsInEveryBatch, LoseNothing) {
  set_application_directory(ONTIME_FAULT_APPLICATIONS);
  FaultPlan plan = make_plan(6);
  plan.faults.clear();
  const std::uint32_t batches = run_apart(plan).batches;
  ASSERT_GT(batches, 10u);
  for (std::uint32_t batch = 1; batch < std::min(batches, 40u); ++batch) {
    for (const double share : {0.0, 0.3, 0.6, 1.0}) {
      Fault fault;
      fault.trigger = Trigger::Batch;
      fault.at = batch;
      fault.share = share;
      fault.lasts = 0.5;
      fault.is_silent = batch % 2 == 0;
      plan.faults = {fault};
      const Verdict verdict = run_apart(plan);
      ASSERT_TRUE(verdict.is_good()) << to_string(fault) << ": " << verdict.broken;
      EXPECT_GE(verdict.masters, 2u);
    }
  }
}

// The same of a leader, in a journal that it shares: it dies, stands still or is cut off for longer than its lease.
TEST(FaultsInEveryBatch, OfASharedJournalLoseNothing) {
  set_application_directory(ONTIME_FAULT_APPLICATIONS);
  FaultPlan plan = make_plan(6, {.has_shared_journal = true});
  plan.faults.clear();
  const std::uint32_t batches = run_apart(plan).batches;
  ASSERT_GT(batches, 10u);
  for (std::uint32_t batch = 1; batch < std::min(batches, 20u); ++batch) {
    for (const FaultKind kind : {FaultKind::MasterDies, FaultKind::MasterStops, FaultKind::MasterCutOff}) {
      for (const double share : {0.0, 0.3, 0.6}) {
        Fault fault;
        fault.kind = kind;
        fault.trigger = Trigger::Batch;
        fault.at = batch;
        fault.share = share;
        fault.lasts = 2 * plan.lease;
        fault.amount = 1;  // from etcd
        plan.faults = {fault};
        const Verdict verdict = run_apart(plan);
        ASSERT_TRUE(verdict.is_good()) << to_string(fault) << ": " << verdict.broken;
        EXPECT_GE(verdict.led, 3u) << to_string(fault) << "; the last leads at the end";
      }
    }
  }
}

}  // namespace
}  // namespace ontime::lab::faults

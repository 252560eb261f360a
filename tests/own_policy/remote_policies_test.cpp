// Policies in Python: what they are shown, what they may ask for, and that one that misbehaves does no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmath>
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

const std::string kSources = ONTIME_TEST_SOURCES;

std::string python(const std::string& name) { return kSources + "/tests/own_policy/" + name + ".py"; }
const std::string kCopyLate = kSources + "/examples/policy/copy_late.py";

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

// A policy that plans what a function says, at every second.
class Looking final : public scheduler::Policy {
 public:
  using Function = std::function<Plan(const View&)>;
  explicit Looking(Function look) : look_(std::move(look)) {}
  Plan plan(const View& view) override {
    Plan plan = look_(view);
    plan.next_check = view.now + 1s;
    return plan;
  }

 private:
  Function look_;
};

PacedWorld world_that_looks(const Looking::Function& look) {
  scheduler::Settings settings;
  settings.make_policy = [look](std::string_view, const StringMap&) { return std::make_unique<Looking>(look); };
  PacedWorld paced(settings);
  paced.add_nodes(3);
  paced.set_rate([](AttemptId id) { return id.task.index == 0 ? 50.0 : 200.0; });
  return paced;
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

// A look as its reader sees it: by table and column.
class Shown {
 public:
  explicit Shown(const Look& look) {
    const std::string bytes = encode(look);
    const char* at = bytes.data();
    for (const auto& table : tables_of_looks()) {
      const std::size_t rows = take<std::uint64_t>(at);
      for (const auto& column : table.at("columns")) {
        const std::string name = table.at("name").get<std::string>() + "." + column[0].get<std::string>();
        for (std::size_t row = 0; row < rows; ++row) {
          if (column[1] == "s")
            places_[name].push_back(take<std::uint64_t>(at));
          else
            columns_[name].push_back(column[1] == "q" ? static_cast<double>(take<std::int64_t>(at)) : take<double>(at));
        }
        columns_.try_emplace(name);
      }
    }
    texts_.assign(at, bytes.data() + bytes.size());
  }
  const std::vector<double>& operator[](const std::string& name) const { return columns_.at(name); }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> found;
    for (const std::uint64_t place : places_.at(name)) found.push_back(texts_.substr(place >> 32, place & UINT32_MAX));
    return found;
  }

 private:
  template <class Number>
  static Number take(const char*& at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  }
  std::map<std::string, std::vector<double>> columns_;
  std::map<std::string, std::vector<std::uint64_t>> places_;
  std::string texts_;
};

TEST(RemotePolicies, TheyAreShownWhatOursSee) {
  std::size_t looks = 0;
  Seen before;
  PacedWorld paced = world_that_looks([&](const View& view) {
    ++looks;
    const Shown seen(look_at(view, before));
    EXPECT_THAT(seen["view.spare_slots"], ElementsAre(view.spare_slots()));
    EXPECT_EQ(seen["jobs.id"].size(), view.jobs.size());
    const auto& tasks = seen["tasks.index"];
    for (std::size_t row = 0; row < tasks.size(); ++row) {
      const auto& job = view.jobs[static_cast<std::size_t>(seen["tasks.job"][row])];
      const auto& task = job.job->tasks[static_cast<std::size_t>(tasks[row])];
      EXPECT_FALSE(task.ledger.is_done());
      const double completion = job.outlook->completion()[static_cast<std::size_t>(tasks[row])];
      EXPECT_TRUE(completion == seen["tasks.completion"][row] || std::isnan(completion));
      EXPECT_EQ(seen["tasks.segments"][row], task.ledger.open_segments());
      const auto first = static_cast<std::size_t>(seen["tasks.first_segment"][row]);
      EXPECT_EQ(seen["segments.task"][first], row);
      EXPECT_EQ(seen["segments.begin"][first], task.ledger.split().begin + task.ledger.sealed_bytes());
    }
    for (std::size_t row = 0; row < seen["attempts.task"].size(); ++row) {
      const auto task = static_cast<std::size_t>(seen["attempts.task"][row]);
      EXPECT_LE(seen["tasks.first_attempt"][task], row);
      EXPECT_LT(row, seen["tasks.first_attempt"][task] + seen["tasks.attempts"][task]);
      EXPECT_GE(seen["attempts.node"][row], 0);
    }
    return Plan{};
  });
  const JobId job = paced.submit(5, {});
  paced.submit(2, {});
  EXPECT_TRUE(paced.run_job(job));
  EXPECT_GT(looks, 10U);
}

TEST(RemotePolicies, TheyAreToldOfJobsThatHaveEnded) {
  std::vector<double> ended;
  std::vector<double> held;
  Seen before;
  PacedWorld paced = world_that_looks([&](const View& view) {
    const Shown seen(look_at(view, before));
    ended.insert(ended.end(), seen["ended.is_met"].begin(), seen["ended.is_met"].end());
    held.insert(held.end(), seen["ended.machine_seconds"].begin(), seen["ended.machine_seconds"].end());
    return Plan{};
  });
  scheduler::JobSpec tight;
  tight.deadline = 2s;
  scheduler::JobSpec wide;
  wide.deadline = 100s;
  for (const JobId job : {paced.submit(1, tight), paced.submit(1, wide), paced.submit(3, {})})
    EXPECT_TRUE(
        paced.run_job(job));  // the first two take 20 s each, beside each other, and the last one has a node less
  EXPECT_THAT(ended, ElementsAre(0, 1));
  for (const double seconds : held) EXPECT_NEAR(seconds, 20, 1);
}

TEST(RemotePolicies, NamesAreShownAndEachTaskThatIsDoneOnce) {
  std::vector<double> done;
  std::vector<double> took;
  Seen before;
  PacedWorld paced = world_that_looks([&](const View& view) {
    const Shown seen(look_at(view, before));
    EXPECT_THAT(seen.texts("jobs.name"), Each(std::string("Grüße")));
    EXPECT_THAT(seen.texts("jobs.application"), Each(std::string("wordcount")));
    EXPECT_THAT(seen.texts("jobs.owner"), Each(std::string()));
    EXPECT_THAT(seen.texts("nodes.name"), ElementsAre("node-0", "node-1", "node-2"));
    EXPECT_THAT(seen.texts("nodes.host"), ElementsAre("host-node-0", "host-node-1", "host-node-2"));
    done.insert(done.end(), seen["done.index"].begin(), seen["done.index"].end());
    took.insert(took.end(), seen["done.seconds"].begin(), seen["done.seconds"].end());
    for (const double at : seen["done.done_at"]) EXPECT_LE(at, seen["jobs.age"].front());
    if (!view.jobs.empty()) {
      EXPECT_EQ(done.size(), view.jobs[0].job->tasks_done);
      const auto durations = view.jobs[0].outlook->task_durations();
      EXPECT_THAT(took, UnorderedElementsAreArray(durations.begin(), durations.end()));
    }
    return Plan{};
  });
  scheduler::JobSpec spec;
  spec.name = "Grüße";
  spec.application = "wordcount";
  EXPECT_TRUE(paced.run_job(paced.submit(5, spec)));
  EXPECT_THAT(done, UnorderedElementsAre(1, 2, 3, 4));  // the first is the slow one, with which the job ends
}

TEST(RemotePolicies, OneThatGoesByNamesAndFinishedTasksDecidesAsItWouldInCpp) {
  allow_own_policies(Duration::zero());
  const auto ours = scheduler::make_policy(std::string(ONTIME_TEST_POLICIES) + "/by_name.so", {});
  const auto theirs = scheduler::make_policy(python("by_name"), {});
  std::size_t races = 0;
  PacedWorld paced = world_that_looks([&](const View& view) {
    Plan plan = ours->plan(view);
    EXPECT_EQ(scheduler::test::in_words(theirs->plan(view)), scheduler::test::in_words(plan));
    for (const auto& decision : plan.decisions) races += std::holds_alternative<scheduler::Speculate>(decision);
    return plan;
  });
  paced.set_rate([](AttemptId id) { return id.task.index % 3 == 0 && id.number == 0 ? 40.0 : 250.0; });
  scheduler::JobSpec spec;
  std::vector<JobId> jobs;
  for (const char* name : {"nightly", "patient", "nightly"}) {
    spec.name = name;
    spec.owner = name[0] == 'n' ? "anna" : "";
    jobs.push_back(paced.submit(6, spec));
  }
  for (const JobId job : jobs) EXPECT_TRUE(paced.run_job(job));
  EXPECT_GT(races, 0U);
  EXPECT_EQ(paced.copies(jobs[1]), 0U);
  EXPECT_THAT(paced.notes(jobs[0]), Contains(HasSubstr("nightly of anna: 3 tasks took")));
}

TEST(RemotePolicies, EachDecisionIsWhatItsNameSays) {
  allow_own_policies(Duration::zero());
  const auto every = scheduler::make_policy(python("every_decision"), {});
  Plan made;
  std::uint64_t middle = 0;
  PacedWorld paced = world_that_looks([&](const View& view) -> Plan {
    Plan plan = every->plan(view);
    EXPECT_EQ(plan.next_check, view.now + 1s);
    if (plan.decisions.empty()) return {};
    const auto& segments = view.jobs[0].job->tasks[0].ledger.segments();
    middle = (segments.back().range.begin + segments.back().range.end) / 2;
    made = std::move(plan);
    return {};
  });
  const JobId job = paced.submit(3, {});
  EXPECT_TRUE(paced.run_job(job));
  ASSERT_EQ(made.decisions.size(), 8U);
  EXPECT_EQ(every->share(job), 3U);
  EXPECT_EQ(every->share(JobId{99}), 0U);

  const auto& race = std::get<scheduler::Speculate>(made.decisions[0]);
  EXPECT_EQ(race.task, (TaskId{job, 0}));
  EXPECT_EQ(race.reason, scheduler::Reason::Slow);
  EXPECT_EQ(std::get<scheduler::WholeSegment>(race.work).copies, 2U);
  EXPECT_THAT((std::vector{race.completion, race.pocd_before, race.pocd_after, race.rate, race.usual_rate}),
              ElementsAre(9.5, 0.25, 0.75, 2, 3));
  const auto& shared = std::get<scheduler::SharedTail>(std::get<scheduler::Speculate>(made.decisions[1]).work);
  EXPECT_EQ(shared.begin, middle);
  EXPECT_EQ(shared.handover, scheduler::Handover::Ready);
  const auto& given = std::get<scheduler::GivenTail>(std::get<scheduler::Speculate>(made.decisions[2]).work);
  ASSERT_EQ(given.pieces.size(), 2U);
  EXPECT_EQ(given.pieces[1].begin, middle + 1);
  EXPECT_EQ(given.pieces[1].copies, 2U);
  EXPECT_EQ(given.handover, scheduler::Handover::Predicted);
  EXPECT_THAT(std::get<scheduler::Divide>(made.decisions[3]).borders, ElementsAre(middle));
  EXPECT_EQ(std::get<scheduler::CloneTasks>(made.decisions[4]).copies, 2U);
  EXPECT_EQ(std::get<scheduler::EndAttempt>(made.decisions[5]).attempt, (AttemptId{{job, 0}, 0}));
  EXPECT_EQ(std::get<scheduler::Decline>(made.decisions[6]).reason, scheduler::Reason::TooYoung);
  const auto& note = std::get<scheduler::Note>(made.decisions[7]);
  EXPECT_EQ(note.text, "Grüße");
  EXPECT_EQ(note.number, 7U);
}

TEST(RemotePolicies, ThePageHasEachColumn) {
  std::ifstream file(kSources + "/docs/research/policy.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto& table : tables_of_looks()) {
    std::string names;
    for (const auto& column : table.at("columns"))
      names += (names.empty() ? "`" : ", `") + column[0].get<std::string>() + "`";
    const std::string row = "| `" + table.at("name").get<std::string>() + "` | " + names + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace ontime::master

// Policies in Python: what they are shown, and what they may ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "master/policies/look.h"
#include "master/policies/own_policies.h"
#include "tests/own_policy/asked_policy.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;
using scheduler::Plan;
using scheduler::StringMap;
using scheduler::View;
using scheduler::test::PacedWorld;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

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

TEST(ShownLooks, TheyAreShownWhatOursSee) {
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
      const auto& task = job.job->tasks[static_cast<std::uint32_t>(tasks[row])];
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

TEST(ShownLooks, TheyAreToldOfJobsThatHaveEnded) {
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

TEST(ShownLooks, NamesAreShownAndEachTaskThatIsDoneOnce) {
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

TEST(ShownLooks, OneThatGoesByNamesAndFinishedTasksDecidesAsItWouldInCpp) {
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

TEST(ShownLooks, EachDecisionIsWhatItsNameSays) {
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

TEST(ShownLooks, ThePageHasEachColumn) {
  std::ifstream file(ONTIME_TEST_SOURCES "/docs/research/policy.md");
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

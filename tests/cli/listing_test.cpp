// Which jobs and nodes a page shows of many.
#include "cli/show/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/client/selector.h"
#include "cli/show/job_json.h"
#include "cli/show/top_view.h"
#include "cli/web/assets.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parameters parameters(std::map<std::string, std::string> given) {
  return [given = std::move(given)](const char* name) -> std::optional<std::string> {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  };
}

wire::Reply::Jobs three_jobs() {
  wire::Reply::Jobs jobs;
  const auto add = [&](std::uint32_t id, wire::JobState state, const std::string& name, std::uint32_t tasks) {
    wire::JobSummary& job = *jobs.add_jobs();
    job.set_job(id);
    job.set_state(state);
    job.mutable_settings()->set_name(name);
    job.set_application("wordcount");
    job.set_tasks(tasks);
  };
  add(1, wire::RUNNING, "Nightly", 10);
  add(2, wire::SUCCEEDED, "hourly", 30);
  add(3, wire::FAILED, "nightly", 20);
  return jobs;
}

std::vector<std::string> listed(std::map<std::string, std::string> given) {
  const auto query = read_list_query(parameters(std::move(given)), Listed::Jobs);
  if (!query) return {query.error().message};
  std::vector<std::string> names;
  const json page = json::parse(listed_jobs_json(three_jobs(), *query));
  for (const auto& job : page["jobs"]) names.push_back(job["job"]);
  return names;
}

TEST(Listing, JobsThatRunComeFirstThenTheLatest) { EXPECT_THAT(listed({}), ElementsAre("job-1", "job-3", "job-2")); }

TEST(Listing, IsSearchedFilteredSortedAndCut) {
  EXPECT_THAT(listed({{"search", "NIGHT"}}), ElementsAre("job-1", "job-3"));
  EXPECT_THAT(listed({{"state", "failed"}}), ElementsAre("job-3"));
  EXPECT_THAT(listed({{"state", "open"}}), ElementsAre("job-1"));
  EXPECT_THAT(listed({{"sort", "tasks"}}), ElementsAre("job-1", "job-3", "job-2"));
  EXPECT_THAT(listed({{"sort", "tasks"}, {"order", "descending"}, {"first", "1"}, {"max", "1"}}), ElementsAre("job-3"));
  EXPECT_THAT(listed({{"first", "1000000"}}), IsEmpty());
  const auto all =
      json::parse(listed_jobs_json(three_jobs(), *read_list_query(parameters({{"search", "night"}}), Listed::Jobs)));
  EXPECT_EQ(all["matching"], 2);
  EXPECT_EQ(all["all"], 3);
  EXPECT_EQ(all["running"], 1);
}

TEST(Listing, WhatIsNoNumberIsRefused) {
  for (const char* wrong : {"", "-1", "1e3", "99999999999999999999", "5x", "501"})
    EXPECT_FALSE(read_list_query(parameters({{"max", wrong}}), Listed::Jobs)) << wrong;
  EXPECT_FALSE(read_task_query(parameters({{"first", "x"}})));
  EXPECT_FALSE(read_log_query(parameters({{"task", "-1"}})));
  EXPECT_TRUE(read_log_query(parameters({{"task", "3"}}))->has_task());
  EXPECT_FALSE(read_log_query(parameters({}))->has_task());
}

TEST(Listing, WhatIsNoColumnStateOrOrderIsRefusedWithThoseThatThereAre) {
  EXPECT_THAT(listed({{"sort", "shoe size"}}), ElementsAre(HasSubstr("sort is one of job, name, owner")));
  EXPECT_THAT(listed({{"sort", "host"}}), ElementsAre(HasSubstr("sort is one of")));
  EXPECT_THAT(listed({{"state", "done"}}), ElementsAre(HasSubstr("state is one of running, committing")));
  EXPECT_THAT(listed({{"order", "down"}}), ElementsAre("order is one of ascending, descending"));
  EXPECT_FALSE(read_list_query(parameters({{"state", "running"}}), Listed::Nodes));
  EXPECT_TRUE(read_list_query(parameters({{"state", "drained"}, {"sort", "heard"}}), Listed::Nodes));
  EXPECT_EQ(read_task_query(parameters({{"state", "failed"}})).error().message,
            "state is one of waiting, running, done, unfinished");
}

TEST(Listing, WhatHasNoNumberIsSortedBehind) {
  wire::Reply::Jobs jobs = three_jobs();
  jobs.mutable_jobs(2)->mutable_settings()->set_deadline(5);
  for (const char* order : {"ascending", "descending"}) {
    const auto query = read_list_query(parameters({{"sort", "deadline"}, {"order", order}}), Listed::Jobs);
    EXPECT_EQ(json::parse(listed_jobs_json(jobs, *query))["jobs"][0]["job"], "job-3") << order;
  }
}

TEST(Listing, NodesThatAreGoneComeLastAndCanBeLeftOut) {
  wire::Reply::Nodes nodes;
  for (const char* state : {"lost", "live", "live"}) {
    wire::NodeSummary& node = *nodes.add_nodes();
    node.set_node(static_cast<std::uint32_t>(nodes.nodes_size()));
    node.set_name("w" + std::to_string(nodes.nodes_size()));
    node.set_state(state);
    node.set_slots(4);
    node.set_busy(1);
  }
  nodes.mutable_nodes(2)->mutable_hold()->set_cause("slow");
  const auto listed_nodes = [&](std::map<std::string, std::string> given) {
    return json::parse(listed_nodes_json(nodes, *read_list_query(parameters(std::move(given)), Listed::Nodes)));
  };
  EXPECT_EQ(listed_nodes({})["nodes"][2]["name"], "w1");
  EXPECT_EQ(listed_nodes({{"state", "here"}})["matching"], 2);
  EXPECT_EQ(listed_nodes({{"state", "held"}})["nodes"][0]["name"], "w3");
  nodes.mutable_nodes(2)->mutable_machine()->set_cores(2);
  EXPECT_EQ(listed_nodes({{"sort", "cpu"}, {"order", "descending"}})["nodes"][0]["name"], "w3");
  EXPECT_EQ(listed_nodes({{"sort", "memory"}})["nodes"][0]["name"], "w3");
  EXPECT_EQ(listed_nodes({})["live"], 2);
  EXPECT_EQ(listed_nodes({})["held_back"], 1);
  EXPECT_EQ(listed_nodes({})["slots"], 8);
  nodes.set_slots_wanted(12);
  EXPECT_EQ(listed_nodes({})["slots_wanted"], 12);
}

// client.proto has their names; the page cannot ask for them.
TEST(Listing, ThePageOffersEveryStateOfAJob) {
  std::string scripts;
  for (const assets::Script& script : assets::kScripts) scripts += script.text;
  for (const std::string& state : protocol::names_of_job_states())
    EXPECT_THAT(scripts, HasSubstr("'" + state + "'")) << state;
}

std::string selected(const std::string& word) {
  const auto found = select_jobs(word, three_jobs());
  if (!found) return found.error().message;
  std::string text;
  for (const JobId id : *found) text += to_string(id) + " ";
  return text;
}

TEST(Selector, NamesJobsByIdPlaceRangeAndName) {
  EXPECT_EQ(selected("7"), "job-7 ");
  EXPECT_EQ(selected("job-2"), "job-2 ");
  EXPECT_EQ(selected("last"), "job-3 ");
  EXPECT_EQ(selected("last-2"), "job-1 ");
  EXPECT_EQ(selected("last-3"), "'last-3': there are only 3 jobs");
  EXPECT_EQ(select_jobs("last", {}).error().message, "'last': there is no job yet");
  EXPECT_EQ(selected("1-3"), "job-1 ") << "the others have ended";
  EXPECT_EQ(selected("2-3"), "");
  EXPECT_EQ(selected("3-1"), "'3-1' is no range of jobs: write the smaller number first");
  EXPECT_EQ(selected("hourly"), "job-2 ");
  EXPECT_EQ(selected("weekly"),
            "there is no job 'weekly'; give an id such as 7, a name that 'ontime jobs' shows, or last");
}

TEST(Selector, OfSeveralJobsWithANameTheOneThatRunsIsMeantAndElseNone) {
  wire::Reply::Jobs jobs = three_jobs();
  for (auto& job : *jobs.mutable_jobs()) job.mutable_settings()->set_name("nightly");
  EXPECT_EQ(*select_jobs("nightly", jobs), std::vector<JobId>{{1}});
  jobs.mutable_jobs(0)->set_state(wire::KILLED);
  EXPECT_EQ(select_jobs("nightly", jobs).error().message,
            "'nightly' is the name of job-1, job-2, job-3; give the id of one");
  for (std::uint32_t id = 4; id <= 9; ++id) {
    *jobs.add_jobs() = jobs.jobs(0);
    jobs.mutable_jobs(static_cast<int>(id) - 1)->set_job(id);
  }
  EXPECT_EQ(select_jobs("nightly", jobs).error().message,
            "'nightly' is the name of job-5, job-6, job-7, job-8, job-9, and 4 older jobs; give the id of one");
}

TEST(Listing, LateAreThoseThatMissedTheirDeadlineOrAreLikelyTo) {
  wire::Reply::Jobs jobs = three_jobs();
  for (auto& job : *jobs.mutable_jobs()) job.mutable_settings()->set_deadline(10);
  jobs.mutable_jobs(0)->mutable_forecast()->set_pocd(0.1);
  jobs.mutable_jobs(2)->set_state(wire::SUCCEEDED);
  jobs.mutable_jobs(2)->set_elapsed_ns(11);
  const auto query = read_list_query(parameters({{"state", "late"}}), Listed::Jobs);
  const json page = json::parse(listed_jobs_json(jobs, *query));
  ASSERT_EQ(page["matching"], 2);
  EXPECT_EQ(page["jobs"][0]["job"], "job-1");
  EXPECT_EQ(page["jobs"][1]["job"], "job-3");
}

class TopTest : public testing::Test {
 protected:
  TopTest() {
    jobs_ = three_jobs();
    for (auto& job : *jobs_.mutable_jobs()) job.mutable_settings()->set_deadline(kSecond);
    jobs_.mutable_jobs(2)->set_state(wire::RUNNING);
    jobs_.mutable_jobs(2)->mutable_forecast()->set_pocd(0.3);
    wire::NodeSummary& node = *nodes_.add_nodes();
    node.set_node(1);
    node.set_name("w1");
    node.set_state("live");
    node.set_slots(4);
    node.set_busy(3);
  }
  std::string shown(TopView::Size size = {}) {
    view_.update(jobs_, nodes_, 1'796'040'000 * kSecond);
    return view_.text(size);
  }

  static constexpr std::int64_t kSecond = 1'000'000'000;
  wire::Reply::Jobs jobs_;
  wire::Reply::Nodes nodes_;
  TopView view_;
};

TEST_F(TopTest, TheMostUrgentJobsComeFirst) {
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("1 worker, 3 of 4 slots busy, 2 jobs not ended, 1 late or at risk\n"));
  EXPECT_LT(text.find("job-3"), text.find("job-1"));
  EXPECT_LT(text.find("job-1"), text.find("job-2"));
  EXPECT_THAT(text, HasSubstr("left 1.00 s, PoCD 0.300"));
  EXPECT_EQ(text.find("has changed"), text.npos) << "nothing has";
}

TEST_F(TopTest, WhatHasChangedIsTold) {
  shown();
  jobs_.mutable_jobs(0)->set_state(wire::SUCCEEDED);
  jobs_.mutable_jobs(2)->set_elapsed_ns(2 * kSecond);
  nodes_.mutable_nodes(0)->set_state("lost");
  jobs_.add_jobs()->set_job(4);
  jobs_.mutable_jobs(3)->set_state(wire::QUEUED);
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("  job-1 (Nightly): succeeded, met 1.00 s early\n"));
  EXPECT_THAT(text, HasSubstr("  job-3 (nightly) is late: LATE 1.00 s\n"));
  EXPECT_THAT(text, HasSubstr("  job-4 was submitted, queued\n"));
  EXPECT_THAT(text, HasSubstr("  node-1 (w1): lost\n"));
  EXPECT_EQ(shown(), text) << "once";
}

TEST_F(TopTest, FitsTheTerminal) {
  shown();
  for (std::uint32_t id = 4; id < 60; ++id) {
    *jobs_.add_jobs() = jobs_.jobs(1);
    jobs_.mutable_jobs(static_cast<int>(id) - 1)->set_job(id);
  }
  const std::string text = shown({{.width = 40}, 20});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 19);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 40u) << line;
  EXPECT_THAT(text, HasSubstr("job-3"));
  EXPECT_THAT(text, HasSubstr("job-59 (hourly) was subm"));
}

// As `ontime job` writes them, which holds few in memory.
TEST(Listing, AJobWithItsTasksIsTheSamePartByPart) {
  wire::Reply::Job job;
  job.mutable_summary()->set_job(3);
  for (const std::uint32_t index : {4u, 7u}) job.add_tasks()->set_index(index);
  std::string text = job_json_begin(job);
  for (int i = 0; i < job.tasks_size(); ++i) text += task_json_line(job.tasks(i), i == 0);
  auto parts = nlohmann::json::parse(text + job_json_end(1000));
  EXPECT_EQ(parts["next_task"], 1000);
  parts.erase("next_task");
  EXPECT_EQ(parts, nlohmann::json::parse(job_json(job, true)));
  const auto empty = nlohmann::json::parse(job_json_begin(job) + job_json_end(0));
  EXPECT_TRUE(empty["next_task"].is_null());
  EXPECT_TRUE(empty["task_list"].empty());
}

}  // namespace
}  // namespace ontime::cli

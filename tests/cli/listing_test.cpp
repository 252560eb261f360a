// Which jobs and nodes a page shows of many.
#include "cli/show/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
  EXPECT_EQ(listed_nodes({})["live"], 2);
  EXPECT_EQ(listed_nodes({})["held_back"], 1);
  EXPECT_EQ(listed_nodes({})["slots"], 8);
}

// client.proto has their names; the page cannot ask for them.
TEST(Listing, ThePageOffersEveryStateOfAJob) {
  std::string scripts;
  for (const assets::Script& script : assets::kScripts) scripts += script.text;
  for (const std::string& state : protocol::names_of_job_states())
    EXPECT_THAT(scripts, HasSubstr("'" + state + "'")) << state;
}

}  // namespace
}  // namespace ontime::cli

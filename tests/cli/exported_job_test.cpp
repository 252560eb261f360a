// A job as a trace and as a page of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/show/trace_json.h"
#include "cli/web/report_page.h"

namespace ontime::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSubmitted = 1'700'000'000'000 * kMillisecond;

wire::AttemptDetail& add_attempt(wire::TaskDetail& task, std::uint32_t node, std::int64_t from_ms, std::int64_t to_ms) {
  auto& attempt = *task.add_attempts();
  attempt.set_number(static_cast<std::uint32_t>(task.attempts_size()) - 1);
  attempt.set_node(node);
  attempt.set_node_name("w" + std::to_string(node));
  attempt.set_launched_unix_ns(kSubmitted + from_ms * kMillisecond);
  attempt.set_started_unix_ns(kSubmitted + (from_ms + 5) * kMillisecond);
  if (to_ms > 0) attempt.set_ended_unix_ns(kSubmitted + to_ms * kMillisecond);
  attempt.set_state(to_ms > 0 ? "succeeded" : "running");
  return attempt;
}

// A straggler on w1, whose copy runs on w2 beside another task.
wire::Reply::Job job_with_copy() {
  wire::Reply::Job job;
  auto& summary = *job.mutable_summary();
  summary.set_job(7);
  summary.set_application("wordcount");
  summary.set_submitted_unix_ns(kSubmitted);
  summary.set_elapsed_ns(400 * kMillisecond);
  summary.mutable_settings()->set_deadline(500 * kMillisecond);
  summary.set_tasks(2);
  for (std::uint32_t index = 0; index < 2; ++index) {
    auto& task = *job.add_tasks();
    task.set_index(index);
    task.set_state("running");
  }
  add_attempt(*job.mutable_tasks(0), 1, 10, 0);
  add_attempt(*job.mutable_tasks(0), 2, 200, 300).set_speculative(true);
  add_attempt(*job.mutable_tasks(1), 2, 10, 250).set_message("</script><b>");
  return job;
}

wire::Reply::Explained explanation() {
  wire::Reply::Explained explained;
  auto& task = *explained.add_tasks();
  auto& decision = *task.add_decisions();
  decision.set_at_ns(190 * kMillisecond);
  decision.set_what("speculate");
  decision.set_reason("late");
  decision.set_copies(1);
  decision.add_fates()->set_attempt(1);
  return explained;
}

std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == phase) events.push_back(event);
  return events;
}

TEST(Trace, HasASliceForEachAttemptInASlotOfItsWorker) {
  const json trace = json::parse(trace_json(job_with_copy(), {}));
  std::map<std::string, json> slices;
  for (const json& event : events_of(trace, "X"))
    if (event["name"] != "launch") slices[event["name"]] = event;
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices["t00000 a0"]["ts"], 10'000.0);
  EXPECT_EQ(slices["t00000 a0"]["dur"], 390'000.0) << "it still runs";
  EXPECT_EQ(slices["t00000 a1"]["cat"], "copy");
  EXPECT_EQ(slices["t00000 a1"]["pid"], slices["t00001 a0"]["pid"]);
  EXPECT_NE(slices["t00000 a1"]["tid"], slices["t00001 a0"]["tid"]) << "they overlap";
  EXPECT_NE(slices["t00000 a0"]["pid"], slices["t00001 a0"]["pid"]);
}

TEST(Trace, CountsRunningAttemptsDownToNone) {
  const auto counts = events_of(json::parse(trace_json(job_with_copy(), {})), "C");
  ASSERT_FALSE(counts.empty());
  int most = 0;
  for (const json& count : counts) most = std::max(most, count["args"]["attempts"].get<int>());
  EXPECT_EQ(most, 3);
  EXPECT_EQ(counts.back()["args"]["attempts"], 0);
}

TEST(Trace, TellsDecisionsWithTheirReasonsAndTheDeadline) {
  const auto marks = events_of(json::parse(trace_json(job_with_copy(), explanation())), "i");
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0]["ts"], 190'000.0);
  EXPECT_THAT(marks[0]["args"]["text"].get<std::string>(), HasSubstr("expected to be done only after the deadline"));
  EXPECT_EQ(marks[1]["name"], "deadline");
}

TEST(Report, HoldsTheJobAndLoadsNothing) {
  const std::string page = report_page(job_with_copy(), explanation());
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("rel=\"stylesheet\"")));
  const std::string before = "<script type=\"application/json\" id=\"report\">";
  const std::size_t begin = page.find(before) + before.size();
  const json job = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(job["job"], "job-7");
  EXPECT_EQ(job["task_list"][1]["attempts"][0]["message"], "</script><b>") << "a message cannot end the data";
  EXPECT_THAT(job["explanation"]["tasks"][0]["decisions"][0]["text"].get<std::string>(), HasSubstr("late"));
}

}  // namespace
}  // namespace ontime::cli

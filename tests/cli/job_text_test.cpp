#include "cli/show/job_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/show/job_json.h"
#include "common/base/byte_range.h"
#include "common/base/units.h"

namespace ontime::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kSecond = 1'000'000'000;

wire::Reply::Job example_job() {
  wire::Reply::Job job;
  auto& summary = *job.mutable_summary();
  summary.set_job(3);
  summary.set_state(wire::SUCCEEDED);
  summary.set_application("wordcount");
  summary.set_output("/data/out");
  summary.set_tasks(2);
  summary.set_tasks_done(2);
  summary.set_input_bytes(3u << 20);
  summary.set_mapped_bytes(3u << 20);
  summary.set_records(1234);
  summary.set_elapsed_ns(2 * kSecond);
  summary.set_submitted_unix_ns(1'700'000'000 * kSecond);
  auto& counter = *summary.add_counters();
  counter.set_group("g");
  counter.set_name("n");
  counter.set_value(5);
  *summary.add_counters() = counter;
  summary.mutable_counters(1)->set_name("owed");
  summary.mutable_counters(1)->set_value(~std::uint64_t{2});
  auto& done = *job.add_tasks();
  done.set_path("/data/a.txt");
  done.mutable_split()->set_end(100);
  done.set_state("done");
  for (const bool sealed : {true, true}) {
    auto& segment = *done.add_segments();
    segment.set_state(sealed ? "sealed" : "open");
    segment.set_attempt(1);
    segment.set_output_bytes(7);
  }
  auto& attempt = *done.add_attempts();
  attempt.set_node_name("worker-1");
  attempt.set_state("failed");
  attempt.set_launched_unix_ns(kSecond);
  attempt.set_ended_unix_ns(2 * kSecond);
  attempt.set_message("first line\nsecond line");
  auto& second = *done.add_attempts();
  second.set_number(1);
  second.set_speculative(true);
  auto& waiting = *job.add_tasks();
  waiting.set_index(1);
  waiting.mutable_split()->set_end(kUnknownEnd);
  waiting.set_state("waiting");
  return job;
}

TEST(JobText, ALostNodeIsNeitherDrainedNorServesAgain) {
  wire::NodeSummary node;
  node.set_node(2);
  node.set_name("w");
  node.set_state("lost");
  EXPECT_EQ(drain_text(node, false),
            "node-2 (w) is lost: nothing runs there, and it gets no work should it come back\n");
  EXPECT_EQ(drain_text(node, true), "node-2 (w) is lost: nothing runs there, and it gets work should it come back\n");
  node.set_state("drained");
  EXPECT_EQ(drain_text(node, false), "node-2 (w) is drained: nothing runs there and it gets no work\n");
}

TEST(JobText, SummaryTellsTheFiguresAndWhereTheAnswerIs) {
  const auto text = summary_text(example_job().summary());
  EXPECT_EQ(text,
            "job-3 succeeded: 2 tasks, 1234 records, 3.0 MiB in 2.00 s (1.5 MiB/s)\n"
            "counters:    g.n = 5, g.owed = -3\n"
            "output:      /data/out\n"
            "answer:      ontime result /data/out\n");
}

TEST(JobText, SummaryShowsTheFirstCountersOnALine) {
  auto job = example_job().summary();
  for (int i = 0; i < 9; ++i) {
    auto& counter = *job.add_counters();
    counter.set_group("each");
    counter.set_name(std::to_string(i));
    counter.set_value(7);
  }
  EXPECT_THAT(summary_text(job), HasSubstr("counters:    g.n = 5, g.owed = -3, each.0 = 7, "));
  EXPECT_THAT(summary_text(job), HasSubstr("each.5 = 7, 3 more\n"));
}

TEST(JobText, TheCommandForTheAnswerNamesTheDirectoriesOfApplications) {
  EXPECT_THAT(summary_text(example_job().summary(), {"apps", "my apps"}),
              HasSubstr("answer:      ontime result /data/out --app-dir apps --app-dir 'my apps'\n"));
}

TEST(JobText, DeadlineIsMetOrMissed) {
  auto job = example_job().summary();
  EXPECT_FALSE(missed_its_deadline(job));
  job.mutable_settings()->set_deadline(3 * kSecond);
  EXPECT_THAT(summary_text(job), HasSubstr("met with 1.00 s to spare"));
  job.mutable_settings()->set_deadline(1 * kSecond);
  EXPECT_TRUE(missed_its_deadline(job));
  EXPECT_THAT(summary_text(job), HasSubstr("missed by 1.00 s"));
  job.mutable_settings()->set_deadline(3 * kSecond);
  job.set_state(wire::KILLED);
  EXPECT_TRUE(missed_its_deadline(job)) << "there is no result";
  EXPECT_THAT(summary_text(job), HasSubstr("missed: the job was killed"));
}

wire::JobSummary running_job(std::int64_t elapsed, std::int64_t deadline) {
  auto job = example_job().summary();
  job.set_state(wire::RUNNING);
  job.set_elapsed_ns(elapsed * kSecond);
  job.mutable_settings()->set_deadline(deadline * kSecond);
  return job;
}

TEST(Lateness, IsSaidOfEveryJobWithADeadline) {
  auto ended = example_job().summary();
  EXPECT_EQ(lateness_of(ended), Lateness::NoDeadline);
  EXPECT_EQ(lateness_text(ended), "");
  ended.mutable_settings()->set_deadline(3 * kSecond);
  EXPECT_EQ(lateness_text(ended), "met 1.00 s early");
  EXPECT_FALSE(is_late(ended));
  ended.mutable_settings()->set_deadline(kSecond / 2);
  EXPECT_EQ(lateness_text(ended), "LATE 1.50 s");
  EXPECT_TRUE(is_late(ended));
  ended.mutable_settings()->set_deadline(3 * kSecond);
  ended.set_state(wire::KILLED);
  EXPECT_EQ(lateness_text(ended), "LATE, no result");
  auto running = running_job(4, 30);
  EXPECT_EQ(lateness_text(running), "left 26.00 s");
  running.mutable_forecast()->set_pocd(0.5);
  EXPECT_EQ(lateness_of(running), Lateness::InTime);
  running.mutable_forecast()->set_pocd(0.06);
  EXPECT_EQ(lateness_text(running), "left 26.00 s, PoCD 0.060");
  EXPECT_EQ(lateness_of(running), Lateness::AtRisk);
  EXPECT_TRUE(is_late(running));
  EXPECT_EQ(lateness_text(running_job(31, 30)), "LATE 1.00 s");
}

TEST(Lateness, IsRedOrYellowInTheListAndANameInJson) {
  wire::Reply::Jobs jobs;
  *jobs.add_jobs() = running_job(31, 30);
  *jobs.add_jobs() = running_job(4, 30);
  jobs.mutable_jobs(1)->mutable_forecast()->set_pocd(0.2);
  const std::string table = jobs_table(jobs, {.colours = Colours::Yes});
  EXPECT_THAT(table, HasSubstr("\033[31mLATE 1.00 s\033[0m"));
  EXPECT_THAT(table, HasSubstr("\033[33mleft 26.00 s, PoCD 0.200\033[0m"));
  EXPECT_THAT(jobs_table(jobs), Not(HasSubstr("\033")));
  const auto list = json::parse(jobs_json(jobs))["jobs"];
  EXPECT_EQ(list[0]["lateness"], "late");
  EXPECT_EQ(list[1]["lateness"], "at risk");
}

TEST(Lateness, ExpectedEndAndDeadlineAreClockTimesToo) {
  auto job = running_job(4, 30);
  job.mutable_forecast()->set_median_ns(20 * kSecond);
  const std::int64_t end = job.submitted_unix_ns() + 20 * kSecond;
  EXPECT_EQ(expected_end_unix_ns(job), end);
  EXPECT_EQ(expected_text(job), "done in 16.00 s, at 20.00 s, " + local_time(end));
  wire::Reply::Job whole;
  *whole.mutable_summary() = job;
  EXPECT_THAT(job_text(whole), HasSubstr("due:         " + local_time(job.submitted_unix_ns() + 30 * kSecond)));
  const auto document = json::parse(job_json(whole, false));
  EXPECT_EQ(document["expected_end_unix_ns"], end);
  EXPECT_EQ(document["due_unix_ns"], job.submitted_unix_ns() + 30 * kSecond);
  EXPECT_TRUE(json::parse(job_json(example_job(), false))["expected_end_unix_ns"].is_null());
}

TEST(Lateness, OfALateJobItSaysWhatWouldHaveHelped) {
  auto job = example_job();
  EXPECT_EQ(hint_text(job, 1), "");
  job.mutable_summary()->mutable_settings()->set_deadline(kSecond);
  job.mutable_summary()->mutable_settings()->set_policy("auto");
  job.mutable_account()->set_useful_ns(7 * kSecond);
  EXPECT_EQ(hint_text(job, 7), "") << "so many could have done it";
  EXPECT_EQ(
      hint_text(job, 6),
      "may help:    more slots and smaller splits: the work alone took 7.00 s of machine time, so no policy is done "
      "in 1.00 s with fewer than 7 slots, and there were 6\n");
  job.mutable_summary()->set_tasks(7);
  EXPECT_THAT(hint_text(job, 6), HasSubstr("more slots: the work"));
  job.mutable_summary()->mutable_settings()->set_policy("none");
  EXPECT_THAT(hint_text(job, 7), HasSubstr("--policy auto"));
  job.mutable_summary()->set_policy_harm("doing nothing would have been faster");
  EXPECT_EQ(hint_text(job, 7), "") << "that says it";
}

TEST(JobText, WhatAJobWasIsShown) {
  auto job = example_job();
  auto& summary = *job.mutable_summary();
  auto& command = *summary.add_parameters();
  command.set_key("command");
  command.set_value("tr a-z A-Z");
  summary.set_input_files(3);
  summary.add_inputs("/data/a");
  summary.add_inputs("/data/b");
  summary.add_files("mapper.py");
  summary.set_ended_unix_ns(1'700'000'002 * kSecond);
  summary.mutable_settings()->set_policy("auto");
  summary.set_policy_chosen("clone");
  const std::string text = job_text(job);
  EXPECT_THAT(text, HasSubstr("parameters:  command=tr a-z A-Z\n"));
  EXPECT_THAT(text, HasSubstr("input:       3 files: /data/a, /data/b and 1 more\n"));
  EXPECT_THAT(text, HasSubstr("sent along:  mapper.py\n"));
  EXPECT_THAT(text, HasSubstr("ended:       " + local_time(summary.ended_unix_ns())));
  EXPECT_THAT(text, HasSubstr("policy:      auto (clone)\n"));
  const auto document = json::parse(job_json(job, false));
  EXPECT_EQ(document["parameters"]["command"], "tr a-z A-Z");
  EXPECT_EQ(document["input_files"], 3);
  EXPECT_EQ(document["inputs"], json({"/data/a", "/data/b"}));
  EXPECT_EQ(document["files"], json({"mapper.py"}));
  wire::Reply::Jobs jobs;
  *jobs.add_jobs() = summary;
  EXPECT_THAT(jobs_table(jobs), HasSubstr("command=tr a-z A-Z"));
  const auto listed = json::parse(jobs_json(jobs))["jobs"][0];
  EXPECT_EQ(listed["parameters_text"], "command=tr a-z A-Z");
  EXPECT_FALSE(listed.contains("parameters")) << "they are cut in lists";
}

TEST(JobText, FailureKeepsTheLinesOfTheMessage) {
  auto job = example_job().summary();
  job.set_state(wire::FAILED);
  job.set_message("attempt died\nstderr: \033boom");
  EXPECT_EQ(failure_text(job), "job-3 failed: attempt died\nstderr: ?boom");
  job.set_state(wire::KILLED);
  job.set_message("");
  EXPECT_EQ(failure_text(job), "job-3 was killed");
}

TEST(JobText, FailureShowsTheEndsOfALongMessage) {
  auto job = example_job().summary();
  job.set_state(wire::FAILED);
  std::string message = "attempt died";
  for (int i = 1; i < 685; ++i) message += "\nstderr: " + std::to_string(i);
  job.set_message(message);
  const std::string text = failure_text(job);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 35);
  EXPECT_THAT(text, HasSubstr("stderr: 14\n... 650 lines left out; 'ontime logs job-3' shows all ...\nstderr: 665\n"));
  EXPECT_TRUE(text.ends_with("stderr: 684"));
}

TEST(JobText, EveryAttemptHasALineBelowItsTask) {
  const auto table = tasks_table(example_job());
  EXPECT_THAT(table, HasSubstr("t00000  a.txt  0..100"));
  EXPECT_THAT(table, HasSubstr("2 sealed"));
  EXPECT_THAT(table, HasSubstr("first line"));
  EXPECT_THAT(table, Not(HasSubstr("second line")));
  EXPECT_THAT(table, HasSubstr("a1*"));
  EXPECT_THAT(table, HasSubstr("t00001         0..end"));
}

TEST(JobText, EverySegmentHasALine) {
  EXPECT_THAT(segments_table(example_job()), HasSubstr("7 B"));
  EXPECT_EQ(segments_table({}), "no segments\n");
}

TEST(JobText, AListOfTasksThatGoesOnSaysHowToSeeTheRest) {
  EXPECT_EQ(more_tasks_text("ontime job 3", 1000),
            "perhaps more: 'ontime job 3 --first 1000' goes on, 'ontime job 3 --tasks 0' lists all\n");
}

TEST(JobText, AJobSaysWhatItWaitsFor) {
  auto job = example_job();
  job.mutable_summary()->set_waiting_for("workers");
  EXPECT_EQ(progress_of(job.summary()).note, "no workers");
  EXPECT_THAT(job_text(job), HasSubstr("no workers"));
  EXPECT_THAT(job_json(job, false), HasSubstr("\"waiting_for\": \"workers\""));
  job.mutable_summary()->set_waiting_for("a slot");
  EXPECT_EQ(progress_of(job.summary()).note, "waiting for a slot");
  job.mutable_summary()->clear_waiting_for();
  EXPECT_THAT(job_json(job, false), HasSubstr("\"waiting_for\": null"));
}

TEST(JobText, KilledJobsAreAListInJson) {
  EXPECT_THAT(killed_json({{JobId{1}, wire::KILLED}, {JobId{2}, wire::SUCCEEDED}}),
              testing::ContainsRegex("job-1(.|\n)*killed(.|\n)*job-2(.|\n)*succeeded"));
}

TEST(JobText, EmptyListsSaySo) {
  EXPECT_EQ(jobs_table({}), "no jobs\n");
  EXPECT_THAT(nodes_table({}), HasSubstr("no workers"));
}

wire::Reply::Nodes with_a_held_node() {
  wire::Reply::Nodes nodes;
  nodes.add_nodes()->set_node(1);
  wire::NodeSummary& node = *nodes.add_nodes();
  node.set_node(2);
  node.set_name("w2");
  node.mutable_hold()->set_cause("slow");
  node.mutable_hold()->set_so_far_ns(17'000'000'000);
  node.mutable_hold()->set_left_ns(43'000'000'000);
  node.mutable_hold()->set_reason("its last 3 attempts were slow");
  return nodes;
}

TEST(JobText, ANodeThatIsHeldBackIsListedWithCauseAndReason) {
  const std::string text = nodes_table(with_a_held_node());
  EXPECT_THAT(text, HasSubstr("HELD"));
  EXPECT_THAT(text, HasSubstr("\nnode-2 (w2) is held back as slow for " + format_duration(std::chrono::seconds(43)) +
                              " more: its last 3 attempts were slow\n"));
  EXPECT_THAT(text, Not(HasSubstr("node-1 ()")));
}

TEST(JobText, NodesAreListedWithTheUseOfTheirMachines) {
  wire::Reply::Nodes nodes = with_a_held_node();
  wire::MachineUse& use = *nodes.mutable_nodes(1)->mutable_machine();
  use.set_cores(2);
  use.set_busy_cores(1.45);
  use.set_memory_bytes(8ull << 30);
  use.set_used_bytes(3ull << 29);
  EXPECT_THAT(nodes_table(nodes), AllOf(HasSubstr("1.4/2"), HasSubstr("1.5 GiB/8.0 GiB")));
  const auto listed = json::parse(nodes_json(nodes))["nodes"];
  EXPECT_TRUE(listed[0]["machine"].is_null());
  EXPECT_EQ(listed[1]["machine"]["busy_cores"], 1.45);
  EXPECT_EQ(listed[1]["machine"]["used_bytes"], 3ull << 29);
}

TEST(JobJson, AHoldIsNullUnlessThereIsOne) {
  const auto nodes = json::parse(nodes_json(with_a_held_node()))["nodes"];
  EXPECT_TRUE(nodes[0]["hold"].is_null());
  EXPECT_EQ(nodes[1]["hold"]["cause"], "slow");
  EXPECT_EQ(nodes[1]["hold"]["so_far_seconds"], 17.0);
  EXPECT_EQ(nodes[1]["hold"]["left_seconds"], 43.0);
  EXPECT_EQ(nodes[1]["hold"]["reason"], "its last 3 attempts were slow");
}

TEST(JobJson, NodesTellHowManySlotsAreWanted) {
  wire::Reply::Nodes nodes = with_a_held_node();
  nodes.set_slots_wanted(12);
  EXPECT_EQ(json::parse(nodes_json(nodes))["slots_wanted"], 12);
}

TEST(JobJson, NamesAreStable) {
  const auto document = json::parse(job_json(example_job(), true));
  EXPECT_EQ(document["job"], "job-3");
  EXPECT_EQ(document["state"], "succeeded");
  EXPECT_EQ(document["elapsed_seconds"], 2.0);
  EXPECT_TRUE(document["deadline_seconds"].is_null());
  EXPECT_TRUE(document["deadline_met"].is_null());
  EXPECT_TRUE(document["ended_unix_ns"].is_null());
  EXPECT_EQ(document["counters"]["g"]["n"], 5);
  EXPECT_EQ(document["counters"]["g"]["owed"], -3);
  EXPECT_EQ(document["task_list"][0]["segments"].size(), 2u);
  EXPECT_EQ(document["task_list"][0]["attempts"][1]["speculative"], true);
  EXPECT_TRUE(document["task_list"][1]["end"].is_null());
  EXPECT_FALSE(json::parse(job_json(example_job(), false)).contains("task_list"));
}

TEST(JobJson, TheFormatOfRecordsIsNotTheirNumber) {
  auto job = example_job();
  job.mutable_summary()->mutable_settings()->set_records("csv");
  const auto document = json::parse(job_json(job, false));
  EXPECT_EQ(document["record_format"], "csv");
  EXPECT_EQ(document["records"], 1234);
  EXPECT_THAT(job_text(job), HasSubstr("\nformat:      csv\n"));
}

TEST(JobJson, BytesThatAreNoUtf8DoNotBreakTheDocument) {
  auto job = example_job();
  job.mutable_summary()->set_message("\xFF\xFE");
  EXPECT_TRUE(json::accept(job_json(job, true)));
}

TEST(JobJson, ListsAreUnderTheirName) {
  wire::Reply::Jobs jobs;
  *jobs.add_jobs() = example_job().summary();
  EXPECT_EQ(json::parse(jobs_json(jobs))["jobs"][0]["tasks"], 2);
  wire::Reply::Nodes nodes;
  nodes.add_nodes()->set_node(4);
  EXPECT_EQ(json::parse(nodes_json(nodes))["nodes"][0]["node"], "node-4");
  EXPECT_EQ(json::parse(nodes_json({}))["nodes"], json::array());
}

}  // namespace
}  // namespace ontime::cli

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "scheduler/policies/decision.h"

namespace ontime::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kMs = 1'000'000;

wire::CopyFate fate(std::uint32_t attempt, const std::string& node, const std::string& state, std::uint64_t from) {
  wire::CopyFate fate;
  fate.set_attempt(attempt);
  fate.set_node_name(node);
  fate.set_state(state);
  fate.set_from(from);
  fate.set_ended_ns(6300 * kMs);
  return fate;
}

// A straggler whose tail was taken over by two copies.
void make_taken_over(wire::ExplainedTask& task) {
  task.set_index(3);
  task.mutable_split()->set_end(1'048'576);
  task.set_state("done");
  task.set_done_ns(6300 * kMs);
  auto& decision = *task.add_decisions();
  decision.set_at_ns(4000 * kMs);
  decision.set_what("speculate");
  decision.set_reason("late");
  decision.set_attempt(0);
  decision.set_resume_at(262'144);
  decision.set_pieces(2);
  decision.set_copies(3);
  decision.set_release(true);
  decision.set_when_ready(true);
  decision.set_completion_ns(16000 * kMs);
  decision.set_pocd_before(0.0213);
  decision.set_pocd_after(0.99321);
  auto& winner = *decision.add_fates();
  winner = fate(1, "w3", "succeeded", 262'160);
  winner.set_sealed_bytes(393'208);
  winner.set_saved_bytes(262'160);
  winner.set_saved_ns(520 * kMs);
  *decision.add_fates() = fate(2, "w4", "killed", 655'368);
  *decision.add_fates() = fate(3, "w5", "failed", 655'368);
  auto& ended = *task.add_decisions();
  ended.set_at_ns(5000 * kMs);
  ended.set_what("end-attempt");
  ended.set_reason("replaced");
  ended.set_attempt(0);
  *ended.add_fates() = fate(0, "w1", "killed", 0);
  ended.mutable_fates(0)->set_sealed_bytes(1);
  task.mutable_declined()->set_reason("copy-would-be-later");
  task.mutable_declined()->set_since_ns(5500 * kMs);
  task.mutable_declined()->set_last_ns(6000 * kMs);
}

// One that was passed over.
void make_declined(wire::ExplainedTask& task) {
  task.set_index(7);
  task.mutable_split()->set_begin(10);
  task.mutable_split()->set_end(20);
  task.set_state("running");
  task.mutable_declined()->set_reason("too-young");
  task.mutable_declined()->set_since_ns(3000 * kMs);
  task.mutable_declined()->set_last_ns(3000 * kMs);
}

wire::Reply::Explained explained_job() {
  wire::Reply::Explained explained;
  auto& summary = *explained.mutable_summary();
  summary.set_job(3);
  summary.set_state(wire::SUCCEEDED);
  summary.mutable_settings()->set_policy("split-resume");
  summary.set_tasks(10);
  summary.set_elapsed_ns(12400 * kMs);
  auto& theta = *summary.mutable_settings()->add_policy_parameters();
  theta.set_key("theta");
  theta.set_value("1s");

  auto& note = *explained.add_decisions();
  note.set_what("note");
  note.set_text("t_min 2.00 s, beta 1.50 from the profile");

  make_taken_over(*explained.add_tasks());
  make_declined(*explained.add_tasks());
  explained.set_tasks_left_out(12);
  return explained;
}

TEST(ExplainText, TellsWhatWasDecidedWhenWhyAndWhatBecameOfIt) {
  EXPECT_EQ(
      explained_text(explained_job(), false),
      "job-3 succeeded, policy split-resume with theta=1s, 10 tasks, ended at 12.40 s after submission\n"
      "\n"
      "the whole job\n"
      "     0.00 s  t_min 2.00 s, beta 1.50 from the profile\n"
      "\n"
      "t00003  bytes 0..1048576, done at 6.30 s\n"
      "     4.00 s  late (it is expected to be done only after the deadline or, without one, after the rest of "
      "the job): 3 copies from byte 262144 on in 2 "
      "pieces, as soon as the first is ready; a0 stops where they begin\n"
      "             without this expected to be done at 16.00 s, the task was done at 6.30 s; PoCD 0.021 -> 0.993\n"
      "             a1 on w3 from byte 262160 won at 6.30 s, sealed 393208 bytes; 262160 bytes not mapped again, "
      "about 520.0 ms\n"
      "             a2 on w4 from byte 655368 lost at 6.30 s\n"
      "             a3 on w5 from byte 655368 failed at 6.30 s\n"
      "     5.00 s  replaced (fresh attempts take over for it): a0 is ended\n"
      "             a0 on w1 was ended at 6.30 s, sealed 1 byte before\n"
      "     5.50 s  nothing more was done until 6.00 s: copy-would-be-later (a copy launched now would be done "
      "after it)\n"
      "\n"
      "t00007  bytes 10..20, running\n"
      "     3.00 s  nothing was done: too-young (the attempt has not run long enough to be judged)\n"
      "\n"
      "12 more tasks are left out; --all shows all, --task N one\n");
}

TEST(ExplainText, ADecisionSaysHowFastTheAttemptWasWhereOthersHaveAnotherPace) {
  wire::DecisionDetail decision;
  decision.set_what("end-attempt");
  decision.set_reason("replaced");
  const std::string without = decision_sentence(decision);
  decision.set_rate(4200);
  EXPECT_EQ(decision_sentence(decision), without) << "nothing to compare it with";
  decision.set_usual_rate(33'800);
  EXPECT_THAT(decision_sentence(decision), testing::HasSubstr(", at 4.1 KiB/s where others have 33.0 KiB/s: "));
  decision.set_usual_rate(std::numeric_limits<double>::infinity());
  EXPECT_EQ(decision_sentence(decision), without);
}

TEST(ExplainText, NodesThatWereHeldBackAreNamedWithTimeAndReason) {
  wire::Reply::Explained explained;
  wire::HeldNode& over = *explained.add_held_nodes();
  over.set_node(3);
  over.set_node_name("w3");
  over.set_cause("slow");
  over.set_since_ns(-2000 * kMs);
  over.set_until_ns(58000 * kMs);
  over.set_is_over(true);
  over.set_reason("its last 3 attempts were slow");
  wire::HeldNode& now = *explained.add_held_nodes();
  now = over;
  now.set_cause("failing");
  now.set_since_ns(4000 * kMs);
  now.set_is_over(false);
  EXPECT_THAT(explained_text(explained, false),
              HasSubstr("\nnodes that were held back\n"
                        "     0.00 s  node-3 (w3) was held back as slow until 58.00 s: its last 3 attempts were slow\n"
                        "     4.00 s  node-3 (w3) was held back as failing, at most until 58.00 s: its last 3 "
                        "attempts were slow\n"));
  const auto held = json::parse(explained_json(explained))["explanation"]["held_nodes"];
  EXPECT_EQ(held[0]["node"], "node-3");
  EXPECT_EQ(held[0]["since_seconds"], -2.0);
  EXPECT_EQ(held[1]["is_over"], false);
  for (int i = 0; i < 20; ++i) *explained.add_held_nodes() = over;
  EXPECT_THAT(explained_text(explained, false), HasSubstr("12 more; --all shows all\n"));
}

TEST(ExplainText, ARaceFromTheBeginningHasNoOffset) {
  wire::Reply::Explained explained;
  auto& decision = *explained.add_tasks()->add_decisions();
  decision.set_what("speculate");
  decision.set_reason("slow");
  decision.set_copies(1);
  EXPECT_THAT(
      explained_text(explained, true),
      HasSubstr("slow (it is slower than its peers, or than attempts of earlier jobs): 1 copy races from byte 0\n"));
}

TEST(ExplainText, ManyDecisionsAboutOneTaskAreShortened) {
  wire::Reply::Explained explained;
  auto& task = *explained.add_tasks();
  for (int i = 0; i < 20; ++i) {
    auto& decision = *task.add_decisions();
    decision.set_what("speculate");
    decision.set_reason("number-" + std::to_string(i));
  }
  const std::string text = explained_text(explained, false);
  EXPECT_THAT(text, HasSubstr("number-3:"));
  EXPECT_THAT(text, Not(HasSubstr("number-4:")));
  EXPECT_THAT(text, HasSubstr("12 decisions are left out; --task 0 shows them"));
  EXPECT_THAT(text, HasSubstr("number-16:"));
  EXPECT_THAT(explained_text(explained, true), HasSubstr("number-9:"));
}

TEST(ExplainText, NothingToTellIsSaid) {
  EXPECT_THAT(explained_text({}, false), HasSubstr("Nothing was decided and no straggler was passed over."));
  wire::Reply::Explained explained;
  explained.add_tasks();
  explained.set_decisions_dropped(1);
  EXPECT_THAT(explained_text(explained, true), HasSubstr("nothing was decided about it"));
  EXPECT_THAT(explained_text(explained, true), HasSubstr("1 later decision was not kept"));
}

TEST(ExplainText, EveryReasonHasASentence) {
  for (int i = 0; i < 256; ++i) {
    const auto reason = static_cast<scheduler::Reason>(i);
    if (scheduler::code_of(reason) != "unknown") {
      EXPECT_FALSE(scheduler::sentence_of(reason).empty()) << scheduler::code_of(reason);
    }
  }
}

TEST(ExplainJson, HasEverything) {
  const auto document = json::parse(explained_json(explained_job()));
  EXPECT_EQ(document["job"], "job-3");
  const auto& explanation = document["explanation"];
  EXPECT_EQ(explanation["tasks_left_out"], 12);
  const auto& decision = explanation["tasks"][0]["decisions"][0];
  EXPECT_EQ(decision["at_seconds"], 4.0);
  EXPECT_EQ(decision["expected_seconds"], 16.0);
  EXPECT_EQ(decision["resume_at"], 262'144);
  EXPECT_EQ(decision["attempts"][0]["saved_bytes"], 262'160);
  EXPECT_TRUE(explanation["tasks"][0]["decisions"][1]["pocd_before"].is_null());
  EXPECT_EQ(explanation["tasks"][1]["declined"]["reason"], "too-young");
}

// `ontime job` ------------------------------------------------------------------------------------------------------

wire::Reply::Job with_insight() {
  wire::Reply::Job job;
  auto& summary = *job.mutable_summary();
  summary.set_state(wire::RUNNING);
  summary.mutable_settings()->set_policy("none");
  summary.set_elapsed_ns(10'000 * kMs);
  summary.mutable_settings()->set_deadline(20'000 * kMs);
  auto& forecast = *summary.mutable_forecast();
  forecast.set_pocd(0.9731);
  forecast.set_low_ns(15'000 * kMs);
  forecast.set_median_ns(16'500 * kMs);
  forecast.set_high_ns(19'000 * kMs);
  auto& durations = *forecast.mutable_durations();
  durations.set_t_min_ns(1'900 * kMs);
  durations.set_beta(1.8);
  durations.set_beta_error(0.2);
  durations.set_source("profile");
  durations.set_attempts(214);
  durations.set_launch_ns(120 * kMs);
  durations.set_launch_source("job");
  auto& account = *job.mutable_account();
  account.set_mapped_bytes(1000);
  account.set_useful_bytes(900);
  account.set_duplicated_bytes(100);
  account.set_total_ns(4'000 * kMs);
  account.set_useful_ns(3'000 * kMs);
  account.set_launch_ns(1'000 * kMs);
  account.set_saved_bytes(50);
  account.set_saved_ns(30 * kMs);
  account.set_resumed(1);
  auto& copies = *job.add_copies();
  copies.set_reason("late");
  copies.set_attempts(3);
  return job;
}

TEST(JobText, ShowsForecastAndAccount) {
  const std::string text = job_text(with_insight());
  EXPECT_THAT(text, HasSubstr("PoCD:        0.973\n"));
  EXPECT_THAT(text, HasSubstr("expected:    done in 6.50 s, at 16.50 s (between 15.00 s and 19.00 s with 80%)\n"));
  EXPECT_THAT(text, HasSubstr("durations:   t_min 1.90 s, beta 1.80 +- 0.20 from the profile, 214 attempts; "
                              "launch 120.0 ms from this job\n"));
  EXPECT_THAT(text, HasSubstr("copies:      3 for late\n"));
  EXPECT_THAT(text, HasSubstr("bytes:       1000 B mapped: 900 B useful (90.0%), 100 B duplicated (10.0%)\n"));
  EXPECT_THAT(text, HasSubstr("machine:     4.00 s: 3.00 s useful (75.0%), 1.00 s launching (25.0%)\n"));
  EXPECT_THAT(text, HasSubstr("saved:       50 B not mapped again, about 30.0 ms, by 1 attempt that resumed\n"));
  EXPECT_THAT(text, HasSubstr("checkpoints: off\n"));
}

TEST(JobText, AnEndOrAStandstillIsNotForetold) {
  auto job = with_insight();
  job.mutable_summary()->mutable_forecast()->set_standing(2);
  EXPECT_THAT(job_text(job), HasSubstr("expected:    done in 6.50 s"));  // they are ended for it in time
  job.mutable_summary()->mutable_forecast()->clear_median_ns();
  EXPECT_THAT(job_text(job), HasSubstr("expected:    there is no telling: 2 segments stand still\n"));
  job.mutable_summary()->mutable_forecast()->Clear();
  EXPECT_THAT(job_text(job), HasSubstr("expected:    not known yet\n"));
  job.mutable_summary()->mutable_forecast()->set_unknown(1);
  EXPECT_THAT(job_text(job), HasSubstr("expected:    not known yet: nothing can be said about 1 segment\n"));
  job.mutable_summary()->clear_forecast();
  EXPECT_THAT(job_text(job), Not(HasSubstr("expected")));
}

TEST(JobText, CertaintyIsNotClaimedByRounding) {
  EXPECT_EQ(pocd_text(0.99999), "above 0.999");
  EXPECT_EQ(pocd_text(1), "1");
  EXPECT_EQ(pocd_text(0.0001), "below 0.001");
}

TEST(JobText, TheProgressLineShowsPocd) {
  EXPECT_THAT(progress_text(progress_of(with_insight().summary())), HasSubstr("PoCD 0.973"));
}

TEST(JobText, TheEndOfARunTellsAboutCopies) {
  EXPECT_THAT(speculation_text(with_insight()), HasSubstr("saved:"));
  EXPECT_EQ(speculation_text({}), "");
  wire::Reply::Job cut_only;
  cut_only.add_copies()->set_reason("late");
  EXPECT_EQ(speculation_text(cut_only), "");
}

TEST(JobJson, AccountsBalanceInTheDocument) {
  const auto document = json::parse(job_json(with_insight(), false));
  EXPECT_EQ(document["account"]["bytes"]["mapped"], 1000);
  EXPECT_EQ(document["account"]["machine_ns"]["total"], 4'000 * kMs);
  EXPECT_EQ(document["account"]["saved"]["bytes"], 50);
  EXPECT_EQ(document["copies"]["late"]["attempts"], 3);
  EXPECT_EQ(document["forecast"]["pocd"], 0.9731);
  EXPECT_EQ(document["forecast"]["durations"]["source"], "profile");
  EXPECT_TRUE(json::parse(job_json({}, false))["forecast"].is_null());
}

TEST(JobsTable, AccountsAreShownByPolicy) {
  wire::Reply::Jobs jobs;
  auto& policy = *jobs.add_accounts();
  policy.set_policy("late");
  policy.set_jobs(2);
  policy.mutable_account()->set_mapped_bytes(2048);
  EXPECT_THAT(accounts_table(jobs), HasSubstr("late       2  2.0 KiB"));
  EXPECT_EQ(json::parse(jobs_json(jobs))["accounts"]["late"]["jobs"], 2);
}

}  // namespace
}  // namespace ontime::cli

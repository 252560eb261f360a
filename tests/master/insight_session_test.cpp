// What clients can ask about a job's inside: forecast, account, explanation.
#include <gmock/gmock.h>

#include <limits>

#include "tests/master/master_fixture.h"

namespace ontime {
namespace {

using asio::awaitable;
using test::FakeWorker;

class InsightTest : public test::MasterFixture {
 protected:
  awaitable<wire::Reply> explain(std::uint32_t job, std::uint32_t task) {
    wire::Request request;
    request.mutable_explain()->set_job(job);
    request.mutable_explain()->set_task(task);
    co_return co_await ask(request);
  }
  awaitable<std::uint32_t> submit_clone() {
    wire::Request request = submission();
    request.mutable_submit()->mutable_settings()->set_policy("clone");
    wire::Entry* r = request.mutable_submit()->mutable_settings()->add_policy_parameters();
    r->set_key("r");
    r->set_value("1");
    request.mutable_submit()->mutable_settings()->set_deadline(60'000'000'000);
    co_return co_await submit_request(request);
  }
};

TEST_F(InsightTest, ForecastAndAccountAreThereWhenAskedFor) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const auto order = co_await worker.next_order();
    EXPECT_TRUE(order.has_value());
    const wire::Reply::Job plain = co_await describe(job);
    EXPECT_FALSE(plain.summary().has_forecast());
    EXPECT_FALSE(plain.has_account());
    wire::Request request;
    request.mutable_describe_job()->set_job(job);
    request.mutable_describe_job()->set_forecast(true);
    request.mutable_describe_job()->set_account(true);
    const wire::Reply full = co_await ask(request);
    EXPECT_EQ(full.job().summary().forecast().unknown(), 1u);
    EXPECT_EQ(full.job().account().attempts(), 1u);
    request.Clear();
    request.mutable_list_jobs()->set_accounts(true);
    const wire::Reply jobs = co_await ask(request);
    EXPECT_EQ(jobs.jobs().accounts_size(), 1);
    EXPECT_EQ(jobs.jobs().accounts(0).policy(), "auto");
    EXPECT_EQ(jobs.jobs().accounts(0).account().attempts(), 1u);
  });
}

TEST_F(InsightTest, NodesAreListedWithTheSlotsThatAreWanted) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker("one", 3);
    wire::Request request;
    request.mutable_list_nodes();
    const wire::Reply before = co_await ask(request);
    EXPECT_EQ(before.nodes().slots_wanted(), 0u);
    co_await submit_clone();
    wire::Reply after = before;
    while (after.nodes().slots_wanted() == 0) {  // the master looks each second
      co_await net::sleep_for(std::chrono::milliseconds(20));
      after = co_await ask(request);
    }
    EXPECT_EQ(after.nodes().slots_wanted(), 3u) << "nothing is known of the job: what there is";
  });
}

TEST_F(InsightTest, NodesAreListedWithWhatTheySayOfTheirMachines) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker("one", 3);
    wire::Request request;
    request.mutable_list_nodes();
    const wire::Reply before = co_await ask(request);
    EXPECT_FALSE(before.nodes().nodes(0).has_machine());
    wire::ToMaster beat;
    wire::MachineUse& use = *beat.mutable_heartbeat()->mutable_machine();
    use.set_cores(2);
    use.set_busy_cores(1.5);
    use.set_memory_bytes(4000);
    use.set_used_bytes(300);
    worker.send(beat);
    co_await worker.until_heard(1);
    use.set_busy_cores(std::numeric_limits<double>::quiet_NaN());
    worker.send(beat);
    beat.mutable_heartbeat()->clear_machine();
    worker.send(beat);
    co_await worker.until_heard(3);
    const wire::Reply after = co_await ask(request);
    EXPECT_EQ(after.nodes().nodes(0).machine().busy_cores(), 1.5) << "neither what cannot be nor silence changes it";
    EXPECT_EQ(after.nodes().nodes(0).machine().used_bytes(), 300u);
  });
}

TEST_F(InsightTest, DecisionsSurviveARestartOfTheMaster) {
  std::uint32_t job = 0;
  wire::Reply before;
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker("one", 4);
    job = co_await submit_clone();
    const auto order = co_await worker.next_order();
    EXPECT_TRUE(order.has_value());
    before = co_await explain(job, 0);
  });
  EXPECT_FALSE(before.explained().decisions().empty());
  EXPECT_EQ(before.explained().tasks(0).clones_size(), 1);
  stop_master();
  start_master();
  play([&]() -> awaitable<void> {
    const wire::Reply after = co_await explain(job, 0);
    // Its policy begins afresh and may add to them.
    EXPECT_GE(after.explained().decisions_size(), before.explained().decisions_size());
    for (int i = 0; i < before.explained().decisions_size(); ++i) {
      EXPECT_EQ(after.explained().decisions(i).SerializeAsString(),
                before.explained().decisions(i).SerializeAsString());
    }
    EXPECT_EQ(after.explained().tasks(0).clones_size(), 1);
  });
}

TEST_F(InsightTest, WhatCannotBeExplainedIsRefusedInOneSentence) {
  play([&]() -> awaitable<void> {
    const wire::Reply no_job = co_await explain(7, 0);
    EXPECT_TRUE(no_job.bad_input());
    EXPECT_THAT(no_job.error(), testing::HasSubstr("job-7"));
    const std::uint32_t job = co_await submit();
    const wire::Reply no_task = co_await explain(job, 5);
    EXPECT_TRUE(no_task.bad_input());
    EXPECT_THAT(no_task.error(), testing::HasSubstr("No such task: job-1/t00005. job-1 has 1 task, counted from 0."));
  });
}

}  // namespace
}  // namespace ontime

// Messages that no sane worker or client sends, over a real loopback connection.
#include <gtest/gtest.h>

#include <functional>

#include "common/base/byte_range.h"
#include "common/base/limits.h"
#include "common/net/coroutine.h"
#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using asio::awaitable;

// Messages that no sane worker sends, to a registered or a new session.
struct Malformed {
  const char* name;
  bool registered;
  std::function<void(wire::ToMaster&)> fill;
};

class MalformedTest : public MasterFixture, public testing::WithParamInterface<Malformed> {};

TEST_P(MalformedTest, ClosesTheConnectionAndIsCounted) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await connect_worker();
    if (GetParam().registered) {
      worker.enlist("one", 1);
      co_await worker.next_welcome();
    }
    wire::ToMaster message;
    GetParam().fill(message);
    worker.send(message);
    const auto closed = co_await worker.is_closed();
    EXPECT_TRUE(closed);
    co_await make_worker("another");  // others go on
  });
  EXPECT_EQ(master_->counters().malformed, 1u);
}

wire::Report& add_report(wire::ToMaster& message) {
  wire::Report& report = *message.mutable_reports()->add_reports();
  report.set_sequence(1);
  report.mutable_attempt()->set_job(1);
  return report;
}

wire::ToMaster::Register& fill_registration(wire::ToMaster& message) {
  wire::ToMaster::Register& registration = *message.mutable_register_();
  registration.set_incarnation("one");
  registration.set_host("host");
  registration.set_slots(1);
  return registration;
}

const Malformed kMalformed[] = {
    {"Nothing", true, [](wire::ToMaster&) {}},
    {"HeartbeatBeforeRegistration", false, [](wire::ToMaster& m) { m.mutable_heartbeat(); }},
    {"ReportBeforeRegistration", false, [](wire::ToMaster& m) { add_report(m).mutable_started(); }},
    {"SecondRegistration", true, [](wire::ToMaster& m) { fill_registration(m); }},
    {"NoIncarnation", false, [](wire::ToMaster& m) { fill_registration(m).clear_incarnation(); }},
    {"LongName", false, [](wire::ToMaster& m) { fill_registration(m).set_name(std::string(1000, 'x')); }},
    {"ControlCharacters", false, [](wire::ToMaster& m) { fill_registration(m).set_host("a\nb"); }},
    {"NoSlots", false, [](wire::ToMaster& m) { fill_registration(m).set_slots(0); }},
    {"TooManySlots", false, [](wire::ToMaster& m) { fill_registration(m).set_slots(1'000'000); }},
    {"RunningWithoutAJob", false, [](wire::ToMaster& m) { fill_registration(m).add_running(); }},
    {"ProgressOfTooMany", true,
     [](wire::ToMaster& m) {
       for (int i = 0; i < 5000; ++i) m.mutable_heartbeat()->add_attempts()->mutable_attempt()->set_job(1);
     }},
    {"ReportOfNoJob", true, [](wire::ToMaster& m) { add_report(m).mutable_attempt()->set_job(0); }},
    {"ReportOfAnImpossibleTask", true,
     [](wire::ToMaster& m) { add_report(m).mutable_attempt()->set_task(kTasksOfJobMax); }},
    {"ReportWithoutNumber", true,
     [](wire::ToMaster& m) {
       add_report(m).mutable_started();
       m.mutable_reports()->mutable_reports(0)->set_sequence(0);
     }},
};

INSTANTIATE_TEST_SUITE_P(Messages, MalformedTest, testing::ValuesIn(kMalformed),
                         [](const auto& param) { return param.param.name; });

// Reports of what cannot be, about an attempt that runs: its process has said so, and they count against it alone.
struct MalformedReport {
  const char* name;
  std::function<void(wire::Report&)> fill;
};

class MalformedReportTest : public MasterFixture, public testing::WithParamInterface<MalformedReport> {};

TEST_P(MalformedReportTest, IsAcknowledgedAndFailsItsAttempt) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::Report report = about(launch.attempt(), 1);
    GetParam().fill(report);
    worker.report(report);
    co_await worker.until_acknowledged(1);
    const wire::Reply::Job description = co_await describe(job);
    EXPECT_EQ(description.tasks(0).attempts(0).state(), "failed");
    EXPECT_NE(description.tasks(0).attempts(0).message().find("reported what cannot be"), std::string::npos);
    wire::ToMaster running;  // as the worker does not know yet
    *running.mutable_heartbeat()->add_attempts()->mutable_attempt() = launch.attempt();
    worker.send(running);
    std::optional<wire::Order> order;
    do order = co_await worker.next_order();
    while (order && !order->has_kill());
    EXPECT_TRUE(order.has_value());
  });
  EXPECT_EQ(master_->counters().malformed, 0u);
}

wire::SealedOutput& says_sealed(wire::Report& report, std::uint64_t begin, std::uint64_t end, std::uint64_t input_end) {
  report.mutable_sealed()->mutable_range()->set_begin(begin);
  report.mutable_sealed()->mutable_range()->set_end(end);
  report.mutable_sealed()->set_input_end(input_end);
  return *report.mutable_sealed()->mutable_output();
}

const MalformedReport kMalformedReports[] = {
    {"SaysNothing", [](wire::Report&) {}},
    {"CutBeyondAnyFile", [](wire::Report& r) { r.mutable_cut()->set_at(std::uint64_t{1} << 63); }},
    {"EmptySeal", [](wire::Report& r) { says_sealed(r, 5, 5, 5); }},
    {"SealBackwards", [](wire::Report& r) { says_sealed(r, 5, 4, 4); }},
    {"SealWithAnotherEnd", [](wire::Report& r) { says_sealed(r, 0, 10, 11); }},
    {"OpenSealThatEndsBeforeItBegins", [](wire::Report& r) { says_sealed(r, 10, kUnknownEnd, 9); }},
    {"OpenSealWithoutEnd", [](wire::Report& r) { says_sealed(r, 10, kUnknownEnd, kUnknownEnd); }},
    {"SealOfTooMuchOutput", [](wire::Report& r) { says_sealed(r, 0, 10, 10).set_length(~std::uint64_t{0}); }},
    {"SealOfTooMuchContent",
     [](wire::Report& r) { says_sealed(r, 0, 10, 10).set_content_length(std::uint64_t{1} << 54); }},
    {"TooManyCounters",
     [](wire::Report& r) {
       wire::SealedOutput& output = says_sealed(r, 0, 10, 10);
       for (int i = 0; i < 1000; ++i) output.add_counters();
     }},
    {"LongCounter",
     [](wire::Report& r) { says_sealed(r, 0, 10, 10).add_counters()->set_name(std::string(5000, 'x')); }},
};

INSTANTIATE_TEST_SUITE_P(Messages, MalformedReportTest, testing::ValuesIn(kMalformedReports),
                         [](const auto& param) { return param.param.name; });

using MalformedWordsTest = MasterFixture;

TEST_F(MalformedWordsTest, AReportThatComesWithARegistrationDoesNotRefuseIt) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    FakeWorker again = co_await connect_worker();
    wire::ToMaster::Register more;
    says_sealed(*more.add_unacknowledged() = about(launch.attempt(), 5), 7, 7, 7);
    more.add_running()->set_offset(~std::uint64_t{0});
    *more.mutable_running(0)->mutable_attempt() = launch.attempt();
    again.enlist("one", 1, more);
    const auto welcome = co_await again.next_welcome();
    EXPECT_TRUE(welcome && welcome->fenced_size() == 1);
    co_await again.until_acknowledged(5);
  });
}

TEST_F(MalformedWordsTest, APositionBeyondAnyFileIsTheEndOfWhatIsHeld) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::ToMaster message;
    wire::AttemptProgress* progress = message.mutable_heartbeat()->add_attempts();
    *progress->mutable_attempt() = launch.attempt();
    progress->set_offset(~std::uint64_t{0});
    worker.send(message);
    co_await worker.until_heard(1);
    const wire::Reply::Job description = co_await describe(job);
    EXPECT_EQ(description.tasks(0).attempts(0).offset(), launch.range().end());
  });
}

// Whose registrations are all refused is not there, however often it comes.
TEST_F(MalformedWordsTest, ARefusedRegistrationIsNoSignOfLife) {
  stop_master();
  settings_.node_timeout = std::chrono::milliseconds(300);
  start_master();
  play([&]() -> awaitable<void> {
    co_await make_worker("one");
    wire::ToMaster::Register more;
    more.add_unacknowledged()->set_sequence(1);  // of no attempt
    wire::Request request;
    request.mutable_list_nodes();
    std::string state;
    do {
      FakeWorker again = co_await connect_worker();
      again.enlist("one", 1, more);
      const auto closed = co_await again.is_closed();
      EXPECT_TRUE(closed);
      state = (co_await ask(request)).nodes().nodes(0).state();
      co_await net::sleep_for(std::chrono::milliseconds(20));
    } while (state != "lost");
  });
}

using MalformedRequestTest = MasterFixture;

TEST_F(MalformedRequestTest, BytesThatAreNoMessageCloseTheConnectionOfAClientToo) {
  play([&]() -> awaitable<void> {
    const auto connection = co_await connect(wire::CLIENT);
    wire::Request nothing;
    EXPECT_TRUE(connection->send(nothing));
    const auto payload = co_await connection->receive();
    EXPECT_FALSE(payload.has_value());
  });
  EXPECT_EQ(master_->counters().malformed, 1u);
}

}  // namespace
}  // namespace ontime::test

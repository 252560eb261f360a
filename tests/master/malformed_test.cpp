// Messages that no sane worker or client sends, over a real loopback connection.
#include <gtest/gtest.h>

#include <functional>

#include "common/base/byte_range.h"
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

wire::Report::Sealed& add_seal(wire::ToMaster& message, std::uint64_t begin, std::uint64_t end,
                               std::uint64_t input_end) {
  wire::Report::Sealed& sealed = *add_report(message).mutable_sealed();
  sealed.mutable_range()->set_begin(begin);
  sealed.mutable_range()->set_end(end);
  sealed.set_input_end(input_end);
  return sealed;
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
    {"ReportOfAnImpossibleTask", true, [](wire::ToMaster& m) { add_report(m).mutable_attempt()->set_task(2'000'000); }},
    {"ReportWithoutNumber", true,
     [](wire::ToMaster& m) {
       add_report(m).mutable_started();
       m.mutable_reports()->mutable_reports(0)->set_sequence(0);
     }},
    {"ReportThatSaysNothing", true, [](wire::ToMaster& m) { add_report(m); }},
    {"CutBeyondAnyFile", true, [](wire::ToMaster& m) { add_report(m).mutable_cut()->set_at(std::uint64_t{1} << 63); }},
    {"EmptySeal", true, [](wire::ToMaster& m) { add_seal(m, 5, 5, 5); }},
    {"SealBackwards", true, [](wire::ToMaster& m) { add_seal(m, 5, 4, 4); }},
    {"SealWithAnotherEnd", true, [](wire::ToMaster& m) { add_seal(m, 0, 10, 11); }},
    {"OpenSealThatEndsBeforeItBegins", true, [](wire::ToMaster& m) { add_seal(m, 10, kUnknownEnd, 9); }},
    {"OpenSealWithoutEnd", true, [](wire::ToMaster& m) { add_seal(m, 10, kUnknownEnd, kUnknownEnd); }},
    {"SealOfTooMuchOutput", true,
     [](wire::ToMaster& m) { add_seal(m, 0, 10, 10).mutable_output()->set_length(~std::uint64_t{0}); }},
    {"TooManyCounters", true,
     [](wire::ToMaster& m) {
       wire::Report::Sealed& sealed = add_seal(m, 0, 10, 10);
       for (int i = 0; i < 1000; ++i) sealed.mutable_output()->add_counters();
     }},
    {"LongCounter", true,
     [](wire::ToMaster& m) {
       add_seal(m, 0, 10, 10).mutable_output()->add_counters()->set_name(std::string(5000, 'x'));
     }},
};

INSTANTIATE_TEST_SUITE_P(Messages, MalformedTest, testing::ValuesIn(kMalformed),
                         [](const auto& param) { return param.param.name; });

using MalformedWordsTest = MasterFixture;

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

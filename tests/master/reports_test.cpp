// What a hostile worker may say, through the checks into the scheduler.
#include "master/workers/reports.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

#include "scheduler/core/cluster.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;

// Numbers where mistakes are made.
std::uint64_t any_number() {
  const std::uint64_t all = ~std::uint64_t{0};
  return *rc::gen::weightedOneOf<std::uint64_t>(
      {{6, rc::gen::inRange<std::uint64_t>(0, 120)},
       {1, rc::gen::element<std::uint64_t>(100, all, all - 1, all / 2, std::uint64_t{1} << 62)},
       {1, rc::gen::arbitrary<std::uint64_t>()}});
}

wire::Report any_report() {
  wire::Report report;
  report.set_sequence(any_number());
  report.mutable_attempt()->set_job(*rc::gen::inRange<std::uint32_t>(0, 3));
  report.mutable_attempt()->set_task(*rc::gen::inRange<std::uint32_t>(0, 4));
  report.mutable_attempt()->set_number(*rc::gen::inRange<std::uint32_t>(0, 3));
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      report.mutable_started();
      break;
    case 1:
      report.mutable_cut()->set_at(any_number());
      report.mutable_cut()->set_release(*rc::gen::arbitrary<bool>());
      break;
    case 2: {
      wire::Sealed& sealed = *report.mutable_sealed();
      sealed.mutable_range()->set_begin(any_number());
      sealed.mutable_range()->set_end(any_number());
      sealed.set_input_end(*rc::gen::arbitrary<bool>() ? sealed.range().end() : any_number());
      sealed.mutable_output()->set_file_offset(any_number());
      sealed.mutable_output()->set_length(any_number());
      sealed.mutable_times()->set_age_ns(static_cast<std::int64_t>(any_number()));
      sealed.mutable_times()->set_last_ns(static_cast<std::int64_t>(any_number()));
      sealed.mutable_times()->set_moves(*rc::gen::inRange<std::uint32_t>(0, 2));
      sealed.mutable_output()->add_counters()->set_name(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
      break;
    }
    case 3:
      report.mutable_ended()->set_failure(static_cast<wire::Failure>(*rc::gen::inRange(0, 10)));
      report.mutable_ended()->set_message(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
      report.mutable_ended()->set_stderr_tail(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
      break;
    default:
      break;
  }
  return report;
}

// A scheduler with one node and one job of three tasks, two of which run.
void prepare(scheduler::Scheduler& scheduler, TimePoint now) {
  scheduler.start(now);
  scheduler.step(event::NodeRegistered{"incarnation", "name", "host", 2}, now);
  scheduler.step(event::NodeInventory{NodeId{1}, {}}, now);
  scheduler::JobSpec spec;
  spec.application = "a";
  spec.inputs = {{"/plain", 150, "0", Codec::Plain}, {"/packed.gz", 10, "0", Codec::Gzip}};
  spec.split_bytes = 100;
  spec.output = "/out";
  scheduler.step(event::JobSubmitted{1, spec}, now);
}

RC_GTEST_PROP(ReportsProperty, NoSequenceOfReportsBreaksTheScheduler, ()) {
  TimePoint now = from_unix_ns(1'000'000'000);
  scheduler::Scheduler scheduler{scheduler::Settings{}};
  prepare(scheduler, now);
  for (int left = *rc::gen::inRange(0, 60); left > 0; --left) {
    now += std::chrono::milliseconds(10);
    const NodeId node{*rc::gen::inRange<std::uint32_t>(1, 3)};
    const wire::Report report = any_report();
    const Result<scheduler::Event> event = event_of(node, report);
    scheduler.step(event ? *event : failure_of(node, report, event.error()), now);
    RC_ASSERT(scheduler::violations(scheduler.cluster()).empty());
  }
}

RC_GTEST_PROP(ReportsProperty, AMessageOfArbitraryBytesIsRefusedOrAnEvent, ()) {
  wire::Report report;
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  if (report.ParseFromString(bytes)) static_cast<void>(event_of(NodeId{1}, report));
}

TEST(Reports, AFailureSaysWhereTheFaultMayLie) {
  wire::Report report;
  report.set_sequence(1);
  report.mutable_attempt()->set_job(1);
  using enum scheduler::FailureKind;
  const std::map<int, scheduler::FailureKind> kinds{{wire::FAILURE_NONE, Attempt},
                                                    {wire::CRASHED, Attempt},
                                                    {wire::THREW, Attempt},
                                                    {wire::OUTPUT, Storage},
                                                    {wire::INPUT, Storage},
                                                    {wire::INPUT_CHANGED, Missing},
                                                    {wire::BAD_RECORD, Data},
                                                    {wire::BAD_APPLICATION, Missing},
                                                    {wire::LAUNCH, Node},
                                                    {wire::AWAY, Away},
                                                    {wire::INPUT_VANISHED, Vanished},
                                                    {wire::INPUT_UNREADABLE, Unreadable}};
  for (int failure = wire::FAILURE_NONE; failure < wire::Failure_ARRAYSIZE; ++failure) {
    report.mutable_ended()->set_failure(static_cast<wire::Failure>(failure));
    const auto event = event_of(NodeId{1}, report);
    EXPECT_EQ(std::get<event::AttemptExited>(*event).kind, kinds.at(failure)) << failure;
  }
}

TEST(Reports, AWorkerReportsAStartAtOnce) {
  wire::Report report;
  report.mutable_attempt()->set_job(1);
  report.mutable_started()->set_age_ns(-5);
  EXPECT_EQ(std::get<event::AttemptStarted>(*event_of(NodeId{1}, report)).age, Duration(0));
}

TEST(Reports, CountersOfTheSameReadableNameAreOne) {
  wire::Report report;
  report.mutable_attempt()->set_job(1);
  wire::Sealed& sealed = *report.mutable_sealed();
  sealed.mutable_range()->set_end(10);
  sealed.set_input_end(10);
  for (const char* name : {"a", "a", "b\x01", "b\x02"}) {
    wire::Counter& counter = *sealed.mutable_output()->add_counters();
    counter.set_name(name);
    counter.set_value(2);
  }
  const scheduler::Counters expected{{{"", "a"}, 4}, {{"", "b?"}, 4}};
  EXPECT_EQ(std::get<event::SegmentSealed>(*event_of(NodeId{1}, report)).counters, expected);
}

// They inform: an attempt whose clock tells nonsense may still have mapped what it says.
TEST(Reports, TimesThatCannotBeAreIgnored) {
  wire::Report report;
  report.mutable_attempt()->set_job(1);
  report.mutable_sealed()->mutable_range()->set_end(10);
  report.mutable_sealed()->set_input_end(10);
  ProgressMessages heartbeat;
  const auto told = [&](const wire::SegmentTimes& times) {
    *report.mutable_sealed()->mutable_times() = times;
    heartbeat.Clear();
    *heartbeat.Add()->mutable_attempt() = report.attempt();
    *heartbeat.Mutable(0)->mutable_segment() = times;
    const auto sealed = std::get<event::SegmentSealed>(*event_of(NodeId{1}, report)).times;
    EXPECT_EQ(progress_of(heartbeat)->front().segment, sealed);
    return sealed;
  };
  wire::SegmentTimes times;
  times.set_age_ns(9);
  times.set_first_ns(2);
  times.set_last_ns(5);
  times.set_timed_bytes(100);
  times.set_moves(3);
  const scheduler::SegmentTimes expected{Duration(9), Duration(2), Duration(5), 100, 3};
  EXPECT_EQ(told(times), expected);
  wire::SegmentTimes later = times;
  later.set_first_ns(6);  // than the last
  EXPECT_EQ(told(later), scheduler::SegmentTimes{});
  later = times;
  later.set_last_ns(10);  // than now
  EXPECT_EQ(told(later), scheduler::SegmentTimes{});
  later.set_age_ns(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(told(later), scheduler::SegmentTimes{});
  later = times;
  later.clear_timed_bytes();
  EXPECT_EQ(told(later), scheduler::SegmentTimes{});
  times.set_moves(0);
  EXPECT_EQ(told(times), scheduler::SegmentTimes{});
}

TEST(Reports, MessagesAreReadableAndBounded) {
  wire::Report report;
  report.set_sequence(1);
  report.mutable_attempt()->set_job(1);
  report.mutable_ended()->set_message("It broke.\x1b[0m");
  report.mutable_ended()->set_stderr_tail(std::string(100'000, 'x') + "\nlast line\n");
  const auto event = event_of(NodeId{1}, report);
  const std::string& message = std::get<event::AttemptExited>(*event).message;
  EXPECT_EQ(message, "It broke.?[0m\nIts last lines on stderr:\nlast line");
  report.mutable_ended()->clear_message();
  report.mutable_ended()->set_stderr_tail(std::string(100'000, 'x'));
  const auto silent = event_of(NodeId{1}, report);
  EXPECT_LT(std::get<event::AttemptExited>(*silent).message.size(), 6000u);
}

}  // namespace
}  // namespace ontime::master

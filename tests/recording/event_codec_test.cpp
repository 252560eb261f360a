#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "master/recording/entry.h"
#include "tests/journal/record_generators.h"

namespace ontime::recording {
namespace {

namespace event = scheduler::event;
using ontime::test::any_attempt;
using ontime::test::any_range;
using ontime::test::any_text;

NodeId any_node() { return NodeId{*rc::gen::arbitrary<std::uint32_t>()}; }
std::uint64_t any_number() { return *rc::gen::arbitrary<std::uint64_t>(); }

scheduler::SegmentTimes any_times() {
  const std::uint32_t moves = *rc::gen::arbitrary<std::uint32_t>();
  return {Duration(any_number()), Duration(any_number()), Duration(any_number()), moves > 1 ? any_number() | 1 : 0,
          moves};
}

std::vector<scheduler::AttemptProgress> any_progress() {
  std::vector<scheduler::AttemptProgress> all;
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    all.push_back({any_attempt(), any_number(), any_number(), any_number(), any_times()});
  }
  return all;
}

scheduler::Event any_sealed() {
  const auto fact = std::get<scheduler::fact::SegmentSealed>(ontime::test::any_sealed());
  return event::SegmentSealed{any_node(),  fact.attempt,  fact.range, fact.input_end,
                              fact.output, fact.counters, any_times()};
}

constexpr std::size_t kKinds = std::variant_size_v<scheduler::Event>;

scheduler::Event any_event(std::size_t kind) {
  switch (kind) {
    case 0:
      return event::NodeRegistered{*any_text(), *any_text(), *any_text(), *rc::gen::arbitrary<std::uint32_t>(),
                                   Duration(any_number())};
    case 1:
      return event::NodeInventory{any_node(), any_progress()};
    case 2:
      return event::Heartbeat{any_node(), any_progress()};
    case 3:
      return event::AttemptStarted{any_node(), any_attempt(), Duration(any_number())};
    case 4:
      return event::AttemptReady{any_node(), any_attempt()};
    case 5:
      return event::CutAnswered{any_node(), any_attempt(), any_number(), *rc::gen::arbitrary<bool>()};
    case 6:
      return any_sealed();
    case 7:
      return event::AttemptExited{any_node(), any_attempt(),
                                  static_cast<scheduler::FailureKind>(*rc::gen::inRange(0, 8)), *any_text()};
    case 8:
      return event::JobSubmitted{any_number(), ontime::test::any_spec()};
    case 9:
      return event::JobKillRequested{ontime::test::any_job(), *any_text(), *rc::gen::arbitrary<bool>()};
    case 10:
      return event::CommitFinished{ontime::test::any_job(), *any_text(),
                                   *rc::gen::arbitrary<std::vector<std::uint32_t>>()};
    case 11:
      return event::NodeLeaving{any_node(), *rc::gen::arbitrary<bool>()};
    case 12:
      return event::DrainRequested{any_node(), *rc::gen::arbitrary<bool>()};
    case 13:
      return event::LaunchedElsewhere{any_node(), any_attempt().task, any_number(), Duration(any_number())};
    case 14:
      return event::JobNotified{ontime::test::any_job(), *rc::gen::arbitrary<std::uint32_t>(), *any_text()};
    default:
      return event::TimePassed{};
  }
}

bool is_same(const std::vector<scheduler::AttemptProgress>& a, const std::vector<scheduler::AttemptProgress>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::tie(x.attempt, x.offset, x.records, x.output_bytes, x.segment) ==
           std::tie(y.attempt, y.offset, y.records, y.output_bytes, y.segment);
  });
}

// Field by field, independent of the codec.
struct SameAs {
  const scheduler::Event& other;

  template <class E>
  const E& as() const {
    return std::get<E>(other);
  }
  bool operator()(const event::NodeRegistered& a) const {
    const auto& b = as<event::NodeRegistered>();
    return std::tie(a.incarnation, a.name, a.host, a.slots, a.leaves_in) ==
           std::tie(b.incarnation, b.name, b.host, b.slots, b.leaves_in);
  }
  bool operator()(const event::NodeInventory& a) const {
    return a.node == as<event::NodeInventory>().node && is_same(a.running, as<event::NodeInventory>().running);
  }
  bool operator()(const event::Heartbeat& a) const {
    return a.node == as<event::Heartbeat>().node && is_same(a.attempts, as<event::Heartbeat>().attempts);
  }
  bool operator()(const event::AttemptStarted& a) const {
    const auto& b = as<event::AttemptStarted>();
    return std::tie(a.node, a.attempt, a.age) == std::tie(b.node, b.attempt, b.age);
  }
  bool operator()(const event::AttemptReady& a) const {
    return std::tie(a.node, a.attempt) == std::tie(as<event::AttemptReady>().node, as<event::AttemptReady>().attempt);
  }
  bool operator()(const event::CutAnswered& a) const {
    const auto& b = as<event::CutAnswered>();
    return std::tie(a.node, a.attempt, a.at, a.release) == std::tie(b.node, b.attempt, b.at, b.release);
  }
  bool operator()(const event::SegmentSealed& a) const {
    const auto& b = as<event::SegmentSealed>();
    return std::tie(a.node, a.attempt, a.range, a.input_end, a.counters) ==
               std::tie(b.node, b.attempt, b.range, b.input_end, b.counters) &&
           a.output == b.output && a.times == b.times;
  }
  bool operator()(const event::AttemptExited& a) const {
    const auto& b = as<event::AttemptExited>();
    return std::tie(a.node, a.attempt, a.kind, a.message) == std::tie(b.node, b.attempt, b.kind, b.message);
  }
  bool operator()(const event::JobSubmitted& a) const {
    return a.request == as<event::JobSubmitted>().request && a.spec == as<event::JobSubmitted>().spec;
  }
  bool operator()(const event::JobKillRequested& a) const {
    const auto& b = as<event::JobKillRequested>();
    return std::tie(a.job, a.reason, a.wanted) == std::tie(b.job, b.reason, b.wanted);
  }
  bool operator()(const event::CommitFinished& a) const {
    const auto& b = as<event::CommitFinished>();
    return std::tie(a.job, a.error, a.lost) == std::tie(b.job, b.error, b.lost);
  }
  bool operator()(const event::NodeLeaving& a) const {
    const auto& b = as<event::NodeLeaving>();
    return std::tie(a.node, a.at_once) == std::tie(b.node, b.at_once);
  }
  bool operator()(const event::DrainRequested& a) const {
    const auto& b = as<event::DrainRequested>();
    return std::tie(a.node, a.drain) == std::tie(b.node, b.drain);
  }
  bool operator()(const event::LaunchedElsewhere& a) const {
    const auto& b = as<event::LaunchedElsewhere>();
    return std::tie(a.node, a.task, a.begin, a.age) == std::tie(b.node, b.task, b.begin, b.age);
  }
  bool operator()(const event::JobNotified& a) const {
    const auto& b = as<event::JobNotified>();
    return std::tie(a.job, a.number, a.problem) == std::tie(b.job, b.number, b.problem);
  }
  bool operator()(const event::TimePassed&) const { return true; }
};

RC_GTEST_PROP(EntryCodec, DecodesWhatItEncodedForEveryKindOfEvent, ()) {
  EntryEncoder encoder;
  std::string bytes;
  std::vector<scheduler::Event> events;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    events.push_back(any_event(kind));
    RC_ASSERT(encoder.append(Duration(kind), &events.back(), {}, bytes));
  }
  std::string_view rest = bytes;
  TimePoint at;
  Duration since_start{0};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    auto entry = take_entry(rest, at);
    RC_ASSERT(entry.has_value() && entry->has_value());
    const auto& step = std::get<RecordedStep>(**entry);
    since_start += Duration(kind);
    RC_ASSERT(step.at.time_since_epoch() == since_start);
    RC_ASSERT(step.event.has_value() && step.event->index() == kind);
    RC_ASSERT(std::visit(SameAs{*step.event}, events[kind]));
  }
  RC_ASSERT(rest.empty());
}

RC_GTEST_PROP(EntryCodec, SurvivesArbitraryBytes, ()) {
  const std::string bytes = *any_text();
  std::string_view rest = bytes;
  TimePoint at;
  while (!rest.empty()) {
    auto entry = take_entry(rest, at);
    if (!entry || !*entry) break;
  }
}

TEST(EntryCodec, ARecordingOfAnotherFormatIsRefused) {
  std::string bytes;
  ASSERT_TRUE(EntryEncoder().append(Header{}, bytes));
  const std::size_t format =
      bytes.find(std::string{'\x08', static_cast<char>(kRecordingFormat)});  // the header's first field
  ASSERT_NE(format, bytes.npos);
  for (const std::uint32_t other : {kRecordingFormat - 1, kRecordingFormat + 1}) {
    bytes[format + 1] = static_cast<char>(other);
    std::string_view rest = bytes;
    TimePoint at;
    const auto entry = take_entry(rest, at);
    ASSERT_FALSE(entry);
    EXPECT_EQ(entry.error().message, "it has format " + std::to_string(other) + " and this program reads format " +
                                         std::to_string(kRecordingFormat) + "; use the ontime that has recorded it");
  }
}

TEST(EntryCodec, WaitsForTheRestOfAnEntry) {
  EntryEncoder encoder;
  std::string bytes;
  ASSERT_TRUE(encoder.append(End{"why"}, bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view part = std::string_view(bytes).substr(0, size);
    TimePoint at;
    const auto entry = take_entry(part, at);
    ASSERT_TRUE(entry);
    EXPECT_FALSE(entry->has_value()) << size;
  }
}

}  // namespace
}  // namespace ontime::recording

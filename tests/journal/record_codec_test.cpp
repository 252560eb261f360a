#include "master/journal/record_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <tuple>

#include "master/journal/frequent_records.h"
#include "master/journal/stored_fields.h"
#include "tests/journal/record_generators.h"

namespace ontime::journal {
namespace {

using scheduler::Fact;
using scheduler::JournalRecord;
namespace fact = scheduler::fact;

// Field by field, independent of the codec.
struct SameAs {
  const Fact& other;

  template <class F>
  const F& as() const {
    return std::get<F>(other);
  }
  bool operator()(const fact::MasterStarted& a) const { return a.epoch == as<fact::MasterStarted>().epoch; }
  bool operator()(const fact::NodeAdded& a) const {
    const auto& b = as<fact::NodeAdded>();
    return std::tie(a.node, a.incarnation, a.name, a.host, a.slots) ==
           std::tie(b.node, b.incarnation, b.name, b.host, b.slots);
  }
  bool operator()(const fact::DutyChanged& a) const {
    const auto& b = as<fact::DutyChanged>();
    return std::tie(a.node, a.duty) == std::tie(b.node, b.duty);
  }
  bool operator()(const fact::JobAccepted& a) const {
    return a.job == as<fact::JobAccepted>().job && a.spec == as<fact::JobAccepted>().spec;
  }
  bool operator()(const fact::AttemptLaunched& a) const {
    const auto& b = as<fact::AttemptLaunched>();
    return std::tie(a.attempt, a.node, a.range, a.speculative, a.standby, a.age) ==
           std::tie(b.attempt, b.node, b.range, b.speculative, b.standby, b.age);
  }
  bool operator()(const fact::StandbyBegun& a) const {
    const auto& b = as<fact::StandbyBegun>();
    return std::tie(a.attempt, a.range) == std::tie(b.attempt, b.range);
  }
  bool operator()(const fact::SegmentDivided& a) const {
    const auto& b = as<fact::SegmentDivided>();
    return std::tie(a.task, a.begin, a.at) == std::tie(b.task, b.begin, b.at);
  }
  bool operator()(const fact::PolicyDecided& decided) const {
    const scheduler::DecisionNote& a = decided.decision;
    const scheduler::DecisionNote& b = as<fact::PolicyDecided>().decision;
    return decided.job == as<fact::PolicyDecided>().job &&
           std::tie(a.what, a.task, a.attempt, a.reason, a.segment, a.resume_at, a.pieces, a.copies, a.release,
                    a.when_ready, a.completion, a.pocd_before, a.pocd_after,
                    a.text) == std::tie(b.what, b.task, b.attempt, b.reason, b.segment, b.resume_at, b.pieces, b.copies,
                                        b.release, b.when_ready, b.completion, b.pocd_before, b.pocd_after, b.text);
  }
  bool operator()(const fact::ProfileUpdated& a) const {
    const auto& b = as<fact::ProfileUpdated>();
    return a.key == b.key && a.sample == b.sample;
  }
  bool operator()(const fact::ProfileForgotten& a) const { return a.key == as<fact::ProfileForgotten>().key; }
  bool operator()(const fact::NodeForgotten& a) const { return a.node == as<fact::NodeForgotten>().node; }
  bool operator()(const fact::SegmentCut& a) const {
    const auto& b = as<fact::SegmentCut>();
    return std::tie(a.attempt, a.begin, a.at, a.release) == std::tie(b.attempt, b.begin, b.at, b.release);
  }
  bool operator()(const fact::SegmentSealed& a) const {
    const auto& b = as<fact::SegmentSealed>();
    return std::tie(a.attempt, a.range, a.input_end, a.counters) ==
               std::tie(b.attempt, b.range, b.input_end, b.counters) &&
           a.output == b.output;
  }
  bool operator()(const fact::AttemptEnded& a) const {
    const auto& b = as<fact::AttemptEnded>();
    return std::tie(a.attempt, a.end, a.message) == std::tie(b.attempt, b.end, b.message);
  }
  bool operator()(const fact::CommitStarted& a) const { return a.job == as<fact::CommitStarted>().job; }
  bool operator()(const fact::TaskReopened& a) const { return a.task == as<fact::TaskReopened>().task; }
  bool operator()(const fact::InputLeftOut& a) const {
    const auto& b = as<fact::InputLeftOut>();
    return std::tie(a.attempt, a.why) == std::tie(b.attempt, b.why);
  }
  bool operator()(const fact::JobEnded& a) const {
    const auto& b = as<fact::JobEnded>();
    return std::tie(a.job, a.state, a.message, a.wanted) == std::tie(b.job, b.state, b.message, b.wanted);
  }
  bool operator()(const fact::JobNotified& a) const {
    const auto& b = as<fact::JobNotified>();
    return std::tie(a.job, a.number, a.problem) == std::tie(b.job, b.number, b.problem);
  }
  bool operator()(const fact::JobForgotten& a) const { return a.job == as<fact::JobForgotten>().job; }
};

bool is_same(const JournalRecord& a, const JournalRecord& b) {
  return a.at == b.at && a.fact.index() == b.fact.index() && std::visit(SameAs{b.fact}, a.fact);
}

RC_GTEST_PROP(RecordCodec, DecodesWhatItEncodedForEveryKindOfFact, ()) {
  for (int kind = 0; kind < test::kFactKinds; ++kind) {
    const JournalRecord original = test::any_record(kind);
    const Result<JournalRecord> decoded = decode_record(encode_record(original));
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(is_same(original, *decoded));
  }
}

RC_GTEST_PROP(RecordCodec, RefusesAnyFlippedBit, ()) {
  std::string bytes = encode_record(test::any_record(*rc::gen::inRange(0, test::kFactKinds)));
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
  RC_ASSERT(!decode_record(bytes).has_value());
}

RC_GTEST_PROP(RecordCodec, RefusesAnyCutAndAnyAddition, ()) {
  const std::string bytes = encode_record(test::any_record(*rc::gen::inRange(0, test::kFactKinds)));
  RC_ASSERT(!decode_record(bytes.substr(0, *rc::gen::inRange<std::size_t>(0, bytes.size()))).has_value());
  RC_ASSERT(!decode_record(bytes + *rc::gen::nonEmpty(test::any_text())).has_value());
}

RC_GTEST_PROP(RecordCodec, SurvivesArbitraryBytes, ()) { RC_ASSERT(!decode_record(*test::any_text()).has_value()); }

bool is_read_by_protobuf(std::string_view message, const JournalRecord& expected) {
  stored::Record parsed;
  if (!parsed.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  const Result<JournalRecord> record = read_record(parsed);
  return record && is_same(*record, expected);
}

TEST(FrequentRecords, AreReadWithoutProtobuf) {
  JournalRecord read;
  const AttemptId attempt{{JobId{3}, 1'000'000}, 2};
  const JournalRecord launched{from_unix_ns(1), fact::AttemptLaunched{attempt, NodeId{7}, {5, kUnknownEnd - 1}}};
  EXPECT_TRUE(read_frequent(message_of(encode_record(launched)), read));
  EXPECT_TRUE(is_same(read, launched));
  fact::SegmentSealed sealed{attempt, {1 << 20, 1 << 21}, 1 << 21, {0, 100, 7, 0xffffffff, 1}, {{{"group", ""}, 5}}};
  sealed.times = {Duration(1), Duration(2), Duration(3), 4, 5};
  EXPECT_TRUE(read_frequent(message_of(encode_record({from_unix_ns(1), sealed})), read));
  EXPECT_TRUE(is_same(read, {from_unix_ns(1), sealed}));
}

TEST(FrequentRecords, NumbersWithMoreBytesThanTheyNeedAreReadAsByProtobuf) {
  const AttemptId attempt{{JobId{3}, 4}, 2};
  const JournalRecord launched{from_unix_ns(1), fact::AttemptLaunched{attempt, NodeId{7}, {5, 6}}};
  const std::string message(message_of(encode_record(launched)));
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (std::size_t zeros = 1; zeros < 10; ++zeros) {
      std::string longer = message;
      longer[at] = static_cast<char>(longer[at] | 0x80);
      longer.insert(at + 1, std::string(zeros - 1, '\x80') + '\0');
      JournalRecord read;
      EXPECT_TRUE(!read_frequent(longer, read) || is_read_by_protobuf(longer, read)) << at << " " << zeros;
    }
  }
}

RC_GTEST_PROP(FrequentRecords, AreReadAsProtobufReadsThemWhateverBecomesOfThem, ()) {
  std::string message(message_of(encode_record(test::any_record(*rc::gen::element(3, 7)))));  // launches and seals
  for (int changes = *rc::gen::inRange(0, 3); changes > 0 && !message.empty(); --changes) {
    const auto at = *rc::gen::inRange<std::size_t>(0, message.size());
    if (*rc::gen::arbitrary<bool>()) {
      message[at] = *rc::gen::arbitrary<char>();
    } else {
      message.insert(at, message, *rc::gen::inRange<std::size_t>(0, message.size()), 4);
    }
  }
  JournalRecord read;
  if (read_frequent(message, read)) RC_ASSERT(is_read_by_protobuf(message, read));
}

std::size_t bytes_of_job(std::uint64_t points, bool with_windows) {
  scheduler::JobSpec spec;
  spec.application = "wordcount";
  spec.parameters = {{"min_length", "3"}};
  spec.output = "/data/out/books-2024";
  spec.claim = std::string(16, 'c');
  spec.deadline = std::chrono::seconds(90);
  spec.inputs.push_back({"/data/books/all.txt.gz", points << 20, "1732462800000000000", Codec::Gzip, points << 22, {}});
  for (std::uint64_t i = 1; i <= points; ++i) {
    AccessPoint point{i << 22, (i << 20) + 77 * (i % 1000), with_windows ? i % 8 + kInside : 0, {}};
    if (with_windows) point.window.fill(static_cast<std::uint8_t>(i % 255 + 1));
    spec.inputs.back().points.push_back(point);
  }
  return encode_record({TimePoint(std::chrono::seconds(1)), fact::JobAccepted{JobId{7}, spec}}).size();
}

// What a master writes and reads again at its start for each compressed input.
TEST(RecordCodec, NeedsFewBytesForAJobAndItsAccessPoints) {
  EXPECT_LE(bytes_of_job(0, false), 220u);
  EXPECT_LE(bytes_of_job(10'000, true), 400'000u);
  EXPECT_LE(bytes_of_job(10'000, false), 200'000u);
}

TEST(RecordCodec, RefusesAValueOfANewerVersion) {
  std::string bytes = encode_record({from_unix_ns(1), fact::MasterStarted{3}});
  bytes[0] = static_cast<char>(kRecordVersion + 1);
  const Result<JournalRecord> decoded = decode_record(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "the record has an unknown version");
}

TEST(RecordCodec, RefusesARecordThatMakesNoSense) {
  EXPECT_FALSE(decode_record(encode_record({from_unix_ns(1), fact::CommitStarted{JobId{0}}})));
  fact::AttemptLaunched backwards{AttemptId{{JobId{1}, 0}, 0}, NodeId{1}, {5, 4}};
  EXPECT_FALSE(decode_record(encode_record({from_unix_ns(1), backwards})));
  EXPECT_FALSE(decode_record(encode_record(
      {from_unix_ns(1), fact::JobEnded{JobId{1}, static_cast<scheduler::JobState>(9), "what state is this"}})));
}

RC_GTEST_PROP(JournalKey, OrdersAsNumbersDo, ()) {
  const RecordKey a{JobId{*rc::gen::arbitrary<std::uint32_t>()}, *rc::gen::arbitrary<std::uint64_t>()};
  const RecordKey b{JobId{*rc::gen::arbitrary<std::uint32_t>()}, *rc::gen::arbitrary<std::uint64_t>()};
  RC_ASSERT((a < b) == (encode_key(a) < encode_key(b)));
  RC_ASSERT(decode_key(encode_key(a)) == a);
}

TEST(JournalKey, DecodesNothingButARecordsKey) {
  EXPECT_FALSE(decode_key(""));
  EXPECT_FALSE(decode_key("mformat"));
  EXPECT_FALSE(decode_key(encode_key({JobId{1}, 2}) + "x"));
  EXPECT_FALSE(decode_key(encode_key({JobId{1}, 2}).substr(0, 12)));
}

}  // namespace
}  // namespace ontime::journal

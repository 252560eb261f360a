#include "master/journal/frequent_records.h"

#include <cstdint>
#include <string>
#include <utility>

#include "common/base/little_endian.h"
#include "master/journal/records.pb.h"

namespace ontime::journal {
namespace {

namespace fact = scheduler::fact;
using stored::Record;

enum Kind : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };  // how a field is written: the last bits of its tag
constexpr unsigned kKindBits = 3;

struct Field {
  int number = 0;
  Kind kind = kVarint;
  std::uint64_t value = 0;  // of bytes: how many
  std::string_view bytes{};
};

bool take_varint(std::string_view& from, std::uint64_t& to) {
  constexpr std::size_t kLongest = 10;
  to = 0;
  for (std::size_t i = 0; i < from.size() && i < kLongest; ++i) {
    const auto byte = static_cast<unsigned char>(from[i]);
    to |= std::uint64_t{byte & 0x7fu} << 7 * i;
    if (byte >= 0x80) continue;
    from.remove_prefix(i + 1);
    return i + 1 < kLongest || byte <= 1;
  }
  return false;
}

// False: there is none, or an unusual one.
bool take_field(std::string_view& from, Field& to) {
  const auto tag = static_cast<unsigned char>(from[0]);
  to.number = tag >> kKindBits;
  to.kind = static_cast<Kind>(tag & ((1u << kKindBits) - 1));
  from.remove_prefix(1);
  const std::size_t before = from.size();
  if (tag >= 0x80 || (to.kind != kVarint && to.kind != kBytes) || !take_varint(from, to.value)) return false;
  if (to.kind == kVarint) return true;
  constexpr std::size_t kLengthMost = 5;  // bytes, as protobuf reads it
  if (before - from.size() > kLengthMost || to.value > from.size()) return false;
  to.bytes = from.substr(0, to.value);
  from.remove_prefix(to.value);
  return true;
}

// A member that is read from the field of that number.
template <int number, class T>
struct Member {
  T& to;
  bool read_if_its(const Field& field) const { return field.number == number && read(field, to); }
};
template <int number, class T>
Member<number, T> member(T& to) {
  return {to};
}

// False once there is a field of none of these.
template <class... Members>
bool read_members(std::string_view message, const Members&... members) {
  for (Field field; !message.empty();) {
    if (!take_field(message, field) || !(members.read_if_its(field) || ...)) return false;
  }
  return true;
}

template <class Number>
bool read(const Field& field, Number& to) {
  to = static_cast<Number>(field.value);
  return field.kind == kVarint && static_cast<std::uint64_t>(to) == field.value;
}

bool read(const Field& field, Duration& to) {
  to = Duration(static_cast<std::int64_t>(field.value));
  return field.kind == kVarint;
}

bool read(const Field& field, std::string& to) {
  to = field.bytes;
  return field.kind == kBytes;
}

bool read(const Field& field, AttemptId& to) {
  using From = wire::Attempt;
  return field.kind == kBytes &&
         read_members(field.bytes, member<From::kJobFieldNumber>(to.task.job.value),
                      member<From::kTaskFieldNumber>(to.task.index), member<From::kNumberFieldNumber>(to.number));
}

bool read(const Field& field, ByteRange& to) {
  using From = wire::Range;
  return field.kind == kBytes &&
         read_members(field.bytes, member<From::kBeginFieldNumber>(to.begin), member<From::kEndFieldNumber>(to.end));
}

bool read(const Field& field, scheduler::SegmentTimes& to) {
  using From = wire::SegmentTimes;
  return field.kind == kBytes &&
         read_members(field.bytes, member<From::kAgeNsFieldNumber>(to.age), member<From::kFirstNsFieldNumber>(to.first),
                      member<From::kLastNsFieldNumber>(to.last), member<From::kTimedBytesFieldNumber>(to.timed_bytes),
                      member<From::kMovesFieldNumber>(to.moves));
}

bool read(const Field& field, scheduler::Counters& to) {
  using From = wire::Counter;
  scheduler::CounterKey key;
  std::uint64_t value = 0;
  const bool is_read = field.kind == kBytes &&
                       read_members(field.bytes, member<From::kGroupFieldNumber>(key.first),
                                    member<From::kNameFieldNumber>(key.second), member<From::kValueFieldNumber>(value));
  return is_read && to.emplace(std::move(key), value).second;
}

// Its message holds the seal's counters.
bool read(const Field& field, fact::SegmentSealed& to) {
  using From = wire::SealedOutput;
  scheduler::SealedOutput& output = to.output;
  return field.kind == kBytes &&
         read_members(field.bytes, member<From::kFileOffsetFieldNumber>(output.file_offset),
                      member<From::kLengthFieldNumber>(output.length),
                      member<From::kRecordsFieldNumber>(output.records),
                      member<From::kCrc32CFieldNumber>(output.crc32c), member<From::kCountersFieldNumber>(to.counters),
                      member<From::kContentLengthFieldNumber>(output.content_length));
}

bool makes_sense(AttemptId attempt, ByteRange range) { return attempt.task.job != JobId{} && range.begin <= range.end; }

bool read_fact(std::string_view message, fact::AttemptLaunched& to) {
  using From = stored::AttemptLaunched;
  return read_members(message, member<From::kAttemptFieldNumber>(to.attempt),
                      member<From::kNodeFieldNumber>(to.node.value), member<From::kRangeFieldNumber>(to.range),
                      member<From::kSpeculativeFieldNumber>(to.speculative),
                      member<From::kStandbyFieldNumber>(to.standby), member<From::kAgeFieldNumber>(to.age)) &&
         makes_sense(to.attempt, to.range) && to.node != NodeId{};
}

bool read_fact(std::string_view message, fact::SegmentSealed& to) {
  using From = stored::SegmentSealed;
  return read_members(
             message, member<From::kAttemptFieldNumber>(to.attempt), member<From::kRangeFieldNumber>(to.range),
             member<From::kInputEndFieldNumber>(to.input_end), member<From::kOutputFieldNumber>(to),
             member<From::kUsualGapFieldNumber>(to.usual_gap), member<From::kUsualSealFieldNumber>(to.usual_seal),
             member<From::kUsualLaunchFieldNumber>(to.usual_launch), member<From::kTimesFieldNumber>(to.times)) &&
         makes_sense(to.attempt, to.range);
}

}  // namespace

bool read_frequent(std::string_view message, scheduler::JournalRecord& to) {
  constexpr char kTime = Record::kAtUnixNsFieldNumber << kKindBits | kFixed64;
  constexpr std::size_t kTimeBytes = 8;
  if (message.size() <= 1 + kTimeBytes || message[0] != kTime) return false;
  to.at = from_unix_ns(from_little_endian<std::int64_t>(message.substr(1, kTimeBytes)));
  message.remove_prefix(1 + kTimeBytes);
  Field fact;
  if (!take_field(message, fact) || fact.kind != kBytes || !message.empty()) return false;
  if (fact.number == Record::kAttemptLaunchedFieldNumber)
    return read_fact(fact.bytes, to.fact.emplace<fact::AttemptLaunched>());
  if (fact.number == Record::kSegmentSealedFieldNumber)
    return read_fact(fact.bytes, to.fact.emplace<fact::SegmentSealed>());
  return false;
}

}  // namespace ontime::journal

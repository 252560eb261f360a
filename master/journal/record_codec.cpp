#include "master/journal/record_codec.h"

#include <google/protobuf/arena.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "master/journal/frequent_records.h"
#include "master/journal/sample_fields.h"
#include "master/journal/stored_fields.h"

namespace ontime::journal {

namespace fact = scheduler::fact;
using scheduler::Fact;

void put_rest(const fact::SegmentSealed& from, stored::SegmentSealed* to) { put_counters(from, to); }

void read_rest(PartReader& reader, const stored::SegmentSealed& from, fact::SegmentSealed& to) {
  read_counters(reader, from, to);
}

void put_rest(const fact::SegmentDivided& from, stored::SegmentDivided* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
}

void read_rest(PartReader& reader, const stored::SegmentDivided& from, fact::SegmentDivided& to) {
  reader.require(from.begin() < from.at(), "it divides a segment before its begin");
  reader.read(from.job(), to.task.job);
  to.task.index = from.task();
}

void put_rest(const fact::TaskReopened& from, stored::TaskReopened* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
}

void read_rest(PartReader& reader, const stored::TaskReopened& from, fact::TaskReopened& to) {
  reader.read(from.job(), to.task.job);
  to.task.index = from.task();
}

void read_rest(PartReader& reader, const stored::SegmentCut& from, fact::SegmentCut&) {
  reader.require(from.begin() <= from.at(), "it cuts a segment before its begin");
}

void put_rest(const fact::PolicyDecided& from, stored::PolicyDecided* to) { PartWriter().put(from.decision, to); }

void read_rest(PartReader& reader, const stored::PolicyDecided& from, fact::PolicyDecided& to) {
  reader.read(from, to.decision);
}

void put_rest(const fact::ProfileUpdated& from, stored::ProfileUpdated* to) { put_sample(from.sample, to); }

void read_rest(PartReader& reader, const stored::ProfileUpdated& from, fact::ProfileUpdated& to) {
  reader.require(read_sample(from, to.sample), "its profile holds a time that is none");
}

ONTIME_FIELDS(scheduler::DecisionNote,
              (what)(task)(attempt)(reason)(segment)(resume_at)(pieces)(copies)(release)(when_ready)(completion)
              (pocd_before)(pocd_after)(rate)(usual_rate)(text)(number)(policy))

// Each fact, the field of stored::Record that holds it, and its members.
#define ONTIME_FACTS(X)                                                              \
  X(MasterStarted, master_started, (epoch))                                          \
  X(NodeAdded, node_added, (node)(incarnation)(name)(host)(slots))                   \
  X(DutyChanged, duty_changed, (node)(duty))                                         \
  X(JobAccepted, job_accepted, (job)(spec))                                          \
  X(AttemptLaunched, attempt_launched, (attempt)(node)(range)(speculative)(standby)(age)) \
  X(StandbyBegun, standby_begun, (attempt)(range))                                   \
  X(SegmentCut, segment_cut, (attempt)(begin)(at)(release))                          \
  X(SegmentDivided, segment_divided, (begin)(at))                                    \
  X(SegmentSealed, segment_sealed, (attempt)(range)(input_end)(output)(usual_gap)(usual_seal)(usual_launch)(times)) \
  X(AttemptEnded, attempt_ended, (attempt)(end)(message))                            \
  X(PolicyDecided, policy_decided, (job))                                            \
  X(ProfileUpdated, profile_updated, (key))                                          \
  X(ProfileForgotten, profile_forgotten, (key))                                      \
  X(NodeForgotten, node_forgotten, (node))                                           \
  X(CommitStarted, commit_started, (job))                                            \
  X(TaskReopened, task_reopened, )                                                   \
  X(InputLeftOut, input_left_out, (attempt)(why))                                    \
  X(JobEnded, job_ended, (job)(state)(message)(wanted))                              \
  X(JobNotified, job_notified, (job)(number)(problem))                               \
  X(JobForgotten, job_forgotten, (job))

#define ONTIME_FACT_FIELDS(Name, field, members) ONTIME_FIELDS(fact::Name, members)
ONTIME_FACTS(ONTIME_FACT_FIELDS)

namespace {

constexpr std::size_t kHeaderBytes = 5;

struct FactWriter {
  stored::Record& to;

#define ONTIME_PUT_FACT(Name, field, members) \
  void operator()(const fact::Name& from) const { PartWriter().put(from, to.mutable_##field()); }
  ONTIME_FACTS(ONTIME_PUT_FACT)
};

Fact read_fact(const stored::Record& from, PartReader& reader) {
  switch (from.fact_case()) {
#define ONTIME_READ_FACT(Name, field, members) \
  case stored::Record::k##Name:                \
    return reader.as<fact::Name>(from.field());
    ONTIME_FACTS(ONTIME_READ_FACT)
    case stored::Record::FACT_NOT_SET:
      break;
  }
  reader.require(false, "it holds no fact that this version knows");
  return fact::MasterStarted{};
}

std::uint32_t checksum_of(std::string_view bytes) {
  return crc32c(crc32c(bytes.substr(0, 1)), bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes);
}

}  // namespace

void put(const scheduler::JournalRecord& from, stored::Record* to) {
  to->set_at_unix_ns(to_unix_ns(from.at));
  std::visit(FactWriter{*to}, from.fact);
}

Result<scheduler::JournalRecord> read_record(const stored::Record& message) {
  PartReader reader(PartReader::Ids::Real);
  scheduler::JournalRecord result{from_unix_ns(message.at_unix_ns()), read_fact(message, reader)};
  if (reader.wrong() != nullptr) return failed(std::string("the record makes no sense: ") + reader.wrong());
  return result;
}

std::string encode_record(const scheduler::JournalRecord& from) {
  stored::Record message;
  put(from, &message);
  std::string bytes(kHeaderBytes, '\0');
  bytes[0] = static_cast<char>(kRecordVersion);
  ONTIME_CHECK(message.AppendToString(&bytes), "a record is at most 2 GiB");
  return bytes.replace(1, 4, little_endian(checksum_of(bytes), 4));
}

struct RecordDecoder::Memory {
  std::array<char, 16u << 10> first;  // as much as most records take
  google::protobuf::Arena arena{first.data(), first.size()};
};

RecordDecoder::RecordDecoder() : memory_(std::make_unique<Memory>()) {}
RecordDecoder::~RecordDecoder() = default;

Status RecordDecoder::decode(std::string_view bytes, scheduler::JournalRecord& to) {
  if (bytes.size() < kHeaderBytes) return failed("the record is cut short");
  if (static_cast<std::uint8_t>(bytes[0]) != kRecordVersion) return failed("the record has an unknown version");
  if (from_little_endian(bytes.substr(1, 4)) != checksum_of(bytes))
    return failed("the record's checksum does not match");
  const std::string_view body = message_of(bytes);
  if (read_frequent(body, to)) return {};
  memory_->arena.Reset();
  auto* message = google::protobuf::Arena::CreateMessage<stored::Record>(&memory_->arena);
  if (body.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return failed("the record cannot be parsed");
  }
  Result<scheduler::JournalRecord> record = read_record(*message);
  if (!record) return record.error();
  to = std::move(*record);
  return {};
}

std::string_view message_of(std::string_view value) { return value.substr(kHeaderBytes); }

Result<scheduler::JournalRecord> decode_record(std::string_view bytes) {
  scheduler::JournalRecord record;
  if (Status status = RecordDecoder().decode(bytes, record); !status) return status.error();
  return record;
}

Result<std::string> set_back_to(TimePoint latest, std::string_view bytes) {
  Result<scheduler::JournalRecord> record = decode_record(bytes);
  if (!record) return record.error();
  if (record->at <= latest) return std::string();
  record->at = latest;
  return encode_record(*record);
}

namespace {

template <class Number>
void append_big_endian(std::string& to, Number value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

template <class Number>
Number read_big_endian(std::string_view bytes) {
  Number value = 0;
  for (const char byte : bytes.substr(0, sizeof value)) {
    value = static_cast<Number>(value << 8 | static_cast<std::uint8_t>(byte));
  }
  return value;
}

std::string node_key(NodeId node, std::string_view kind) {
  std::string bytes(1, kNodePrefix);
  append_big_endian(bytes, node.value);
  return bytes += kind;
}

struct PlaceOf {
  using Key = std::optional<std::string>;
  Key operator()(const scheduler::fact::MasterStarted&) const { return std::string(1, kEpochKey); }
  Key operator()(const scheduler::fact::NodeAdded& fact) const { return node_key(fact.node, "a"); }
  Key operator()(const scheduler::fact::DutyChanged& fact) const { return node_key(fact.node, "d"); }
  Key operator()(const scheduler::fact::ProfileUpdated& fact) const { return kProfilePrefix + fact.key; }
  Key operator()(const auto&) const { return std::nullopt; }
};

struct RemovedBy {
  using Removed = std::optional<KeyRange>;
  Removed operator()(const scheduler::fact::JobForgotten& fact) const {
    return KeyRange{encode_key({fact.job, 0}), encode_key({fact.job, std::numeric_limits<std::uint64_t>::max()})};
  }
  Removed operator()(const scheduler::fact::NodeForgotten& fact) const {
    return KeyRange{node_key(fact.node, ""), node_key(fact.node, "z")};
  }
  Removed operator()(const scheduler::fact::ProfileForgotten& fact) const {
    const std::string key = kProfilePrefix + fact.key;
    return KeyRange{key, key + '\0'};
  }
  Removed operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

std::string encode_key(const RecordKey& key) {
  std::string bytes(1, kRecordPrefix);
  append_big_endian(bytes, key.job.value);
  append_big_endian(bytes, key.sequence);
  return bytes;
}

std::optional<RecordKey> decode_key(std::string_view bytes) {
  if (bytes.size() != 13 || bytes[0] != kRecordPrefix) return std::nullopt;
  return RecordKey{JobId{read_big_endian<std::uint32_t>(bytes.substr(1))},
                   read_big_endian<std::uint64_t>(bytes.substr(5))};
}

std::optional<std::string> place_of(const scheduler::Fact& fact) { return std::visit(PlaceOf{}, fact); }

std::optional<KeyRange> removed_by(const scheduler::Fact& fact) { return std::visit(RemovedBy{}, fact); }

}  // namespace ontime::journal

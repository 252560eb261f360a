#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "master/journal/report_fields.h"
#include "master/recording/entry.h"
#include "master/recording/recording.pb.h"

// ---- events and headers, by their members ----

namespace ontime::journal {

namespace event = scheduler::event;

void put_rest(const event::LaunchedElsewhere& from, recording::stored::LaunchedElsewhere* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
}

void read_rest(PartReader& reader, const recording::stored::LaunchedElsewhere& from, event::LaunchedElsewhere& to) {
  reader.read(from.job(), to.task.job);
  to.task.index = from.task();
}

void put_rest(const event::CommitFinished& from, recording::stored::CommitFinished* to) {
  to->mutable_lost()->Add(from.lost.begin(), from.lost.end());
}

void read_rest(PartReader&, const recording::stored::CommitFinished& from, event::CommitFinished& to) {
  to.lost.assign(from.lost().begin(), from.lost().end());
}

// Each event that is no report, the field of stored::Event that holds it, and its members.
#define ONTIME_EVENTS(X)                                                          \
  X(NodeRegistered, node_registered, (incarnation)(name)(host)(slots)(leaves_in)) \
  X(NodeInventory, node_inventory, (node)(running))                               \
  X(Heartbeat, heartbeat, (node)(attempts))                                       \
  X(JobSubmitted, job_submitted, (request)(spec))                                 \
  X(JobKillRequested, job_kill_requested, (job)(reason)(wanted))                  \
  X(CommitFinished, commit_finished, (job)(error))                                \
  X(NodeLeaving, node_leaving, (node)(at_once))                                   \
  X(DrainRequested, drain_requested, (node)(drain))                               \
  X(JobNotified, job_notified, (job)(number)(problem))                            \
  X(LaunchedElsewhere, launched_elsewhere, (node)(begin)(age))

#define ONTIME_EVENT_FIELDS(Name, field, members) ONTIME_FIELDS(event::Name, members)
ONTIME_EVENTS(ONTIME_EVENT_FIELDS)

ONTIME_FIELDS(scheduler::Placement, (apart)(fast_first)(leave_out)(warm_first)(left_out_for))
ONTIME_FIELDS(scheduler::HistoryLimits, (jobs)(tasks)(age)(gone_nodes)(profiles))

void put_rest(const scheduler::Settings& from, recording::stored::Header* to) {
  PartWriter().put(from.placement, to);
  PartWriter().put(from.history, to);
  to->set_job_order(from.job_order ? static_cast<std::uint32_t>(*from.job_order) + 1 : 0);
}

void read_rest(PartReader& reader, const recording::stored::Header& from, scheduler::Settings& to) {
  reader.read(from, to.placement);
  reader.read(from, to.history);
  const std::uint32_t most = static_cast<std::uint32_t>(scheduler::JobOrder::ShortestRemaining) + 1;
  if (from.job_order() > 0 && from.job_order() <= most)
    to.job_order = static_cast<scheduler::JobOrder>(from.job_order() - 1);
}

ONTIME_FIELDS(scheduler::Settings, (node_timeout)(cut_timeout)(owner_share))

}  // namespace ontime::journal

namespace ontime::recording {
namespace {

namespace event = scheduler::event;
using journal::PartReader;
using journal::PartWriter;

struct EventWriter {
  stored::Event& to;

#define ONTIME_PUT_EVENT(Name, field, members) \
  void operator()(const event::Name& from) const { PartWriter().put(from, to.mutable_##field()); }
  ONTIME_EVENTS(ONTIME_PUT_EVENT)
  void operator()(const event::TimePassed&) const { to.mutable_time_passed(); }
  void operator()(const auto& report) const {
    to.mutable_reported()->set_node(report.node.value);
    journal::put_report(report, to.mutable_reported()->mutable_report());
  }
};

scheduler::Event read_event(const stored::Event& from, PartReader& reader) {
  switch (from.what_case()) {
#define ONTIME_READ_EVENT(Name, field, members) \
  case stored::Event::k##Name:                  \
    return reader.as<event::Name>(from.field());
    ONTIME_EVENTS(ONTIME_READ_EVENT)
    case stored::Event::kReported:
      return journal::read_report(NodeId{from.reported().node()}, from.reported().report(), reader);
    case stored::Event::kTimePassed:
      return event::TimePassed{};
    case stored::Event::WHAT_NOT_SET:
      break;
  }
  reader.require(false, "it holds no event that this version knows");
  return event::TimePassed{};
}

void append_varint(std::size_t value, std::string& to) {
  std::uint8_t bytes[10];
  const std::uint8_t* end = google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(value, bytes);
  to.append(std::begin(bytes), bytes + (end - bytes));
}

// Nothing: there are not enough bytes. Too many for any length: a length that is too great.
std::optional<std::size_t> take_varint(std::string_view& bytes) {
  constexpr std::size_t kLongest = 5;  // of the lengths that are believed
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(std::min(bytes.size(), kLongest)));
  std::uint64_t value = 0;
  if (!input.ReadVarint64(&value))
    return bytes.size() < kLongest ? std::nullopt : std::optional(std::numeric_limits<std::size_t>::max());
  bytes.remove_prefix(static_cast<std::size_t>(input.CurrentPosition()));
  return value;
}

Header read(const stored::Header& from) {
  PartReader reader(PartReader::Ids::Any);
  return {from.cluster(), from_unix_ns(from.started_unix_ns()), Duration(from.heartbeat_ns()),
          reader.as<scheduler::Settings>(from)};
}

Result<Entry> read_step(stored::Step& from, TimePoint& at) {
  RecordedStep step;
  if (from.after_ns() < 0) return failed("a step lies before the one before it");
  step.at = at = at + Duration(from.after_ns());
  if (from.has_event()) {
    PartReader reader(PartReader::Ids::Any);
    step.event = read_event(from.event(), reader);
    if (reader.wrong() != nullptr) return failed(std::string("the event makes no sense: ") + reader.wrong());
  }
  for (std::string& record : *from.mutable_records()) step.records.push_back(std::move(record));
  step.actions = from.actions();
  step.action_checksum = from.action_checksum();
  return Entry(std::move(step));
}

Result<Entry> read_entry(stored::Entry& from, TimePoint& at) {
  switch (from.what_case()) {
    case stored::Entry::kHeader: {
      if (from.header().format() != kRecordingFormat) {
        return failed("it has format " + std::to_string(from.header().format()) + " and this program reads format " +
                      std::to_string(kRecordingFormat) + "; use the ontime that has recorded it");
      }
      Header header = read(from.header());
      at = header.started_at;
      return Entry(std::move(header));
    }
    case stored::Entry::kKnown: {
      Result<scheduler::JournalRecord> record = journal::read_record(from.known());
      if (!record) return record.error();
      return Entry(std::move(*record));
    }
    case stored::Entry::kStep:
      return read_step(*from.mutable_step(), at);
    case stored::Entry::kEnd:
      return Entry(End{from.end().reason()});
    case stored::Entry::WHAT_NOT_SET:
      break;
  }
  return failed("it holds an entry of a kind that this version does not know");
}

}  // namespace

struct EntryEncoder::Messages {
  stored::Entry entry;
  stored::Step* step() { return entry.mutable_step(); }
  journal::stored::Record record;
};

EntryEncoder::EntryEncoder() : messages_(std::make_unique<Messages>()) {}
EntryEncoder::~EntryEncoder() = default;

bool EntryEncoder::append_message(std::string& to) {
  const std::size_t size = messages_->entry.ByteSizeLong();
  if (size > kEntryBytesMax) return false;
  append_varint(size, to);
  return messages_->entry.AppendToString(&to);
}

bool EntryEncoder::append(const Header& from, std::string& to) {
  stored::Header* header = messages_->entry.mutable_header();
  header->set_format(kRecordingFormat);
  header->set_cluster(from.cluster);
  header->set_started_unix_ns(to_unix_ns(from.started_at));
  header->set_heartbeat_ns(from.heartbeat.count());
  PartWriter().put(from.settings, header);
  return append_message(to);
}

bool append_known(std::string_view message, std::string& to) {
  constexpr char kTag = stored::Entry::kKnownFieldNumber << 3 | 2;  // a field that is as long as it says
  std::string head(1, kTag);
  append_varint(message.size(), head);
  if (head.size() + message.size() > kEntryBytesMax) return false;
  append_varint(head.size() + message.size(), to);
  to.append(head).append(message);
  return true;
}

bool EntryEncoder::append(const scheduler::JournalRecord& known, std::string& to) {
  journal::stored::Record* record = messages_->entry.mutable_known();
  record->Clear();
  journal::put(known, record);
  return append_message(to);
}

bool EntryEncoder::append(Duration after, const scheduler::Event* event, const scheduler::Step& from, std::string& to) {
  stored::Step* step = messages_->entry.mutable_step();
  step->Clear();
  step->set_after_ns(after.count());
  if (event != nullptr) std::visit(EventWriter{*step->mutable_event()}, *event);
  for (const scheduler::JournalRecord& record : from.records) {
    messages_->record.Clear();
    journal::put(record, &messages_->record);
    messages_->record.SerializeToString(step->add_records());
  }
  step->set_actions(static_cast<std::uint32_t>(from.actions.size()));
  if (!from.actions.empty()) step->set_action_checksum(checksum_of(from.actions));
  return append_message(to);
}

bool EntryEncoder::append(const End& end, std::string& to) {
  messages_->entry.mutable_end()->set_reason(end.reason);
  return append_message(to);
}

std::string encode_step_record(const scheduler::JournalRecord& record) {
  journal::stored::Record message;
  journal::put(record, &message);
  return message.SerializeAsString();
}

Result<scheduler::JournalRecord> decode_step_record(std::string_view bytes) {
  journal::stored::Record message;
  if (bytes.size() > kEntryBytesMax || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return failed("the record cannot be parsed");
  return journal::read_record(message);
}

Result<std::optional<Entry>> take_entry(std::string_view& bytes, TimePoint& at) {
  std::string_view rest = bytes;
  const std::optional<std::size_t> size = take_varint(rest);
  if (!size) return std::optional<Entry>();
  if (*size > kEntryBytesMax) return failed("it holds an entry that is too long to be one");
  if (rest.size() < *size) return std::optional<Entry>();
  stored::Entry message;
  if (!message.ParseFromArray(rest.data(), static_cast<int>(*size)))
    return failed("it holds an entry that cannot be parsed");
  bytes = rest.substr(*size);
  Result<Entry> entry = read_entry(message, at);
  if (!entry) return entry.error();
  return std::optional<Entry>(std::move(*entry));
}

}  // namespace ontime::recording

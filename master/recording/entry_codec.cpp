#include "master/recording/entry_codec.h"

#include <limits>
#include <utility>

#include "master/journal/stored_parts.h"

namespace ontime::recording {
namespace {

using journal::put;

void append_varint(std::size_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

// Nothing: there are not enough bytes. Too many for any length: a length that is too great.
std::optional<std::size_t> take_varint(std::string_view& bytes) {
  std::size_t value = 0;
  for (unsigned i = 0; i < bytes.size(); ++i) {
    if (i == 5) return std::numeric_limits<std::size_t>::max();
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<std::size_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

Header read(const stored::Header& from) {
  Header header;
  header.cluster = from.cluster();
  header.started_at = from_unix_ns(from.started_unix_ns());
  header.heartbeat = Duration(from.heartbeat_ns());
  header.settings.node_timeout = Duration(from.node_timeout_ns());
  header.settings.cut_timeout = Duration(from.cut_timeout_ns());
  header.settings.placement = {from.apart(), from.fast_first(), from.leave_out(), Duration(from.left_out_for_ns())};
  header.settings.history = {from.jobs_kept(), from.tasks_kept(), Duration(from.kept_for_ns()), from.gone_nodes_kept(),
                             from.profiles_kept()};
  // Format 1 had none: it was all.
  header.settings.owner_share = from.owner_share() > 0 ? from.owner_share() : 1;
  const std::uint32_t most = static_cast<std::uint32_t>(scheduler::JobOrder::ShortestRemaining) + 1;
  if (from.job_order() > 0 && from.job_order() <= most)
    header.settings.job_order = static_cast<scheduler::JobOrder>(from.job_order() - 1);
  return header;
}

Result<Entry> read_step(stored::Step& from, TimePoint& at) {
  RecordedStep step;
  if (from.after_ns() < 0) return failed("a step lies before the one before it");
  step.at = at = at + Duration(from.after_ns());
  if (from.has_event()) {
    Result<scheduler::Event> event = read_event(from.event());
    if (!event) return event.error();
    step.event = std::move(*event);
  }
  for (std::string& record : *from.mutable_records()) step.records.push_back(std::move(record));
  step.actions = from.actions();
  step.action_checksum = from.action_checksum();
  return Entry(std::move(step));
}

Result<Entry> read_entry(stored::Entry& from, TimePoint& at) {
  switch (from.what_case()) {
    case stored::Entry::kHeader: {
      if (from.header().format() > kRecordingFormat) {
        return failed("it has format " + std::to_string(from.header().format()) +
                      " and this program knows formats up to " + std::to_string(kRecordingFormat) +
                      "; use the newer ontime");
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
  header->set_node_timeout_ns(from.settings.node_timeout.count());
  header->set_cut_timeout_ns(from.settings.cut_timeout.count());
  header->set_heartbeat_ns(from.heartbeat.count());
  header->set_apart(from.settings.placement.apart);
  header->set_fast_first(from.settings.placement.fast_first);
  header->set_leave_out(from.settings.placement.leave_out);
  header->set_left_out_for_ns(from.settings.placement.left_out_for.count());
  header->set_jobs_kept(from.settings.history.jobs);
  header->set_tasks_kept(from.settings.history.tasks);
  header->set_kept_for_ns(from.settings.history.age.count());
  header->set_gone_nodes_kept(from.settings.history.gone_nodes);
  header->set_profiles_kept(from.settings.history.profiles);
  header->set_owner_share(from.settings.owner_share);
  header->set_job_order(from.settings.job_order ? static_cast<std::uint32_t>(*from.settings.job_order) + 1 : 0);
  return append_message(to);
}

bool EntryEncoder::append(const scheduler::JournalRecord& known, std::string& to) {
  journal::stored::Record* record = messages_->entry.mutable_known();
  record->Clear();
  put(known, record);
  return append_message(to);
}

bool EntryEncoder::append(Duration after, const scheduler::Event* event, const scheduler::Step& from, std::string& to) {
  stored::Step* step = messages_->entry.mutable_step();
  step->Clear();
  step->set_after_ns(after.count());
  if (event != nullptr) put(*event, step->mutable_event());
  for (const scheduler::JournalRecord& record : from.records) {
    messages_->record.Clear();
    put(record, &messages_->record);
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
  put(record, &message);
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

#pragma once
// What a recording consists of: a header with the settings of one master's life (an epoch), the records that its
// journal held when it started, then every step of its scheduler with the event, the time, and its records and actions.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"
#include "scheduler/core/scheduler.h"

namespace ontime::recording {

// Grows when a reader of another format could misread what a master has recorded; any other is refused.
inline constexpr std::uint32_t kRecordingFormat = 6;

struct Header {
  std::string cluster;  // id of the journal
  TimePoint started_at;
  Duration heartbeat{0};
  scheduler::Settings settings;  // policies are the program's own
};

struct RecordedStep {
  TimePoint at;
  std::optional<scheduler::Event> event;  // none: Scheduler::start()
  std::vector<std::string> records;       // encoded, see encode_step_record()
  std::uint32_t actions = 0;
  std::uint32_t action_checksum = 0;
};

// The master has ended in order, or has stopped recording: `reason`.
struct End {
  std::string reason;
};

using Entry = std::variant<Header, scheduler::JournalRecord, RecordedStep, End>;

// ---- as bytes: each a protobuf stored.Entry (recording.proto) behind its length as a varint ----

// CRC-32C over all that actions say, in order. They are not recorded, only this: enough to see that a replay would have
// done the same.
std::uint32_t checksum_of(std::span<const scheduler::Action> actions);

// Longer ones are neither written nor believed. A job of a million long paths stays below it.
inline constexpr std::size_t kEntryBytesMax = std::size_t{512} << 20;

// Keeps its message objects from call to call, because it is called for each event.
class EntryEncoder {
 public:
  EntryEncoder();
  ~EntryEncoder();

  // Each appends one entry. False, and nothing is appended: it is too long.
  bool append(const Header& header, std::string& to);
  bool append(const scheduler::JournalRecord& known, std::string& to);
  // `event` may be null: the start. `after` is since the step before.
  bool append(Duration after, const scheduler::Event* event, const scheduler::Step& step, std::string& to);
  bool append(const End& end, std::string& to);

 private:
  struct Messages;
  bool append_message(std::string& to);
  std::unique_ptr<Messages> messages_;
};

// A record that the journal held, from its message there: the same entry as EntryEncoder makes of the record. False as
// there.
bool append_known(std::string_view message, std::string& to);

// A record as RecordedStep::records has it.
std::string encode_step_record(const scheduler::JournalRecord& record);
Result<scheduler::JournalRecord> decode_step_record(std::string_view bytes);

// Takes the first entry off `bytes`. Nothing: it is not all there. `at` is the time of the last header or step, and
// moves on.
Result<std::optional<Entry>> take_entry(std::string_view& bytes, TimePoint& at);

}  // namespace ontime::recording

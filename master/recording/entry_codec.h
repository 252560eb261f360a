#pragma once
// Entries as bytes: each is a protobuf stored.Entry (recording.proto) behind its length as a varint.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "master/recording/entry.h"
#include "master/recording/recording.pb.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::recording {

// CRC-32C over all that actions say, in order. They are not recorded, only this: enough to see that a replay would have
// done the same.
std::uint32_t checksum_of(std::span<const scheduler::Action> actions);

// Longer ones are neither written nor believed. A job of a million long paths stays below it.
inline constexpr std::size_t kEntryBytesMax = std::size_t{512} << 20;

// Keeps its messages between calls, because it is called for every event.
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

// A record as RecordedStep::records has it.
std::string encode_step_record(const scheduler::JournalRecord& record);
Result<scheduler::JournalRecord> decode_step_record(std::string_view bytes);

// Takes the first entry off `bytes`. Nothing: it is not all there. `at` is the time of the last header or step, and
// moves on.
Result<std::optional<Entry>> take_entry(std::string_view& bytes, TimePoint& at);

// Events of the scheduler as protobuf messages. For entry_codec.cpp only.
void put(const scheduler::Event& from, stored::Event* to);
// What decodes is what was encoded. A message that holds no event that this version knows is an error.
Result<scheduler::Event> read_event(const stored::Event& from);

}  // namespace ontime::recording

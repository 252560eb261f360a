#pragma once
// What a recording consists of: a header with the settings of one master's life (an epoch), the records that its
// journal held when it started, then every step of its scheduler with the event, the time, and its records and actions.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"
#include "scheduler/core/scheduler.h"

namespace ontime::recording {

// Grows when an older reader could misread what a newer master has recorded; a newer recording is refused.
inline constexpr std::uint32_t kRecordingFormat = 2;

struct Header {
  std::string cluster;  // id of the journal
  TimePoint started_at;
  Duration heartbeat{0};
  scheduler::Settings settings;  // policies are the program's own
};

struct RecordedStep {
  TimePoint at;
  std::optional<scheduler::Event> event;  // none: Scheduler::start()
  std::vector<std::string> records;       // encoded, see entry_codec.h
  std::uint32_t actions = 0;
  std::uint32_t action_checksum = 0;
};

// The master has ended in order, or has stopped recording: `reason`.
struct End {
  std::string reason;
};

using Entry = std::variant<Header, scheduler::JournalRecord, RecordedStep, End>;

}  // namespace ontime::recording

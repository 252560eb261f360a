#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "scheduler/core/record.h"

namespace ontime::master {

// What attempts said last, for people who ask: why they failed, or the status that they had set before. The scheduler
// decides without it and does not keep it. Bounded; the oldest jobs' messages go first. Failures are filled from the
// records, at recovery too. Control thread only.
class AttemptMessages {
 public:
  void observe(const scheduler::JournalRecord& record);
  void note_status(AttemptId attempt, std::string_view status);  // of a live one
  const std::string& of(AttemptId attempt) const;                // empty if it said nothing, or that is long ago

 private:
  static constexpr std::size_t kMessagesMax = 2000;
  static constexpr std::size_t kStatusBytesMax = 1024;
  std::map<AttemptId, std::string> messages_;
};

}  // namespace ontime::master

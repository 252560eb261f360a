#pragma once
// Why attempts ended, for people who ask: the scheduler decides without it and does not keep it. Bounded; the oldest
// jobs' messages go first. Filled from the records, at recovery too. Control thread only.

#include <cstddef>
#include <map>
#include <string>

#include "scheduler/core/record.h"

namespace ontime::master {

class FailureMessages {
 public:
  void observe(const scheduler::Record& record);
  const std::string& of(AttemptId attempt) const;  // empty if it did not fail or is long ago

 private:
  static constexpr std::size_t kMessagesMax = 2000;
  std::map<AttemptId, std::string> messages_;
};

}  // namespace ontime::master

#include "master/base/attempt_messages.h"

#include <cstdint>
#include <limits>
#include <variant>

namespace ontime::master {

void AttemptMessages::observe(const scheduler::JournalRecord& record) {
  if (const auto* ended = std::get_if<scheduler::fact::AttemptEnded>(&record.fact)) {
    if (!ended->message.empty()) messages_[ended->attempt] = ended->message;
    if (messages_.size() > kMessagesMax) messages_.erase(messages_.begin());
  } else if (const auto* forgotten = std::get_if<scheduler::fact::JobForgotten>(&record.fact)) {
    const auto first = messages_.lower_bound(AttemptId{{forgotten->job, 0}, 0});
    const std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    messages_.erase(first, messages_.upper_bound(AttemptId{{forgotten->job, last}, last}));
  }
}

void AttemptMessages::note_status(AttemptId attempt, std::string_view status) {
  messages_[attempt] = status.substr(0, kStatusBytesMax);
  if (messages_.size() > kMessagesMax) messages_.erase(messages_.begin());
}

const std::string& AttemptMessages::of(AttemptId attempt) const {
  static const std::string none;
  const auto found = messages_.find(attempt);
  return found == messages_.end() ? none : found->second;
}

}  // namespace ontime::master

#include "master/failure_messages.h"

#include <limits>
#include <variant>

namespace ontime::master {

void FailureMessages::observe(const scheduler::Record& record) {
  if (const auto* ended = std::get_if<scheduler::record::AttemptEnded>(&record.fact)) {
    if (!ended->message.empty()) messages_[ended->attempt] = ended->message;
    if (messages_.size() > kMessagesMax) messages_.erase(messages_.begin());
  } else if (const auto* forgotten = std::get_if<scheduler::record::JobForgotten>(&record.fact)) {
    const auto first = messages_.lower_bound(AttemptId{{forgotten->job, 0}, 0});
    const std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    messages_.erase(first, messages_.upper_bound(AttemptId{{forgotten->job, last}, last}));
  }
}

const std::string& FailureMessages::of(AttemptId attempt) const {
  static const std::string none;
  const auto found = messages_.find(attempt);
  return found == messages_.end() ? none : found->second;
}

}  // namespace ontime::master

#include "worker/agent/attempts/refusal_log.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "common/log/fields.h"

namespace ontime::worker {

std::optional<std::uint64_t> LineBudget::take(std::chrono::steady_clock::time_point now) {
  if (!begin_ || now - *begin_ >= kPeriod) {
    begin_ = now;
    lines_ = 0;
  }
  if (lines_ == kLinesMax) {
    ++left_out_;
    return std::nullopt;
  }
  ++lines_;
  return std::exchange(left_out_, 0);
}

void RefusalLog::add(const std::string& path, const std::string& message) {
  const std::lock_guard lock(mutex_);
  const auto left_out = budget_.take(std::chrono::steady_clock::now());
  if (!left_out) return;
  spdlog::warn("input_refused path={} message={} left_out={}", log::Quoted{path}, log::Quoted{message}, *left_out);
}

}  // namespace ontime::worker

#pragma once
// Decides which of an application's status texts travel: the latest one, about five a second at most.

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace ontime::worker {

class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{200};

  void set(std::string text) { pending_ = std::move(text); }
  bool has_pending() const { return pending_.has_value(); }

  // The text to send now, if any.
  std::optional<std::string> take(Clock::time_point now) {
    if (!pending_ || (last_ && now - *last_ < kInterval)) return std::nullopt;
    last_ = now;
    return std::exchange(pending_, std::nullopt);
  }

 private:
  std::optional<std::string> pending_;
  std::optional<Clock::time_point> last_;
};

}  // namespace ontime::worker

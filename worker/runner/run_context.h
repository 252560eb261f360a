#pragma once
// What the runner gives a mapper as its Context: parameters, counters, the status line.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/application.h"
#include "common/app/loaded_application.h"

namespace ontime::worker {

// Decides which of an application's status texts travel: the latest one, about five a second at most.
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

struct CounterDelta {
  std::string group;
  std::string name;
  std::uint64_t value = 0;
};

class RunContext final : public app::Context {
 public:
  static constexpr std::size_t kStatusBytesMax = 1024;

  explicit RunContext(app::ParameterValues parameters) : parameters_(std::move(parameters)) {}

  const std::string& get(std::string_view name) const override { return parameters_.get(name); }
  const std::string& input_path() const override { return input_path_; }
  const std::string& header() const override { return header_; }
  app::AttemptId attempt() const override { return attempt_; }
  std::uint64_t& counter(std::string_view group, std::string_view name) override;
  void set_status(std::string_view text) override;
  void set_taken(std::uint64_t offset) override;
  bool is_released(std::uint64_t offset) override;

  const app::ParameterValues& parameters() const { return parameters_; }
  void set_input(std::string path, std::string header) {
    input_path_ = std::move(path);
    header_ = std::move(header);
  }
  void set_attempt(app::AttemptId attempt) { attempt_ = attempt; }
  // Called from set_status(), within the mapper.
  void on_status(std::function<void(const std::string&)> listener) { status_listener_ = std::move(listener); }

  // The same for set_taken().
  void on_taken(std::function<void(std::uint64_t)> listener) { taken_listener_ = std::move(listener); }

  // The same for is_released().
  void on_asked(std::function<bool(std::uint64_t)> listener) { asked_listener_ = std::move(listener); }

  // What was added to each counter since the last call; those without a change are left out.
  std::vector<CounterDelta> take_counters();

 private:
  struct Cell {
    std::uint64_t value = 0;
    std::uint64_t reported = 0;
  };
  app::ParameterValues parameters_;
  std::string input_path_;
  std::string header_;
  app::AttemptId attempt_;
  std::map<std::pair<std::string, std::string>, Cell> counters_;  // mappers hold references to the values
  std::function<void(const std::string&)> status_listener_;
  std::function<void(std::uint64_t)> taken_listener_;
  std::function<bool(std::uint64_t)> asked_listener_;
};

}  // namespace ontime::worker

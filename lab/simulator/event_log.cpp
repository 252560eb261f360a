#include <cstdint>

#include "lab/simulator/simulator.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab {
namespace {

std::string seconds_text(TimePoint at) {
  const std::int64_t ns = to_unix_ns(at);
  const std::string fraction = std::to_string(ns % 1'000'000'000);
  return std::to_string(ns / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

}  // namespace

std::string line_of(TimePoint at, const scheduler::Event& event) {
  return seconds_text(at) + " < " + scheduler::describe(event);
}

std::string line_of(TimePoint at, const scheduler::Action& action) {
  return seconds_text(at) + " > " + scheduler::describe(action);
}

}  // namespace ontime::lab

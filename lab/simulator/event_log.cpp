#include "lab/simulator/event_log.h"

#include <cstdint>
#include <type_traits>

namespace ontime::lab {
namespace {

namespace action = scheduler::action;
namespace event = scheduler::event;

std::string seconds_text(TimePoint at) {
  const std::int64_t ns = to_unix_ns(at);
  const std::string fraction = std::to_string(ns % 1'000'000'000);
  return std::to_string(ns / 1'000'000'000) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

std::string text(ByteRange range) { return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")"; }

std::string text(NodeId node, AttemptId attempt) { return to_string(node) + " " + to_string(attempt); }

std::string text(const std::vector<scheduler::AttemptProgress>& attempts) {
  std::string all;
  for (const auto& progress : attempts)
    all += " " + to_string(progress.attempt) + "@" + std::to_string(progress.offset);
  return all;
}

std::string text(const event::NodeRegistered& e) {
  return "registered " + e.incarnation + " slots " + std::to_string(e.slots);
}
std::string text(const event::NodeInventory& e) { return "inventory " + to_string(e.node) + text(e.running); }
std::string text(const event::Heartbeat& e) { return "heartbeat " + to_string(e.node) + text(e.attempts); }
std::string text(const event::AttemptStarted& e) { return "started " + text(e.node, e.attempt); }
std::string text(const event::AttemptReady& e) { return "ready " + text(e.node, e.attempt); }
std::string text(const event::CutAnswered& e) {
  return "cut " + text(e.node, e.attempt) + " at " + std::to_string(e.at) + (e.release ? " released" : "");
}
std::string text(const event::SegmentSealed& e) { return "sealed " + text(e.node, e.attempt) + " " + text(e.range); }
std::string text(const event::AttemptExited& e) { return "exited " + text(e.node, e.attempt) + " " + e.message; }
std::string text(const event::JobSubmitted& e) {
  return "submitted " + e.spec.application + " policy " + e.spec.policy + " splits " +
         std::to_string(count_splits(e.spec));
}
std::string text(const event::JobKillRequested& e) { return "kill " + to_string(e.job); }
std::string text(const event::CommitFinished& e) { return "committed " + to_string(e.job); }
std::string text(const event::NodeLeaving& e) { return "leaving " + to_string(e.node) + (e.at_once ? " at once" : ""); }
std::string text(const event::DrainRequested& e) { return (e.drain ? "drain " : "take back ") + to_string(e.node); }
std::string text(const event::TimePassed&) { return "time"; }

std::string text(const action::LaunchAttempt& a) {
  return "launch " + text(a.node, a.attempt) + " " + text(a.range) + (a.standby ? " standby" : "");
}
std::string text(const action::BeginAttempt& a) { return "begin " + text(a.node, a.attempt) + " " + text(a.range); }
std::string text(const action::CutAttempt& a) {
  return "cut " + text(a.node, a.attempt) + " at " + std::to_string(a.at) + (a.release ? " release" : "");
}
std::string text(const action::KillAttempt& a) { return "kill " + text(a.node, a.attempt) + " " + a.reason; }
std::string text(const action::WelcomeNode& a) {
  std::string all = "welcome " + to_string(a.node);
  for (const AttemptId fenced : a.fenced) all += " " + to_string(fenced);
  return all;
}
std::string text(const action::DropNode& a) { return "drop " + to_string(a.node); }
std::string text(const action::ReleaseNode& a) { return "release " + to_string(a.node); }
std::string text(const action::CommitOutput& a) { return "commit " + to_string(a.job); }
std::string text(const action::DiscardOutput& a) { return "discard " + to_string(a.job); }
std::string text(const action::ForgetJob& a) { return "forget " + to_string(a.node) + " " + to_string(a.job); }
std::string text(const action::AnswerSubmit& a) { return "accepted " + to_string(a.job); }

}  // namespace

std::string line_of(TimePoint at, const scheduler::Event& event) {
  return seconds_text(at) + " < " + std::visit([](const auto& what) { return text(what); }, event);
}

std::string line_of(TimePoint at, const scheduler::Action& action) {
  return seconds_text(at) + " > " + std::visit([](const auto& what) { return text(what); }, action);
}

}  // namespace ontime::lab

#include "master/reports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/limits.h"
#include "master/settings.h"
#include "master/text.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;

Error malformed(const char* what) { return failed(what); }

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kNameBytesMax && readable(name) == name && name.find('\n') == name.npos;
}

Result<event::SegmentSealed> sealed_of(NodeId node, AttemptId attempt, const wire::Report::Sealed& sealed) {
  const ByteRange range{sealed.range().begin(), sealed.range().end()};
  const wire::SealedOutput& output = sealed.output();
  if (range.begin >= range.end || range.begin > kOffsetMax) return malformed("a sealed range is empty or out of range");
  if (!range.is_open_ended() && (range.end > kOffsetMax || sealed.input_end() != range.end)) {
    return malformed("a sealed range has no possible end");
  }
  if (range.is_open_ended() && (sealed.input_end() < range.begin || sealed.input_end() > kOffsetMax)) {
    return malformed("a sealed range ends before it begins");
  }
  if (output.file_offset() > kOffsetMax || output.length() > kOffsetMax || output.records() > kOffsetMax) {
    return malformed("a sealed output is out of range");
  }
  if (output.counters_size() > kCountersMax) return malformed("a sealed output has too many counters");
  event::SegmentSealed result{node, attempt, range, sealed.input_end(), {}, {}};
  result.output = {output.file_offset(), output.length(), output.records(), output.crc32c()};
  for (const wire::Counter& counter : output.counters()) {
    if (counter.group().size() > kNameBytesMax || counter.name().size() > kNameBytesMax) {
      return malformed("a counter's name is too long");
    }
    result.counters[{readable(counter.group()), readable(counter.name())}] += counter.value();
  }
  return result;
}

scheduler::FailureKind kind_of(wire::Failure failure) {
  switch (failure) {
    case wire::OUTPUT:
    case wire::INPUT:
      return scheduler::FailureKind::Storage;
    case wire::INPUT_CHANGED:
    case wire::BAD_APPLICATION:
      return scheduler::FailureKind::Missing;
    case wire::LAUNCH:
      return scheduler::FailureKind::Node;
    case wire::BAD_RECORD:
      return scheduler::FailureKind::Data;
    default:
      return scheduler::FailureKind::Attempt;
  }
}

event::AttemptExited exited_of(NodeId node, AttemptId attempt, const wire::Report::Ended& ended) {
  std::string message = readable(ended.message().substr(0, kMessageBytesMax));
  if (message.empty()) message = "The attempt ended without saying why.";
  const std::string tail = last_lines(readable_tail(ended.stderr_tail(), kStderrTailBytesMax), kStderrLinesMax);
  if (!tail.empty()) message += "\nIts last lines on stderr:\n" + tail;
  while (message.back() == '\n') message.pop_back();
  return {node, attempt, kind_of(ended.failure()), std::move(message)};
}

}  // namespace

Result<event::NodeRegistered> registration_of(const wire::ToMaster::Register& message) {
  if (!is_name(message.incarnation())) return malformed("a registration without an incarnation");
  if (!is_name(message.host())) return malformed("a registration without a host");
  if (message.slots() == 0 || message.slots() > kSlotsMax)
    return malformed("a registration with an impossible number of slots");
  const std::string& name = message.name().empty() ? message.host() : message.name();
  if (!is_name(name)) return malformed("a registration with an impossible name");
  return event::NodeRegistered{message.incarnation(), name, message.host(), message.slots()};
}

Result<AttemptId> attempt_of(const wire::Attempt& message) {
  if (message.job() == 0 || message.task() >= kTasksMax) return malformed("an attempt that cannot exist");
  return AttemptId{{JobId{message.job()}, message.task()}, message.number()};
}

Result<std::vector<scheduler::AttemptProgress>> progress_of(const ProgressMessages& messages) {
  if (messages.size() > static_cast<int>(kSlotsMax)) return malformed("the progress of more attempts than slots");
  std::vector<scheduler::AttemptProgress> all;
  all.reserve(static_cast<std::size_t>(messages.size()));
  for (const wire::AttemptProgress& message : messages) {
    const Result<AttemptId> attempt = attempt_of(message.attempt());
    if (!attempt) return attempt.error();
    const auto possible = [](std::uint64_t number) { return std::min(number, kOffsetMax); };
    all.push_back(
        {*attempt, possible(message.offset()), possible(message.records()), possible(message.output_bytes())});
  }
  return all;
}

Result<scheduler::Event> event_of(NodeId node, const wire::Report& report) {
  const Result<AttemptId> attempt = attempt_of(report.attempt());
  if (!attempt) return attempt.error();
  if (report.sequence() == 0) return malformed("a report without a number");
  switch (report.what_case()) {
    case wire::Report::kStarted:
      return scheduler::Event(event::AttemptStarted{node, *attempt});
    case wire::Report::kReady:
      return scheduler::Event(event::AttemptReady{node, *attempt});
    case wire::Report::kCut: {
      if (report.cut().at() > kOffsetMax && report.cut().at() != kUnknownEnd) return malformed("a cut out of range");
      return scheduler::Event(event::CutAnswered{node, *attempt, report.cut().at(), report.cut().release()});
    }
    case wire::Report::kSealed: {
      Result<event::SegmentSealed> sealed = sealed_of(node, *attempt, report.sealed());
      if (!sealed) return sealed.error();
      return scheduler::Event(std::move(*sealed));
    }
    case wire::Report::kEnded:
      return scheduler::Event(exited_of(node, *attempt, report.ended()));
    case wire::Report::WHAT_NOT_SET:
      break;
  }
  return malformed("a report that says nothing");
}

}  // namespace ontime::master

#include "master/workers/reports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/limits.h"
#include "common/protocol/bounds.h"
#include "common/protocol/convert.h"
#include "master/base/settings.h"
#include "master/base/text.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;

Error malformed(const char* what) { return failed(what); }

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kNameBytesMax && readable(name) == name && name.find('\n') == name.npos;
}

scheduler::SegmentTimes times_of(const wire::SegmentTimes& times) {
  if (!protocol::is_possible(times)) return {};
  return {Duration(times.age_ns()), Duration(times.first_ns()), Duration(times.last_ns()), times.timed_bytes(),
          times.moves()};
}

Result<event::SegmentSealed> sealed_of(NodeId node, AttemptId attempt, const wire::Report::Sealed& sealed) {
  const ByteRange range = protocol::byte_range(sealed.range());
  const wire::SealedOutput& output = sealed.output();
  if (Status possible = protocol::check_seal(range, sealed.input_end(), output); !possible) return possible.error();
  event::SegmentSealed result{node, attempt, range, sealed.input_end(), {}, {}, times_of(sealed.times())};
  result.output = {output.file_offset(), output.length(), output.records(), output.crc32c()};
  for (const wire::Counter& counter : output.counters()) {
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
    all.push_back({*attempt, possible(message.offset()), possible(message.records()), possible(message.output_bytes()),
                   times_of(message.segment())});
  }
  return all;
}

Status check_reports(const ReportMessages& reports) {
  for (const wire::Report& report : reports) {
    if (report.sequence() == 0) return malformed("a report without a number");
    if (Result<AttemptId> attempt = attempt_of(report.attempt()); !attempt) return attempt.error();
  }
  return {};
}

Result<scheduler::Event> event_of(NodeId node, const wire::Report& report) {
  const Result<AttemptId> attempt = attempt_of(report.attempt());
  if (!attempt) return attempt.error();
  switch (report.what_case()) {
    case wire::Report::kStarted:
      return scheduler::Event(event::AttemptStarted{node, *attempt});
    case wire::Report::kReady:
      return scheduler::Event(event::AttemptReady{node, *attempt});
    case wire::Report::kCut: {
      if (Status possible = protocol::check_cut(report.cut().at()); !possible) return possible.error();
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

event::AttemptExited failure_of(NodeId node, const wire::Report& report, const Error& why) {
  return {node, protocol::attempt_id(report.attempt()), scheduler::FailureKind::Attempt,
          "Its worker reported what cannot be: " + why.message + "."};
}

}  // namespace ontime::master

#include "master/workers/reports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/limits.h"
#include "common/protocol/bounds.h"
#include "common/protocol/convert.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/journal/report_fields.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;
using journal::PartReader;

constexpr Duration kStayMax = std::chrono::hours(24 * 365 * 10);

Error malformed(const char* what) { return failed(what); }

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kNameBytesMax && readable(name) == name && name.find('\n') == name.npos;
}

// Of one report, what no check refuses: what informs only and cannot be is left out, and text becomes readable.
struct Tamed {
  const wire::Report& from;

  void operator()(event::AttemptStarted& event) const { event.age = {}; }
  void operator()(event::SegmentSealed& event) const {
    if (!protocol::is_possible(from.sealed().times())) event.times = {};
    scheduler::Counters counters;
    for (const auto& [key, value] : event.counters) counters[{readable(key.first), readable(key.second)}] += value;
    event.counters = std::move(counters);
  }
  void operator()(event::AttemptExited& event) const {
    std::string message = readable(std::move(event.message).substr(0, kMessageBytesMax));
    if (message.empty()) message = "The attempt ended without saying why.";
    const std::string tail =
        last_lines(readable_tail(from.ended().stderr_tail(), kStderrTailBytesMax), kStderrLinesMax);
    if (!tail.empty()) message += "\nIts last lines on stderr:\n" + tail;
    while (message.back() == '\n') message.pop_back();
    event.message = std::move(message);
  }
  void operator()(auto&) const {}
};

Status check(const wire::Report& report) {
  if (report.has_cut()) return protocol::check_cut(report.cut().at());
  if (!report.has_sealed()) return {};
  const wire::Sealed& sealed = report.sealed();
  return protocol::check_seal(protocol::byte_range(sealed.range()), sealed.input_end(), sealed.output());
}

}  // namespace

Result<event::NodeRegistered> registration_of(const wire::ToMaster::Register& message) {
  if (!is_name(message.incarnation())) return malformed("a registration without an incarnation");
  if (!is_name(message.host())) return malformed("a registration without a host");
  if (message.slots() == 0 || message.slots() > kSlotsMax)
    return malformed("a registration with an impossible number of slots");
  const std::string& name = message.name().empty() ? message.host() : message.name();
  if (!is_name(name)) return malformed("a registration with an impossible name");
  const Duration leaves_in(std::clamp<std::int64_t>(message.leaves_in_ns(), 0, kStayMax.count()));
  return event::NodeRegistered{message.incarnation(), name, message.host(), message.slots(), leaves_in};
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
    if (Result<AttemptId> attempt = attempt_of(message.attempt()); !attempt) return attempt.error();
    auto progress = PartReader(PartReader::Ids::Any).as<scheduler::AttemptProgress>(message);
    for (std::uint64_t* number : {&progress.offset, &progress.records, &progress.output_bytes})
      *number = std::min(*number, kOffsetMax);
    if (!protocol::is_possible(message.segment())) progress.segment = {};
    all.push_back(progress);
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
  if (Result<AttemptId> attempt = attempt_of(report.attempt()); !attempt) return attempt.error();
  if (Status possible = check(report); !possible) return possible.error();
  PartReader reader(PartReader::Ids::Any);
  scheduler::Event event = journal::read_report(node, report, reader);
  if (reader.wrong() != nullptr) return malformed(reader.wrong());
  std::visit(Tamed{report}, event);
  return event;
}

event::AttemptExited failure_of(NodeId node, const wire::Report& report, const Error& why) {
  return {node, protocol::attempt_id(report.attempt()), scheduler::FailureKind::Attempt,
          "Its worker reported what cannot be: " + why.message + "."};
}

}  // namespace ontime::master

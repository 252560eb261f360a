#pragma once
// What workers report of attempts, as events of the scheduler and as messages (common/protocol/reports.proto), in one
// table: master/workers/reports.cpp reads and checks what arrives; master/recording/entry_codec.cpp writes and reads
// what recordings hold. Only codecs include this.

#include "common/protocol/reports.pb.h"
#include "master/journal/stored_fields.h"
#include "scheduler/core/event.h"

namespace ontime::journal {

// Several kinds of failure are one to the scheduler.
inline scheduler::FailureKind kind_of(wire::Failure failure) {
  switch (failure) {
    case wire::OUTPUT:
    case wire::INPUT:
      return scheduler::FailureKind::Storage;
    case wire::INPUT_VANISHED:
      return scheduler::FailureKind::Vanished;
    case wire::INPUT_UNREADABLE:
      return scheduler::FailureKind::Unreadable;
    case wire::AWAY:
      return scheduler::FailureKind::Away;
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

// One that is of this kind.
inline wire::Failure failure_of(scheduler::FailureKind kind) {
  for (const wire::Failure failure : {wire::OUTPUT, wire::AWAY, wire::INPUT_CHANGED, wire::LAUNCH, wire::BAD_RECORD,
                                      wire::INPUT_VANISHED, wire::INPUT_UNREADABLE}) {
    if (kind_of(failure) == kind) return failure;
  }
  return wire::CRASHED;
}

inline void put_rest(const scheduler::event::AttemptExited& from, wire::Ended* to) {
  to->set_failure(failure_of(from.kind));
}

inline void read_rest(PartReader&, const wire::Ended& from, scheduler::event::AttemptExited& to) {
  to.kind = kind_of(from.failure());
}

inline void put_rest(const scheduler::event::SegmentSealed& from, wire::Sealed* to) { put_counters(from, to); }

inline void read_rest(PartReader& reader, const wire::Sealed& from, scheduler::event::SegmentSealed& to) {
  read_counters(reader, from, to);
}

ONTIME_FIELDS(scheduler::AttemptProgress, (attempt)(offset)(records)(output_bytes)(segment))

// Each report's event, the field of wire::Report that holds it, that field's case, and the members besides node and
// attempt.
#define ONTIME_REPORTS(X)                                              \
  X(AttemptStarted, started, kStarted, (age))                          \
  X(AttemptReady, ready, kReady, )                                     \
  X(CutAnswered, cut, kCut, (at)(release))                             \
  X(SegmentSealed, sealed, kSealed, (range)(input_end)(output)(times)) \
  X(AttemptExited, ended, kEnded, (message))

#define ONTIME_REPORT(Name, field, is_case, members)                             \
  ONTIME_FIELDS(scheduler::event::Name, members)                                 \
  inline void put_report(const scheduler::event::Name& from, wire::Report* to) { \
    PartWriter().put(from.attempt, to->mutable_attempt());                       \
    PartWriter().put(from, to->mutable_##field());                               \
  }
ONTIME_REPORTS(ONTIME_REPORT)

inline scheduler::Event read_report(NodeId node, const wire::Report& from, PartReader& reader) {
  switch (from.what_case()) {
#define ONTIME_READ_REPORT(Name, field, is_case, members)         \
  case wire::Report::is_case: {                                   \
    auto event = reader.as<scheduler::event::Name>(from.field()); \
    event.node = node;                                            \
    reader.read(from.attempt(), event.attempt);                   \
    return event;                                                 \
  }
    ONTIME_REPORTS(ONTIME_READ_REPORT)
    case wire::Report::WHAT_NOT_SET:
      break;
  }
  reader.require(false, "a report that says nothing");
  return scheduler::event::TimePassed{};
}

}  // namespace ontime::journal

#pragma once
// Identifiers and places in files as they travel and as programs hold them.

#include <algorithm>
#include <utility>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/protocol/types.pb.h"

namespace ontime::protocol {

inline AttemptId attempt_id(const wire::Attempt& attempt) {
  return {{JobId{attempt.job()}, attempt.task()}, attempt.number()};
}

inline wire::Attempt to_wire(AttemptId id) {
  wire::Attempt attempt;
  attempt.set_job(id.task.job.value);
  attempt.set_task(id.task.index);
  attempt.set_number(id.number);
  return attempt;
}

inline ByteRange byte_range(const wire::Range& range) { return {range.begin(), range.end()}; }

inline void put(const ByteRange& from, wire::Range* to) {
  to->set_begin(from.begin);
  to->set_end(from.end);
}

inline void put(const AccessPoint& from, wire::AccessPoint* to) {
  to->set_content(from.content);
  to->set_stored(from.stored);
  to->set_state(from.state);
  if (from.needs_window()) to->set_window_hash(from.window.data(), from.window.size());
}

inline void put(StartPoint from, wire::StartPoint* to) {
  put(from.point, to->mutable_point());
  to->set_window(std::move(from.window));
}

inline AccessPoint access_point(const wire::AccessPoint& from) {
  AccessPoint point{from.content(), from.stored(), from.state()};
  std::copy_n(from.window_hash().begin(), std::min(from.window_hash().size(), point.window.size()),
              point.window.begin());
  return point;
}

inline StartPoint start_point(const wire::StartPoint& from) { return {access_point(from.point()), from.window()}; }

}  // namespace ontime::protocol

#pragma once
// Access points of compressed files as they travel and as programs hold them.

#include <algorithm>

#include "common/base/access_point.h"
#include "common/protocol/types.pb.h"

namespace ontime::protocol {

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

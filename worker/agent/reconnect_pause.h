#pragma once
// How long to wait before the next try to connect: doubling from one try to the next up to a bound, and from the
// beginning again only after a session that has lasted. A master that lets the worker in and loses it at once, over and
// over, is so met as rarely as one that is not there. Pure.

#include <algorithm>

#include "common/base/time.h"

namespace ontime::worker {

class ReconnectPause {
 public:
  ReconnectPause(Duration min, Duration max, Duration lasting) : min_(min), max_(max), lasting_(lasting) {}

  // A session is over that stood for so long after its welcome; one that was never welcome counts for nothing.
  void on_session_over(Duration stood) {
    if (stood >= lasting_) pause_ = Duration(0);
  }
  // The caller waits a random time below it.
  Duration next() { return pause_ = std::min(max_, std::max(min_, 2 * pause_)); }

 private:
  const Duration min_;
  const Duration max_;
  const Duration lasting_;
  Duration pause_{0};
};

}  // namespace ontime::worker

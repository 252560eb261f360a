#pragma once
// Attempts of which nothing can be said because they are still being launched.

#include "common/base/time.h"
#include "scheduler/model/attempt.h"

namespace ontime::scheduler {

// It has not begun, and a launch takes `launch` seconds in the mean. The outlook calls an attempt standing that has not
// begun after ten seconds while nobody in the job has begun; a policy that knows how long launches take knows better.
inline bool is_launching(const Attempt& attempt, double launch, TimePoint now) {
  constexpr double kPatience = 3;  // launches
  return attempt.state == AttemptState::Launching && seconds(now - attempt.launched_at) < kPatience * launch;
}

}  // namespace ontime::scheduler

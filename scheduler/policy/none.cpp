#include "scheduler/policy/none.h"

namespace ontime::scheduler {

Plan None::plan(const Cluster&, JobId, std::uint32_t, TimePoint) { return {}; }

}  // namespace ontime::scheduler

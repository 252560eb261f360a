#include "common/base/limits.h"

#include "common/base/units.h"

namespace ontime {

Status check_intervals(Duration heartbeat, Duration node_timeout) {
  if (node_timeout >= 2 * heartbeat) return {};
  return bad_input("--node-timeout: " + format_duration(node_timeout) + " must be at least twice --heartbeat (" +
                   format_duration(heartbeat) + "), or every worker would soon be lost");
}

}  // namespace ontime

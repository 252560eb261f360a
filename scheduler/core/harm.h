#pragma once
// Do no harm, seen from outside: whether decisions that were carried out keep to docs/policies.md, "What a decision is
// worth". What holds them back is in restraint.h and worth.h; this looks at what the cluster knows of them afterwards.
//
//   * Each decision about an attempt that runs was judged.
//   * It was worth it.
//   * What copies and cuts were expected to cost is not more than the job's own work.
//   * No attempt is cut or ended in its start, nor before it shows a pace unless it is late.
//   * No attempt is cut once too little has come of earlier cuts.
//
// Of jobs whose segments need no start, of those that another engine runs and of policies as written only the first.

#include <string>
#include <vector>

#include "scheduler/core/cluster.h"

namespace ontime::scheduler {

struct HarmBounds {
  bool spares_as_written = true;
};

// One sentence for each decision of the latest step that breaks it. O(decisions of that step).
std::vector<std::string> harms(const Cluster& cluster, HarmBounds bounds = {});

}  // namespace ontime::scheduler

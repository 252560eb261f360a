#pragma once
// The cluster in Prometheus' text format. Names and labels are an interface and stay; docs/monitoring.md lists them.
// Pure.

#include <string>

#include "cli/web/cluster_view.h"

namespace ontime::cli {

// Null: no master answers, so there is ontime_up 0 and nothing else.
std::string metrics_text(const ClusterView::Picture* picture);

}  // namespace ontime::cli

#include "worker/agent/session/report_log.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/kill_point.h"

namespace ontime::worker {

void ReportLog::append(wire::Report report) {
  pass_kill_point("report-before-append");
  report.set_sequence(++last_);
  bytes_ += report.ByteSizeLong();
  reports_.push_back(std::move(report));
  pass_kill_point("report-appended");
  if (listener_) listener_();
}

Status ReportLog::acknowledge(std::uint64_t sequence) {
  if (sequence > last_) {
    return bad_input("the master acknowledged report " + std::to_string(sequence) + " but the last one is " +
                     std::to_string(last_));
  }
  while (!reports_.empty() && reports_.front().sequence() <= sequence) {
    bytes_ -= reports_.front().ByteSizeLong();
    reports_.pop_front();
  }
  sent_ = std::max(sent_, sequence);
  return {};
}

wire::ToMaster::Reports ReportLog::take_unsent(std::size_t bytes_max) {
  wire::ToMaster::Reports batch;
  std::size_t bytes = 0;
  for (auto i = static_cast<std::size_t>(sent_ - acknowledged()); i < reports_.size(); ++i) {
    bytes += reports_[i].ByteSizeLong();
    if (batch.reports_size() > 0 && bytes > bytes_max) break;
    *batch.add_reports() = reports_[i];
    sent_ = reports_[i].sequence();
  }
  return batch;
}

}  // namespace ontime::worker

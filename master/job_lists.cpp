#include <iterator>

#include "master/job_view.h"
#include "master/job_watch.h"
#include "master/settings.h"

namespace ontime::master {

JobLists::Answer JobLists::list(const wire::Request::ListJobs& request) {
  const TimePoint now = control_.now();
  const bool is_same = last_ && latest_ == request.latest() && first_job_ == request.first_job();
  if (is_same && changes_ == control_.changes() && now - made_at_ < kSharedFor) return last_;
  last_ = make(request, now);
  latest_ = request.latest();
  first_job_ = request.first_job();
  changes_ = control_.changes();
  made_at_ = now;
  return last_;
}

JobLists::Answer JobLists::make(const wire::Request::ListJobs& request, TimePoint now) const {
  auto reply = std::make_shared<wire::Reply>();
  wire::Reply::Jobs& list = *reply->mutable_jobs();
  const auto& jobs = control_.cluster().jobs();
  auto at = jobs.lower_bound(JobId{request.first_job()});
  if (request.latest() > 0 && request.first_job() == 0 && request.latest() < jobs.size()) {
    at = std::prev(jobs.end(), static_cast<std::ptrdiff_t>(request.latest()));
    list.set_older(static_cast<std::uint32_t>(jobs.size()) - request.latest());
  }
  std::size_t bytes = 0;
  for (; at != jobs.end() && bytes <= kReplyBytesMax; ++at) {
    wire::JobSummary& summary = *list.add_jobs();
    summary = summary_of(at->first, at->second, now, ShowCounters::No);
    summary.set_waiting_for(waiting_for(at->second, control_.cluster()));
    bytes += summary.ByteSizeLong();
  }
  if (at != jobs.end()) list.set_next_job(at->first.value);
  return reply;
}

}  // namespace ontime::master

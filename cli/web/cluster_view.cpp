#include "cli/web/cluster_view.h"

#include <utility>

#include "cli/client/exported_job.h"
#include "cli/show/job_text.h"

namespace ontime::cli {
namespace {

template <class D>
bool is_fresh(const D& dated) {
  return dated.what != nullptr && std::chrono::steady_clock::now() - dated.taken < ClusterView::kFresh;
}

}  // namespace

Result<std::shared_ptr<const ClusterView::Picture>> ClusterView::picture() {
  const std::lock_guard lock(mutex_);
  if (is_fresh(picture_)) return picture_.what;
  if (is_fresh(away_)) return *away_.what;
  auto taken = take_picture();
  if (!taken) return remembered(taken.error());
  picture_ = {std::chrono::steady_clock::now(), std::make_shared<const Picture>(std::move(*taken))};
  return picture_.what;
}

Error ClusterView::remembered(const Error& error) {
  if (error.kind == ErrorKind::Unavailable) away_ = {std::chrono::steady_clock::now(), std::make_shared<Error>(error)};
  return error;
}

Result<ClusterView::Picture> ClusterView::take_picture() {
  auto nodes = master_.list_nodes();
  if (!nodes) return nodes.error();
  auto jobs = master_.list_jobs({.accounts = true});
  if (!jobs) return jobs.error();
  Picture picture{std::move(*nodes), std::move(*jobs)};
  for (wire::JobSummary& summary : *picture.jobs.mutable_jobs()) {
    if (has_ended(summary) || picture.watched.size() >= kWatchedMax) continue;
    auto job = master_.describe(JobId{summary.job()}, {.forecast = true, .account = true});
    if (!job) return job.error();
    summary = job->summary();
    picture.watched.push_back(std::move(*job));
  }
  return picture;
}

Result<std::shared_ptr<const ClusterView::JobPicture>> ClusterView::job(JobId id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [](const auto& entry) { return !is_fresh(entry.second); });
  if (const auto known = jobs_.find(id); known != jobs_.end()) return known->second.what;
  if (is_fresh(away_)) return *away_.what;
  auto job = ask_for(id);
  if (!job) return remembered(job.error());
  const auto what = std::make_shared<const JobPicture>(std::move(*job));
  jobs_[id] = {std::chrono::steady_clock::now(), what};
  return what;
}

Result<wire::Reply::Logs> ClusterView::logs(JobId id) {
  const std::lock_guard lock(mutex_);
  if (is_fresh(away_)) return *away_.what;
  wire::Request::ReadLogs request;
  request.set_job(id.value);
  auto logs = master_.read_logs(request);
  if (!logs) return remembered(logs.error());
  return logs;
}

// A job of a million tasks would be hundreds of megabytes.
Result<ClusterView::JobPicture> ClusterView::ask_for(JobId id) {
  auto job = master_.describe(id, {.forecast = true, .account = true});
  if (job && job->summary().tasks() <= kTasksDrawn)
    job = master_.describe(id, {.tasks = true, .forecast = true, .account = true});
  if (!job) return job.error();
  wire::Request::Explain request;
  request.set_job(id.value);
  request.set_tasks_max(kTasksExplained);
  auto explained = master_.explain(std::move(request));
  if (!explained) return explained.error();
  return JobPicture{std::move(*job), std::move(*explained)};
}

}  // namespace ontime::cli

#include "cli/web/cluster_view.h"

#include <algorithm>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using Clock = std::chrono::steady_clock;

template <class D>
bool is_fresh(const D& dated) {
  return dated.what != nullptr && Clock::now() - dated.taken < ClusterView::kFresh;
}

// How long is good what has looked at all its tasks and attempts.
Clock::duration good_for(const wire::JobSummary& job) {
  return ClusterView::kGoodForTask * std::max(job.tasks(), job.attempts_launched());
}

// Since it was listed.
template <class T>
bool is_forgotten(const Result<T>& job) {
  return !job && job.error().kind == ErrorKind::BadInput;
}

}  // namespace

Result<std::shared_ptr<const ClusterView::Picture>> ClusterView::picture() {
  const std::lock_guard lock(mutex_);
  return picture_now();
}

Result<std::shared_ptr<const ClusterView::Picture>> ClusterView::picture_now() {
  if (is_fresh(picture_)) return picture_.what;
  if (is_fresh(away_)) return *away_.what;
  auto taken = take_picture();
  if (!taken) return remembered(taken.error());
  picture_ = {Clock::now(), std::make_shared<const Picture>(std::move(*taken))};
  return picture_.what;
}

Error ClusterView::remembered(const Error& error) {
  if (error.kind == ErrorKind::Unavailable) away_ = {Clock::now(), std::make_shared<Error>(error)};
  return error;
}

Result<ClusterView::Picture> ClusterView::take_picture() {
  auto nodes = master_.list_nodes();
  if (!nodes) return nodes.error();
  auto jobs = master_.list_jobs({.accounts = true});
  if (!jobs) return jobs.error();
  Picture picture{std::move(*nodes), std::move(*jobs)};
  for (wire::JobSummary& summary : *picture.jobs.mutable_jobs()) {
    if (protocol::has_ended(summary) || picture.watched.size() >= kWatchedMax) continue;
    const auto known = costly(JobId{summary.job()}, summary, false);
    if (is_forgotten(known)) continue;
    if (!known) return known.error();
    if ((*known)->job.summary().has_forecast()) *summary.mutable_forecast() = (*known)->job.summary().forecast();
    wire::Reply::Job& job = picture.watched.emplace_back();
    *job.mutable_summary() = summary;
    *job.mutable_account() = (*known)->job.account();
    *job.mutable_copies() = (*known)->job.copies();
  }
  return picture;
}

// The master may have another journal by now, and another job of that number.
bool ClusterView::is_good(const Costly& costly, const wire::JobSummary& summary) {
  const wire::JobSummary& then = costly.job.summary();
  if (then.submitted_unix_ns() != summary.submitted_unix_ns() || then.state() != summary.state()) return false;
  return protocol::has_ended(summary) || Clock::now() - costly.taken <= good_for(summary);
}

Result<const ClusterView::Costly*> ClusterView::costly(JobId id, const wire::JobSummary& summary, bool explained) {
  auto known = costly_.find(id);
  if (known == costly_.end() || !is_good(known->second, summary)) {
    auto job = ask_for_costly(id, summary);
    if (!job) return job.error();
    if (known == costly_.end() && costly_.size() >= kCostlyMax)
      costly_.erase(std::ranges::min_element(costly_, {}, [](const auto& entry) { return entry.second.taken; }));
    known = costly_.insert_or_assign(id, Costly{Clock::now(), std::move(*job)}).first;
  }
  if (explained && !known->second.explained) {
    wire::Request::Explain request;
    request.set_job(id.value);
    request.set_tasks_max(kTasksExplained);
    auto answer = master_.explain(std::move(request));
    if (!answer) return answer.error();
    known->second.explained = std::move(*answer);
  }
  return &known->second;
}

// Asks for one thing after the other if the job is large, because each takes time. The master keeps what it has made,
// so a request that was given up succeeds the next time.
Result<wire::Reply::Job> ClusterView::ask_for_costly(JobId id, const wire::JobSummary& summary) {
  if (summary.tasks() < kAskedForAlone)
    return master_.describe(id, {.forecast = true, .account = true, .overview = true});
  auto overview = master_.describe(id, {.overview = true});
  if (!overview) return overview;
  auto account = master_.describe(id, {.account = true});
  if (!account) return account;
  auto job = master_.describe(id, {.forecast = true});
  if (!job) return job;
  job->mutable_account()->Swap(account->mutable_account());
  job->mutable_copies()->Swap(account->mutable_copies());
  job->mutable_overview()->Swap(overview->mutable_overview());
  job->mutable_forecasts()->Swap(overview->mutable_forecasts());
  return job;
}

Result<std::shared_ptr<const std::string>> ClusterView::job(JobId id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [](const auto& entry) { return !is_fresh(entry.second); });
  if (const auto known = jobs_.find(id); known != jobs_.end()) return known->second.what;
  if (is_fresh(away_)) return *away_.what;
  auto job = ask_for(id);
  if (!job) return remembered(job.error());
  const auto what = std::make_shared<const std::string>(std::move(*job));
  jobs_[id] = {Clock::now(), what};
  return what;
}

template <class Ask>
auto ClusterView::ask_unless_away(Ask ask) -> decltype(ask()) {
  const std::lock_guard lock(mutex_);
  if (is_fresh(away_)) return *away_.what;
  auto answer = ask();
  if (!answer) return remembered(answer.error());
  return answer;
}

Result<wire::Reply::Logs> ClusterView::logs(const wire::Request::ReadLogs& request) {
  return ask_unless_away([&] { return master_.read_logs(request); });
}

Result<wire::Reply::Job> ClusterView::tasks(JobId id, const MasterClient::TaskQuery& query) {
  return ask_unless_away([&] { return master_.list_tasks(id, query); });
}

Result<std::string> ClusterView::exported(JobId id, ExportCommand::As as) {
  return ask_unless_away([&]() -> Result<std::string> {
    const auto job = master_.describe(id, {});
    if (!job) return job.error();
    if (as == ExportCommand::As::Trace && !draws_attempts(job->summary()))
      return bad_input("this trace is too large for a page; 'ontime trace " + to_string(id) + "' writes it");
    return export_job(master_, id, as);
  });
}

Result<std::vector<wire::Reply::Job>> ClusterView::use() {
  const std::lock_guard lock(mutex_);
  const auto picture = picture_now();
  if (!picture) return picture.error();
  std::vector<const wire::JobSummary*> latest;
  for (const wire::JobSummary& job : (*picture)->jobs.jobs())
    if (job.attempts_launched() > 0) latest.push_back(&job);
  const auto by_end = [](const wire::JobSummary* job) {
    return std::pair(!protocol::has_ended(*job),
                     protocol::has_ended(*job) ? job->ended_unix_ns() : job->submitted_unix_ns());
  };
  std::ranges::stable_sort(latest, std::greater(), by_end);
  if (latest.size() > kUseMax) latest.resize(kUseMax);
  std::vector<wire::Reply::Job> jobs;
  for (const wire::JobSummary* summary : latest) {
    const auto known = costly(JobId{summary->job()}, *summary, false);
    if (is_forgotten(known)) continue;
    if (!known) return remembered(known.error());
    wire::Reply::Job& job = jobs.emplace_back();
    *job.mutable_summary() = *summary;
    *job.mutable_overview() = (*known)->job.overview();
  }
  return jobs;
}

// A job of a million tasks would be hundreds of megabytes.
Result<std::string> ClusterView::ask_for(JobId id) {
  auto job = master_.describe(id, {});
  if (!job) return job.error();
  const bool with_tasks = draws_attempts(job->summary());
  const auto known = costly(id, job->summary(), with_tasks);
  if (!known) return known.error();
  if (with_tasks) job = master_.describe(id, {.tasks = true});
  if (!job) return job.error();
  if ((*known)->job.summary().has_forecast())
    *job->mutable_summary()->mutable_forecast() = (*known)->job.summary().forecast();
  *job->mutable_account() = (*known)->job.account();
  *job->mutable_copies() = (*known)->job.copies();
  *job->mutable_forecasts() = (*known)->job.forecasts();
  if (!with_tasks) *job->mutable_overview() = (*known)->job.overview();
  const wire::Reply::Explained* const explained = with_tasks ? &*(*known)->explained : nullptr;
  return job_json(*job, with_tasks, explained, Layout::Compact);
}

}  // namespace ontime::cli

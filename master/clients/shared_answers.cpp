#include "master/clients/shared_answers.h"

#include <asio/post.hpp>
#include <iterator>

#include "master/base/settings.h"
#include "master/clients/views.h"

namespace ontime::master {

asio::awaitable<std::optional<scheduler::JobAccount>> Accounts::of_job(JobId id) {
  for (;;) {
    const scheduler::Job* job = cluster_.find_job(id);
    if (job == nullptr) co_return std::nullopt;
    if (job->tasks.size() <= kSmall) co_return scheduler::account(*job, now_());
    std::shared_ptr<CachedAccount>& place = known_[id];
    if (place == nullptr) place = std::make_shared<CachedAccount>();
    const std::shared_ptr<CachedAccount> known = place;
    if (is_good(*known, *job)) co_return known->account;
    if (known->being_made == nullptr) {
      drop_forgotten_jobs();
      co_await make(id, known);
      job = cluster_.find_job(id);
      if (job == nullptr) co_return std::nullopt;
      if (known->is_final || !is_final(job->state)) co_return known->account;
      continue;  // it has ended meanwhile
    }
    const std::shared_ptr<Signal> being_made = known->being_made;
    co_await being_made->wait();
  }
}

asio::awaitable<std::map<std::string, PolicyAccount>> Accounts::by_policy() {
  std::map<std::string, PolicyAccount> sums;
  const auto& jobs = cluster_.jobs();
  JobId id;
  for (auto at = jobs.begin(); at != jobs.end(); at = jobs.upper_bound(id)) {
    id = at->first;
    const std::string policy = at->second.spec.policy;
    if (is_slice_over()) co_await asio::post(executor_, asio::use_awaitable);
    const std::optional<scheduler::JobAccount> account = co_await of_job(id);
    if (!account) continue;
    PolicyAccount& sum = sums[policy];
    ++sum.jobs;
    sum.account += *account;
  }
  co_return sums;
}

bool Accounts::is_good(const CachedAccount& known, const scheduler::Job& job) const {
  if (known.made_at == TimePoint{}) return false;
  if (is_final(job.state)) return known.is_final;
  return now_() - known.made_at <= kGoodForTask * job.tasks.size();
}

asio::awaitable<void> Accounts::make(JobId id, std::shared_ptr<CachedAccount> known) {
  known->being_made = std::make_shared<Signal>(executor_);
  scheduler::JobAccount sum;
  const TimePoint now = now_();
  bool is_final = false;
  for (std::uint32_t index = 0;; ++index) {
    if (is_slice_over()) co_await asio::post(executor_, asio::use_awaitable);
    const scheduler::Job* job = cluster_.find_job(id);  // it may have been forgotten meanwhile
    if (index == 0 && job != nullptr) is_final = scheduler::is_final(job->state);
    if (job == nullptr || index >= job->tasks.made().size()) break;
    sum += scheduler::account(job->tasks[index], now);
  }
  known->account = sum;
  known->made_at = now;
  known->is_final = is_final;
  known->being_made->fire();
  known->being_made = nullptr;
}

void Accounts::drop_forgotten_jobs() {
  if (known_.size() <= cluster_.jobs().size()) return;
  std::erase_if(known_, [this](const auto& entry) { return cluster_.find_job(entry.first) == nullptr; });
}

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

#include "master/notices/notices.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "common/log/fields.h"
#include "common/protocol/notice.pb.h"
#include "master/clients/views.h"

namespace ontime::master {

void Notices::start() {
  for (const auto& [id, job] : parts_.control.cluster().jobs()) watch(id, job);
  look();
}

void Notices::watch(JobId id, const scheduler::Job& job) {
  if (job.spec.notify.size() > job.told.size())
    watched_.emplace(id, Watched{JobNotices(job.spec, parts_.control.now())});
}

void Notices::observe(const scheduler::JournalRecord& record) {
  if (const auto* accepted = std::get_if<scheduler::fact::JobAccepted>(&record.fact)) {
    const scheduler::Job* job = parts_.control.cluster().find_job(accepted->job);
    if (job != nullptr) watch(accepted->job, *job);
    arm();
  }
  if (std::holds_alternative<scheduler::fact::JobEnded>(record.fact)) look();
}

void Notices::arm() {
  if (watched_.empty() || std::exchange(is_armed_, true)) return;
  looks_.expires_after(kLooks);
  looks_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    is_armed_ = false;
    look();
  });
}

void Notices::look() {
  for (auto at = watched_.begin(); at != watched_.end();)
    at = look_at(at->first, at->second) ? std::next(at) : watched_.erase(at);
  arm();
}

bool Notices::look_at(JobId id, Watched& watched) {
  const scheduler::Cluster& cluster = parts_.control.cluster();
  const scheduler::Job* job = cluster.find_job(id);
  if (job == nullptr) return false;
  JobNotices::Standing standing;
  if (watched.notices.asks_whether_stuck())
    standing = {job->sealed_bytes + reached_bytes(*job), waiting_for(*job, cluster)};
  watched.notices.look(*job, standing, parts_.control.now());
  bool is_any_left = !watched.under_way.empty();
  for (std::uint32_t number = 0; number < watched.notices.all().size(); ++number) {
    if (job->told.contains(number) || watched.under_way.contains(number)) continue;
    const bool is_due = watched.notices.is_due(number);
    is_any_left = is_any_left || is_due || !scheduler::is_final(job->state);
    if (is_due && parts_.tell && under_way_ < kAtOnce) tell(id, *job, watched, number);
  }
  return is_any_left;
}

void Notices::foresee(JobId id, const wire::Forecast& forecast) {
  const auto found = watched_.find(id);
  if (found != watched_.end() && forecast.has_pocd())
    found->second.notices.foresee(forecast.pocd(), parts_.control.now());
}

void Notices::tell(JobId id, const scheduler::Job& job, Watched& watched, std::uint32_t number) {
  const Notify& notify = watched.notices.all()[number];
  wire::NoticeToTell notice;
  notice.set_id(parts_.cluster + "/" + to_string(id) + "/" + std::to_string(number));
  notice.set_when(notify.condition);
  notify.is_url ? notice.set_url(notify.what) : notice.set_command(notify.what);
  if (notify.is_url) notice.set_secret(parts_.secret);
  wire::JobSummary& summary = *notice.mutable_job();
  summary = summary_of(id, job, parts_.control.now(), ShowCounters::Yes);
  summary.set_waiting_for(waiting_for(job, parts_.control.cluster()));
  const std::optional<wire::Forecast> forecast =
      scheduler::is_final(job.state) ? std::nullopt : parts_.pictures.latest_forecast(id);
  if (forecast) *summary.mutable_forecast() = *forecast;
  watched.under_way.insert(number);
  ++under_way_;
  spdlog::info("notice_begun job={} id={} when={}", to_string(id), log::Quoted{notice.id()},
               log::Quoted{notify.condition});
  const auto on_told = [self = std::weak_ptr(self_), id, number](const std::string& problem) {
    if (const auto alive = self.lock()) (*alive)->on_told(id, number, problem);
  };
  parts_.tell(notice.SerializeAsString(), [executor = parts_.control.executor(), on_told](const std::string& problem) {
    asio::post(executor, [on_told, problem] { on_told(problem); });
  });
}

void Notices::on_told(JobId id, std::uint32_t number, const std::string& problem) {
  --under_way_;
  if (problem.empty())
    spdlog::info("notice_told job={} number={}", to_string(id), number);
  else
    spdlog::warn("notice_failed job={} number={} reason={}", to_string(id), number, log::Quoted{problem});
  if (const auto found = watched_.find(id); found != watched_.end()) found->second.under_way.erase(number);
  parts_.control.step(scheduler::event::JobNotified{id, number, problem});
  look();
}

}  // namespace ontime::master

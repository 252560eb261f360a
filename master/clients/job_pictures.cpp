#include "master/clients/job_pictures.h"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include "scheduler/forecast/forecast.h"

namespace ontime::master {

namespace {

// As long as it takes a small part of the thread.
Duration forecast_good_for(const scheduler::Job& job) {
  return JobPictures::kForecastGoodForTask * (job.tasks.size() - job.tasks_done);
}

}  // namespace

asio::awaitable<JobPictures::Picture> JobPictures::overview(JobId id, std::shared_ptr<const scheduler::Job> recalled) {
  const scheduler::Job* job = scheduler_.cluster().find_job(id);
  if (job == nullptr) co_return nullptr;
  auto& entry = drawn_[id];
  if (!entry) entry = std::make_shared<Drawn>();
  const std::shared_ptr<Drawn> drawn = entry;
  if (is_good(*drawn, *job)) co_return drawn->picture;
  if (drawn->being_made) {
    const auto signal = drawn->being_made;
    co_await signal->wait();
  } else {
    co_await make(id, drawn, std::move(recalled));
  }
  co_return drawn->picture;
}

bool JobPictures::is_good(const Drawn& drawn, const scheduler::Job& job) const {
  if (!drawn.picture) return false;
  if (is_final(job.state)) return drawn.is_final;
  return now_() - drawn.made_at < kPictureGoodForTask * job.tasks.size();
}

asio::awaitable<void> JobPictures::make(JobId id, std::shared_ptr<Drawn> drawn,
                                        std::shared_ptr<const scheduler::Job> recalled) {
  drawn->being_made = std::make_shared<Signal>(executor_);
  const scheduler::Cluster& cluster = scheduler_.cluster();
  const auto find = [&] { return recalled ? recalled.get() : cluster.find_job(id); };
  const scheduler::Job* job = find();
  const TimePoint now = now_();
  const bool is_final = scheduler::is_final(job->state);
  OverviewMaker maker(cluster, id, *job, now);
  while (job != nullptr && !maker.look(*job, kSlice)) {
    co_await asio::post(executor_, asio::use_awaitable);
    job = find();  // it may have been forgotten meanwhile
  }
  drawn->picture = job == nullptr ? nullptr : std::make_shared<const wire::Overview>(maker.view(*job, failures_));
  drawn->made_at = now;
  drawn->is_final = is_final;
  drawn->being_made->fire();
  drawn->being_made = nullptr;
  drop_oldest();
}

void JobPictures::drop_oldest() {
  if (drawn_.size() <= kKept) return;
  const auto oldest = std::ranges::min_element(drawn_, {}, [](const auto& entry) {
    return entry.second->being_made ? TimePoint::max() : entry.second->made_at;
  });
  drawn_.erase(oldest);
}

std::optional<wire::Forecast> JobPictures::forecast(JobId id) {
  const scheduler::Job* job = scheduler_.cluster().find_job(id);
  if (job == nullptr) return std::nullopt;
  const TimePoint now = now_();
  const auto known = foreseen_.find(id);
  const bool is_running = !is_final(job->state);
  if (is_running && known != foreseen_.end() && now - known->second.made_at < forecast_good_for(*job))
    return known->second.latest;
  const auto forecast = scheduler::forecast(scheduler_, id, now);
  if (!forecast) return std::nullopt;
  Foreseen& foreseen = foreseen_[id];
  foreseen.latest = view_of(*forecast, *job);
  foreseen.made_at = now;
  foreseen.track.add(now - job->submitted_at, foreseen.latest);
  on_forecast(id, foreseen.latest);
  return foreseen.latest;
}

std::optional<wire::Forecast> JobPictures::latest_forecast(JobId id) const {
  const auto known = foreseen_.find(id);
  return known == foreseen_.end() ? std::nullopt : std::optional(known->second.latest);
}

void JobPictures::start() {
  looks_.expires_after(kLooks);
  looks_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    foresee();
    start();
  });
}

void JobPictures::foresee() {
  const auto& jobs = scheduler_.cluster().jobs();
  auto at = jobs.lower_bound(next_look_);
  std::size_t made = 0;
  for (std::size_t seen = 0; seen < jobs.size() && made < kForecastsALook; ++seen, ++at) {
    if (at == jobs.end()) at = jobs.begin();
    if (lacks_forecast(at->first, at->second) && forecast(at->first)) ++made;
  }
  next_look_ = at == jobs.end() ? JobId() : at->first;
  slots_wanted_.look(scheduler_, now_());
}

bool JobPictures::lacks_forecast(JobId id, const scheduler::Job& job) const {
  if (is_final(job.state)) return false;
  const auto known = foreseen_.find(id);
  if (known == foreseen_.end()) return true;
  const TimePoint now = now_();
  const Duration age = now - job.submitted_at;
  const Duration apart = std::max({kLooks, age / kForecastsInLife, kUnaskedRarer * forecast_good_for(job)});
  return now - known->second.made_at >= apart;
}

void JobPictures::append_forecasts(wire::Reply::Job& reply, JobId id) const {
  if (const auto known = foreseen_.find(id); known != foreseen_.end()) known->second.track.append_to(reply);
}

void JobPictures::forget(JobId id) {
  drawn_.erase(id);
  foreseen_.erase(id);
}

}  // namespace ontime::master

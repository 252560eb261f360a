#include "master/clients/overview.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ontime::master {
namespace {

using scheduler::Attempt;
using scheduler::AttemptState;
using scheduler::Job;
using scheduler::Task;

constexpr auto kStepCount = static_cast<std::int64_t>(StepMeans::kSteps);

// When the picture ends: an attempt that ended later counts up to then.
TimePoint end_of(const Job& job, TimePoint now) {
  return std::max(scheduler::is_final(job.state) ? job.ended_at : now, job.submitted_at + Duration(1));
}

std::vector<std::uint32_t> scaled(const std::vector<double>& means, double factor) {
  std::vector<std::uint32_t> result;
  for (const double mean : means) result.push_back(static_cast<std::uint32_t>(std::lround(mean * factor)));
  return result;
}

}  // namespace

std::size_t StepMeans::step_of(Duration at) const {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(at / step_, 0, kStepCount - 1));
}

void StepMeans::add(Duration from, Duration to) {
  from = std::max(from, Duration::zero());
  to = std::clamp(to, from, std::max(from, step_ * kStepCount));
  const std::size_t first = step_of(from);
  const std::size_t last = step_of(to);
  const auto begin_of = [&](std::size_t step) { return step_ * static_cast<std::int64_t>(step); };
  if (first == last) {
    part_[first] += (to - from).count();
    return;
  }
  part_[first] += (begin_of(first + 1) - from).count();
  part_[last] += (to - begin_of(last)).count();
  ++change_[first + 1];
  --change_[last];
}

std::vector<double> StepMeans::means() const {
  std::vector<double> result;
  std::int64_t filling = 0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    filling += change_[i];
    result.push_back(static_cast<double>(filling) +
                     static_cast<double>(part_[i]) / static_cast<double>(step_.count()));
  }
  return result;
}

OverviewMaker::OverviewMaker(const scheduler::Cluster& cluster, JobId id, const Job& job, TimePoint now)
    : cluster_(cluster),
      id_(id),
      begin_(job.submitted_at),
      end_(end_of(job, now)),
      step_(Duration(1 + (end_ - begin_).count() / kStepCount)),
      tasks_in_place_(1 + (std::max(job.tasks.size(), 1u) - 1) / static_cast<std::uint32_t>(kPlaces)),
      nodes_(job.nodes.begin(), job.nodes.end()),
      running_(step_),
      places_((job.tasks.size() + tasks_in_place_ - 1) / tasks_in_place_) {
  const std::size_t rows = std::min(nodes_.size(), kRows);
  for (std::size_t i = 0; i < rows; ++i) rows_.emplace_back(step_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) rows_[i * rows / nodes_.size()].nodes.push_back(nodes_[i]);
}

// A node that has begun with the job since the first slice stands with the last ones.
OverviewMaker::Row& OverviewMaker::row_of(NodeId node) {
  if (rows_.empty()) rows_.emplace_back(step_);
  const auto place = std::lower_bound(nodes_.begin(), nodes_.end(), node);
  if (place == nodes_.end() || *place != node) return rows_.back();
  return rows_[static_cast<std::size_t>(place - nodes_.begin()) * rows_.size() / nodes_.size()];
}

bool OverviewMaker::look(const Job& job, std::uint32_t slice) {
  const auto all = static_cast<std::uint32_t>(job.tasks.made().size());
  const std::uint32_t end = slice < all - next_ ? next_ + slice : all;
  for (; next_ < end; ++next_) look_at(job.tasks[next_], next_);
  return next_ >= all;
}

void OverviewMaker::look_at(const Task& task, std::uint32_t index) {
  wire::OverviewPlace& place = places_[index / tasks_in_place_];
  bool is_running = false;
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    const Attempt& attempt = task.attempts[number];
    is_running = is_running || is_live(attempt.state);
    if (attempt.state == AttemptState::Failed) place.set_failed(place.failed() + 1);
    look_at(attempt, {{id_, index}, number});
  }
  if (task.ledger.is_done())
    place.set_done(place.done() + 1);
  else if (is_running)
    place.set_running(place.running() + 1);
}

void OverviewMaker::look_at(const Attempt& attempt, AttemptId id) {
  const TimePoint ended = is_live(attempt.state) ? end_ : std::min(attempt.ended_at, end_);
  const Duration from = attempt.launched_at - begin_;
  const Duration to = std::max(ended - begin_, from);
  Row& row = row_of(attempt.node);
  row.busy.add(from, to);
  row.busy_time += to - from;
  row.mapped_bytes += attempt.offset - std::min(attempt.offset, attempt.start_offset);
  ++row.attempts;
  running_.add(from, to);
  ++attempts_;
  list(longest_, {(to - from).count(), id});
  if (attempt.state != AttemptState::Failed) return;
  ++row.attempts_failed;
  row.failed.resize(StepMeans::kSteps);
  ++row.failed[row.busy.step_of(to)];
  list(failures_, {to_unix_ns(attempt.ended_at), id});
}

void OverviewMaker::list(std::vector<Listed>& all, Listed added) {
  all.push_back(added);
  if (all.size() < 4 * kListed) return;
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(kListed), std::greater(), &Listed::weight);
  all.resize(kListed);
}

void OverviewMaker::fill(wire::OverviewRow& to, const Row& row) const {
  std::uint32_t slots = 0;
  const auto name_of = [&](NodeId id) {
    const scheduler::Node* node = cluster_.find_node(id);
    return node == nullptr ? to_string(id) : node->name;
  };
  for (const NodeId id : row.nodes) {
    const scheduler::Node* node = cluster_.find_node(id);
    slots += node == nullptr ? 1 : node->slots;
  }
  if (!row.nodes.empty()) {
    to.set_first_node(name_of(row.nodes.front()));
    to.set_last_node(name_of(row.nodes.back()));
  }
  to.set_nodes(static_cast<std::uint32_t>(row.nodes.size()));
  to.set_slots(slots);
  const auto busy = scaled(row.busy.means(), 100);
  to.mutable_busy()->Add(busy.begin(), busy.end());
  to.mutable_failed()->Add(row.failed.begin(), row.failed.end());
  to.set_attempts(row.attempts);
  to.set_attempts_failed(row.attempts_failed);
  to.set_mapped_bytes(row.mapped_bytes);
  to.set_busy_ns(row.busy_time.count());
}

void OverviewMaker::fill(google::protobuf::RepeatedPtrField<wire::TaskAttempt>& to, std::vector<Listed> all,
                         const Job& job, const AttemptMessages& failures) const {
  std::ranges::sort(all, std::greater(), [](const Listed& one) { return std::pair(one.weight, one.attempt); });
  if (all.size() > kListed) all.resize(kListed);
  const TaskViews views(cluster_, failures);
  for (const Listed& listed : all) {
    wire::TaskAttempt& added = *to.Add();
    added.set_task(listed.attempt.task.index);
    views.fill(*added.mutable_attempt(), listed.attempt,
               job.tasks[listed.attempt.task.index].attempts[listed.attempt.number]);
  }
}

wire::Overview OverviewMaker::view(const Job& job, const AttemptMessages& failures) const {
  wire::Overview view;
  view.set_made_ns((end_ - begin_).count());
  view.set_step_ns(step_.count());
  const auto running = scaled(running_.means(), 1000);
  view.mutable_running()->Add(running.begin(), running.end());
  view.set_attempts(attempts_);
  for (const Row& row : rows_) fill(*view.add_rows(), row);
  view.set_tasks_in_place(tasks_in_place_);
  for (const wire::OverviewPlace& place : places_) *view.add_places() = place;
  fill(*view.mutable_failures(), failures_, job, failures);
  fill(*view.mutable_longest(), longest_, job, failures);
  return view;
}

void ForecastTrack::add(Duration at, const wire::Forecast& forecast) {
  wire::ForecastPoint point;
  point.set_at_ns(at.count());
  if (forecast.has_pocd()) point.set_pocd(forecast.pocd());
  if (forecast.has_low_ns()) point.set_low_ns(forecast.low_ns());
  if (forecast.has_median_ns()) point.set_median_ns(forecast.median_ns());
  if (forecast.has_high_ns()) point.set_high_ns(forecast.high_ns());
  const std::size_t count = points_.size();
  if (count >= 2 && at - Duration(points_[count - 2].at_ns()) < apart_) {
    points_.back() = std::move(point);
    return;
  }
  points_.push_back(std::move(point));
  if (points_.size() <= kPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points_.size(); i += 2) std::swap(points_[kept++], points_[i]);
  points_.resize(kept);
  apart_ = 2 * Duration(points_.back().at_ns() - points_.front().at_ns()) / static_cast<std::int64_t>(kPoints);
}

void ForecastTrack::append_to(wire::Reply::Job& reply) const {
  for (const wire::ForecastPoint& point : points_) *reply.add_forecasts() = point;
}

}  // namespace ontime::master

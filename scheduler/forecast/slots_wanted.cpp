#include "scheduler/forecast/slots_wanted.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/median.h"

namespace ontime::scheduler {
namespace {

constexpr double kSlotsForCopied = 3;   // of a segment: more are of no use to any policy
constexpr double kNearlyAsGood = 0.01;  // PoCD below the largest cluster's
constexpr double kFineness = 50;        // parts of the answer to which it is sought

// What all that is left, of this job and of others, could ever use.
double slots_of_use(const Remainder& rest) {
  double own = 0;
  double others = 0;
  for (const HeldWork& work : rest.held) own += work.count;
  for (const WaitingWork& work : rest.waiting) own += work.count;
  for (const SlotsOfOthers& slots : rest.others) others += slots.count;
  for (const WorkOfOthers& work : rest.ahead) others += work.count;
  for (const WorkOfOthers& work : rest.behind) others += work.count;
  return (rest.rescue.kind == Rescue::Kind::None ? own : kSlotsForCopied * own) + others;
}

}  // namespace

std::optional<NeededSlots> needed_slots(const RemainingJob& job, const SlotsRule& rule, const SlotsToCome& to_come) {
  if (!job.has_deadline()) return NeededSlots{};
  const auto bounded = [&](double slots) {
    return static_cast<std::uint32_t>(std::clamp(slots, 1.0, static_cast<double>(rule.most)));
  };
  const auto pocd = [&](std::uint32_t slots) { return job.with_slots(slots, to_come).forecast().pocd; };
  std::uint32_t high = bounded(slots_of_use(job.remainder));
  const double best = pocd(high);
  if (std::isnan(best)) return std::nullopt;
  const double goal = std::min(rule.target, best - kNearlyAsGood);
  if (goal <= 0) return NeededSlots{};
  double held = 0;
  for (const HeldWork& work : job.remainder.held) held += work.slots;
  const std::uint32_t busy = held > 0 ? bounded(held) : 0;
  std::uint32_t low = busy > 0 ? busy - 1 : 0;  // is not enough
  while (high > low && high - low > std::max(1.0, high / kFineness)) {
    const std::uint32_t middle = low + (high - low) / 2;
    (pocd(middle) >= goal ? high : low) = middle;
  }
  return NeededSlots{std::max(high, busy), busy};
}

std::uint32_t HeldSlots::update(TimePoint now, std::uint32_t wanted) {
  while (!seen_.empty() && seen_.back().second <= wanted) seen_.pop_back();
  seen_.emplace_back(now, wanted);
  while (now - seen_.front().first > hold_) seen_.pop_front();
  return seen_.front().second;
}

void AwaitedSlots::update(TimePoint now, std::uint32_t there, std::uint32_t wanted) {
  if (there > most_ && !awaited_.empty() && now - awaited_.front().first <= kLongest) {
    starts_.emplace_back(now, seconds(now - awaited_.front().first));
  }
  while (!starts_.empty() && (starts_.size() > kStarts || now - starts_.front().first > kRemembered))
    starts_.pop_front();
  there_ = there;
  while (!awaited_.empty() && awaited_.front().second <= there) awaited_.pop_front();
  most_ = awaited_.empty() ? there : std::max(most_, there);
  TimePoint since = now;
  for (; !awaited_.empty() && awaited_.back().second >= wanted; awaited_.pop_back()) since = awaited_.back().first;
  if (wanted > (awaited_.empty() ? there : awaited_.back().second)) awaited_.emplace_back(since, wanted);
}

Duration AwaitedSlots::start() const {
  if (starts_.empty()) return Duration(0);
  std::vector<double> took;
  for (const auto& [at, start] : starts_) took.push_back(start);
  return from_seconds(median_of(std::move(took)));
}

SlotsToCome AwaitedSlots::to_come(TimePoint now, TimePoint submitted) const {
  const Duration start = this->start();
  SlotsToCome to_come;
  to_come.later = seconds(now + start - submitted);
  std::uint32_t before = there_;
  for (const auto& [since, size] : awaited_) {
    to_come.called.push_back({seconds(since + start - submitted), static_cast<double>(size - before)});
    before = size;
  }
  return to_come;
}

void SlotsWanted::look(const Scheduler& scheduler, TimePoint now) {
  const std::uint32_t there = scheduler.resources().slots();
  if (!began_) began_ = now;
  const bool is_settled = now - *began_ >= kSettled;
  awaited_.update(now, there, is_settled ? count_ : 0);  // who came since
  const auto& jobs = scheduler.cluster().jobs();
  std::erase_if(jobs_, [&](const auto& known) {
    const auto* job = scheduler.cluster().find_job(known.first);
    return job == nullptr || is_final(job->state);
  });
  auto at = jobs.lower_bound(next_);
  std::size_t looked_at = 0;
  std::size_t tasks = 0;
  for (std::size_t seen = 0; seen < jobs.size() && looked_at < kJobsALook && tasks < kTasksALook; ++seen, ++at) {
    if (at == jobs.end()) at = jobs.begin();
    if (is_final(at->second.state)) continue;
    const auto known = jobs_.find(at->first);
    if (known != jobs_.end() && now < known->second.next) continue;
    tasks += look_at(scheduler, at->first, now);
    ++looked_at;
  }
  next_ = at == jobs.end() ? JobId() : at->first;
  std::uint32_t wanted = 0;
  std::uint64_t busy = 0;
  for (const auto& [id, job] : jobs_) {
    wanted = std::max(wanted, job.needed.count);
    busy += job.needed.busy;
  }
  wanted = std::max(wanted, static_cast<std::uint32_t>(std::min<std::uint64_t>(busy, rule_.most)));
  count_ = held_.update(now, wanted);
  if (is_settled) awaited_.update(now, there, count_);
}

std::size_t SlotsWanted::look_at(const Scheduler& scheduler, JobId id, TimePoint now) {
  const auto rest = remaining_job(scheduler, id, now);
  if (!rest) return 0;
  const scheduler::Job& job = *scheduler.cluster().find_job(id);
  const std::size_t tasks = job.tasks.size() - job.tasks_done;
  const Duration apart = std::clamp<Duration>(kApartForTask * tasks, kLeastApart, kMostApart);
  const NeededSlots as_it_is{std::clamp(rest->slots, 1u, rule_.most), 0};
  const SlotsToCome to_come = awaited_.to_come(now, job.submitted_at);
  jobs_[id] = {needed_slots(*rest, rule_, to_come).value_or(as_it_is), now + apart};
  return tasks;
}

}  // namespace ontime::scheduler

#include "master/notices/job_notices.h"

#include <algorithm>
#include <utility>

#include "master/clients/views.h"

namespace ontime::master {

JobNotices::JobNotices(const scheduler::JobSpec& spec, TimePoint now) : moved_at_(now) {
  for (const std::string& text : spec.notify) {
    Result<Notify> notify = read_notify(text);  // as it was when the job was accepted
    all_.push_back(notify ? std::move(*notify) : Notify{});
  }
}

bool JobNotices::asks_whether_stuck() const {
  return std::ranges::any_of(all_, [](const Notify& notify) { return notify.when == Notify::When::Stuck; });
}

void JobNotices::foresee(double pocd, TimePoint now) {
  for (std::uint32_t number = 0; number < all_.size(); ++number) {
    if (all_[number].when != Notify::When::Pocd) continue;
    if (pocd >= all_[number].below)
      low_since_.erase(number);
    else if (now - low_since_.try_emplace(number, now).first->second >= kStaysLow)
      due_.insert(number);
  }
}

void JobNotices::look(const scheduler::Job& job, const Standing& standing, TimePoint now) {
  const bool is_stuck_now = is_stuck(job, standing, now);
  for (std::uint32_t number = 0; number < all_.size(); ++number) {
    const bool is_for_stuck = all_[number].when == Notify::When::Stuck;
    if (is_for_stuck ? is_stuck_now : holds(all_[number], job, now)) due_.insert(number);
  }
}

bool JobNotices::is_stuck(const scheduler::Job& job, const Standing& standing, TimePoint now) {
  const bool others_have_slots = standing.waits_for == kWaitsForSlot;
  if (standing.mapped > mapped_ || others_have_slots || scheduler::is_final(job.state)) {
    mapped_ = std::max(standing.mapped, mapped_);
    moved_at_ = now;
  }
  const Duration timeout = job.spec.attempt_timeout;
  const Duration standing_still = timeout > Duration::zero() && timeout != scheduler::kNoTimeout ? timeout : kStuck;
  return now - moved_at_ >= (standing.waits_for.empty() ? standing_still : kStuckWaiting);
}

}  // namespace ontime::master

#include "worker/agent/job_users.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ontime::worker {

JobUsers::JobUsers(UserRange range, IsBusy is_busy) : is_busy_(std::move(is_busy)) {
  for (std::size_t i = 0; i < range.size(); ++i) waiting_.push_back(range.first + static_cast<uid_t>(i));
}

std::optional<uid_t> JobUsers::take(JobId job) {
  if (const auto found = taken_.find(job); found != taken_.end()) return found->second;
  const auto free = std::find_if_not(waiting_.begin(), waiting_.end(), is_busy_);
  if (free == waiting_.end()) return std::nullopt;
  const uid_t user = *free;
  waiting_.erase(free);
  taken_.emplace(job, user);
  return user;
}

std::vector<uid_t> JobUsers::left_behind() const {
  std::vector<uid_t> users;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(users), is_busy_);
  return users;
}

std::optional<uid_t> JobUsers::give_back(JobId job) {
  const auto taken = taken_.extract(job);
  if (taken.empty()) return std::nullopt;
  waiting_.push_back(taken.mapped());
  return taken.mapped();
}

}  // namespace ontime::worker

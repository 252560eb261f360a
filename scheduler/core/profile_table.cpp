#include "scheduler/core/profile_table.h"

namespace ontime::scheduler {

std::size_t ProfileTable::bytes_of(const std::string& key, const math::DurationSample& sample) {
  const std::size_t durations = sample.finished().size() + sample.censored().size() + sample.launches().size();
  return 2 * key.size() + durations * sizeof(double);
}

const math::DurationSample* ProfileTable::find(const std::string& key) const {
  const auto found = profiles_.find(key);
  return found == profiles_.end() ? nullptr : &found->second.sample;
}

void ProfileTable::update(const std::string& key, const math::DurationSample& sample, TimePoint at) {
  forget(key);
  profiles_.emplace(key, Profile{sample, at});
  order_.emplace(at, key);
  bytes_ += bytes_of(key, sample);
}

void ProfileTable::forget(const std::string& key) {
  const auto found = profiles_.find(key);
  if (found == profiles_.end()) return;
  bytes_ -= bytes_of(key, found->second.sample);
  order_.erase({found->second.updated_at, key});
  profiles_.erase(found);
}

std::optional<std::string> ProfileTable::surplus(std::size_t kept) const {
  if (order_.empty() || (profiles_.size() <= kept && bytes_ <= kBytesMax)) return std::nullopt;
  return order_.begin()->second;
}

}  // namespace ontime::scheduler

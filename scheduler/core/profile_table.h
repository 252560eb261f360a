#pragma once
// What earlier jobs have shown of their applications, by application and parameters. Bounded: parameters can be
// anything, and an `exec` with ever changing commands adds a profile for each. The order of use is the order of the
// updates' times, which are in the records: a replay in any order of keys ends with the same profiles in the same
// order.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/base/time.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

class ProfileTable {
 public:
  static constexpr std::size_t kBytesMax = 16u << 20;    // of all: keys and durations
  static constexpr std::size_t kKeyBytesMax = 64u << 10;  // a job with longer parameters leaves no profile

  const math::DurationSample* find(const std::string& key) const;
  void update(const std::string& key, const math::DurationSample& sample, TimePoint at);
  void forget(const std::string& key);
  // The least recently updated one, while there are more than `kept` or they are too large.
  std::optional<std::string> surplus(std::size_t kept) const;

  std::size_t size() const { return profiles_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Profile {
    math::DurationSample sample;
    TimePoint updated_at;
  };
  static std::size_t bytes_of(const std::string& key, const math::DurationSample& sample);

  std::map<std::string, Profile> profiles_;
  std::set<std::pair<TimePoint, std::string>> order_;  // of update, then of key
  std::size_t bytes_ = 0;
};

}  // namespace ontime::scheduler

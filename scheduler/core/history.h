#pragma once
// What is still remembered, and what is the next to be forgotten: of ended jobs, and of profiles.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

struct Job;

// How many ended jobs, gone nodes and profiles are remembered. What is beyond any limit is forgotten.
struct HistoryLimits {
  std::uint32_t jobs = 1000;
  // The tasks of all these jobs together, because memory and journal grow with tasks. 128 bytes of parameters count as
  // one. The job that has ended last stays, however many it has.
  std::uint64_t tasks = 1'000'000;
  Duration age{0};                 // since the job has ended; 0: any
  std::uint32_t gone_nodes = 100;  // lost or left ones that none of the remembered jobs ran on
  std::uint32_t profiles = 1000;   // of applications with their parameters; see ProfileTable for their bytes
};

class History {
 public:
  explicit History(HistoryLimits limits) : limits_(limits) {}

  void add(JobId id, const Job& job);  // that has ended
  // Takes out the next job that has to be forgotten; nothing if all is within the limits. `newest` stays whatever
  // happens: its number is where counting goes on.
  std::optional<JobId> take_surplus(TimePoint now, JobId newest);
  // When there will be one because of its age, if nothing else happens.
  std::optional<TimePoint> next_expiry(JobId newest) const;

 private:
  struct Ended {
    TimePoint at;
    JobId job;
    std::uint64_t tasks = 0;
    auto operator<=>(const Ended&) const = default;
  };
  std::set<Ended>::const_iterator first_but(JobId newest) const;

  const HistoryLimits limits_;
  std::set<Ended> ended_;
  std::uint64_t tasks_ = 0;
};

// What earlier jobs have shown of their applications, by application and parameters. Bounded: parameters can be
// anything, and an `exec` with ever changing commands adds a profile for each. The order of use is the order of the
// updates' times, which are in the records: a replay in any order of keys ends with the same profiles in the same
// order.
class ProfileTable {
 public:
  static constexpr std::size_t kBytesMax = 16u << 20;  // of all: keys and durations

  const math::DurationSample* find(const std::string& key) const;
  void update(const std::string& key, const math::DurationSample& sample, TimePoint at);
  void forget(const std::string& key);
  // The least recently updated one, while there are more than `kept` or they are too large.
  std::optional<std::string> surplus(std::size_t kept) const;

  std::size_t size() const { return profiles_.size(); }
  std::uint64_t changes() const { return changes_; }  // how often any was updated or forgotten
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
  std::uint64_t changes_ = 0;
};

}  // namespace ontime::scheduler

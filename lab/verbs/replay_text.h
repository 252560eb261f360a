#pragma once
// The result of feeding recordings to the scheduler again, as text and as JSON.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "master/recording/parity.h"

namespace ontime::lab {

struct ReplayedJob {
  std::string application;
  std::string policy;
  TimePoint submitted;
  TimePoint ended;  // epoch: not in the recording
  scheduler::JobState state = scheduler::JobState::Running;
  std::uint64_t records = 0;  // given again
  std::uint64_t decisions = 0;
};

struct Replayed {
  std::vector<recording::EpochReport> epochs;
  std::map<JobId, ReplayedJob> jobs;
  std::uint64_t torn_bytes = 0;
  double wall_seconds = 0;
  bool is_identical = true;
};

// `only`: the one job to tell about; 0: all.
std::string replayed_text(const Replayed& replayed, JobId only);
std::string replayed_json(const Replayed& replayed, JobId only);

}  // namespace ontime::lab

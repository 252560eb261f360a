#pragma once
// What a client may say about how its job is run, and is shown again: as the command line reads it, as it travels
// (wire::JobSettings), and as the scheduler and the journal hold it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.h"

namespace ontime {

// Inputs that are left out instead of failing the job.
struct SkippedInputs {
  std::string kinds;                                       // "unreadable,vanished"; empty: none
  std::map<std::string, std::string, std::less<>> inputs;  // of a job that was accepted: which, and why
  bool operator==(const SkippedInputs&) const = default;
};

struct JobSettings {
  std::string name;             // shown to people; may be empty
  std::int32_t priority = 0;    // of the owner's jobs those with a higher one get slots first
  Duration deadline{0};         // after submission; 0: none
  bool kill_on_miss = false;    // end the job when its deadline has passed, instead of finishing it
  std::string policy = "none";  // of a request, empty: the master's
  std::map<std::string, std::string, std::less<>> policy_parameters;
  std::string estimator = "chronos";            // of completion times: math::estimator_names()
  std::optional<Duration> checkpoint_interval;  // 0: off. Only a request may leave it to what suits the policy
  // Without progress, until an attempt is ended; Duration::max(): never; 0: by what the job's attempts show.
  Duration attempt_timeout{0};
  std::uint32_t attempts_max = 4;  // failures of one segment that fail the job
  std::uint64_t record_bytes_max = 64u << 20;
  std::uint64_t window_bytes_max = 128u << 20;  // what decompressing may look back at, and so keeps in memory
  std::string records;                          // their format: see common/records/formats.h. Empty: lines
  std::string compress;      // part files: "zstd", "gzip:9"; see common/base/compression.h. Empty: not at all
  std::string parts_suffix;  // of their names: ".jsonl"
  SkippedInputs skip;
  bool operator==(const JobSettings&) const = default;
};

// Each member that is one text, number or duration, for what carries all of them on.
#define ONTIME_JOB_SETTINGS(X)                                                                                  \
  X(name)                                                                                                       \
  X(records)                                                                                                    \
  X(compress) X(parts_suffix) X(priority) X(deadline) X(kill_on_miss) X(policy) X(estimator) X(attempt_timeout) \
      X(attempts_max) X(record_bytes_max) X(window_bytes_max)

// Those that a scenario of the lab sets, by these names.
#define ONTIME_SCENARIO_SETTINGS(X) X(estimator) X(attempt_timeout) X(attempts_max) X(kill_on_miss)

}  // namespace ontime

#pragma once
// What attempts have written to stdout and stderr: the end of each, in memory. Nothing depends on it, so it is in no
// journal: after a restart, the master knows what attempts write from then on, and of jobs that had ended before what
// was kept of them (master/history). Bounded for an attempt, a job and all
// jobs; the log that changed longest ago goes first. Control thread only.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/output/attempt_log.h"

namespace ontime::master {

class AttemptLogs {
 public:
  struct Limits {
    std::size_t of_attempt = 64u << 10;
    std::size_t of_job = 16u << 20;
    std::size_t of_all = 256u << 20;
  };
  AttemptLogs() = default;
  explicit AttemptLogs(Limits limits) : limits_(limits) {}

  // `begin`: how many bytes the attempt had written before these. Bytes that are known are not added again.
  void append(AttemptId attempt, const std::string& node, std::uint64_t begin, std::string_view bytes);
  void forget(JobId job);

  // Which logs are asked for.
  struct Question {
    JobId job;
    std::optional<std::uint32_t> task{};     // only this one
    std::optional<std::uint32_t> attempt{};  // only this one of the task
    std::uint64_t since = 0;                 // only what has changed since the slice with this `next`
  };
  // As many of them as fit into one reply, those that changed last at the end.
  struct Slice {
    std::vector<output::AttemptLog> logs;
    std::uint64_t next = 0;
    bool is_partial = false;    // there are more
    std::uint64_t dropped = 0;  // logs of the job that are not kept any more
  };
  Slice slice(const Question& question) const;
  // All of the job's, in order of their attempts.
  std::vector<output::AttemptLog> of(JobId job) const;

 private:
  using Order = std::map<std::uint64_t, AttemptId>;  // by the number of the latest change
  struct Log {
    output::AttemptLog log;
    std::uint64_t change = 0;
  };
  struct Job {
    std::map<AttemptId, Log> logs;
    Order order;
    std::size_t bytes = 0;
    std::uint64_t dropped = 0;  // logs that are not kept any more
  };

  void touch(Job& job, AttemptId attempt, Log& log);
  void drop(AttemptId attempt);

  Limits limits_;
  std::map<JobId, Job> jobs_;
  Order order_;
  std::size_t bytes_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace ontime::master

#pragma once
// Where the work of a job has gone: bytes mapped and machine time, each divided into what was of use and what was not.
// Derived from the ledgers, so it balances by construction:
//
//   mapped = useful + duplicated + dropped + open             (bytes)
//   total  = launch + standby + useful + duplicated + dropped + open   (machine time)
//
// An attempt has mapped [start_offset, offset). Of that, what it sealed is useful. The rest is
//   duplicated  another attempt that was there at the same time has sealed it, or is still at it: a race was lost, or
//               fresh attempts have taken over
//   dropped     it has to be mapped again: the attempt failed, was lost with its node, or was ended with nobody beside
//   it open        the attempt is live and nobody has sealed it yet; 0 once the job has ended
// Each attempt counts from its launch to its end (or to `now`). The time of its launch and the time that a standby
// waits to be told where to begin stand apart; the remaining time is divided like its bytes.
//
// How far a live attempt has got is not durable: of attempts that ended before a restart of the master only what they
// sealed is known, and the time of their launch counts as work.

#include <cstdint>

#include "common/base/time.h"
#include "scheduler/core/cluster.h"

namespace ontime::scheduler {

struct ByteAccount {
  std::uint64_t mapped = 0;
  std::uint64_t useful = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t dropped = 0;
  std::uint64_t open = 0;

  ByteAccount& operator+=(const ByteAccount& other);
  bool operator==(const ByteAccount&) const = default;
};

struct TimeAccount {
  Duration total{0};
  Duration launch{0};
  Duration standby{0};
  Duration useful{0};
  Duration duplicated{0};
  Duration dropped{0};
  Duration open{0};

  TimeAccount& operator+=(const TimeAccount& other);
  bool operator==(const TimeAccount&) const = default;
};

// What attempts did not have to do because they began behind what an earlier attempt of the task had sealed of the same
// range. A restart would have mapped it again. Each byte counts once, for the first attempt that has won behind it. The
// time is what it would have taken at that attempt's own rate, and no more than it did take. In none of the sums above.
struct Saving {
  std::uint64_t bytes = 0;
  Duration time{0};

  Saving& operator+=(const Saving& other);
  bool operator==(const Saving&) const = default;
};

struct JobAccount {
  ByteAccount bytes;
  TimeAccount time;
  Saving saved;
  std::uint32_t attempts = 0;
  std::uint32_t speculative = 0;  // of the attempts
  std::uint32_t resumed = 0;      // attempts that saved something

  JobAccount& operator+=(const JobAccount& other);
  bool operator==(const JobAccount&) const = default;
};

// The account of one attempt. O(segments of the task).
JobAccount account(const Task& task, std::uint32_t attempt, TimePoint now);
// The account of a task and of a job: the sum over its attempts.
JobAccount account(const Task& task, TimePoint now);
JobAccount account(const Job& job, TimePoint now);

}  // namespace ontime::scheduler

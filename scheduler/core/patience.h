#pragma once
// How long an attempt may go without a sign of life before it is ended. Pure functions of what attempts have shown.
//
// A straggler that has stopped looks like one that maps a long record. Two rules keep them apart: the limits follow what
// the job's attempts have shown of the time between two records, and each attempt that is ended on a segment doubles the
// limit for the next one there. So a stopped attempt never holds a job. An attempt that stands still counts as failed: of
// four attempts, which is the default, the last one has eight times the first one's time for a record.

#include <optional>

#include "common/base/time.h"
#include "scheduler/core/attempt.h"
#include "scheduler/core/job.h"
#include "scheduler/core/ledger.h"

namespace ontime::scheduler {

// How often an attempt is looked at for progress: the limit may shrink while it runs.
inline constexpr Duration kStallCheck = std::chrono::seconds(30);

// How long a cut may stay unanswered that somebody waits for: `cut_timeout`, or three times the longest time between two
// offsets that the attempt has reported. At least 30 s while it seals its segment.
Duration answer_limit(const Attempt& attempt, const Segment& segment, Duration cut_timeout);

// How long an attempt of the job may stay at one offset. JobSpec::attempt_timeout if it is given; nothing for
// kNoTimeout. Otherwise 30 s or 20 times the job's usual time between two offsets (of an attempt that has not begun: 20
// times `launch`, the mean launch in seconds), and 10 minutes while that is not known or it seals its segment.
std::optional<Duration> progress_limit(const Job& job, const Attempt& attempt, const Segment& segment,
                                       std::optional<double> launch);

}  // namespace ontime::scheduler

#pragma once
// What policies look at: the open segments of a task, who races for each, and when it will be done.

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "scheduler/estimate/durations.h"
#include "scheduler/policy/view.h"
#include "scheduler/reason.h"

namespace ontime::scheduler {

struct Racer {
  AttemptId id;
  const Attempt* attempt;
  Pace pace;
  double completion;  // when it will seal the piece, seconds after submission; as Pace::reaches
};

// An open segment that somebody works on or will come to.
struct Piece {
  TaskId task;
  ByteRange range;
  std::vector<Racer> racers;  // not empty; the first to be done is first, those of whom nothing is known are last
  bool in_change = false;     // fresh attempts are on their way: let them come first

  double completion() const { return racers.front().completion; }
  // Bytes that the racer who is ahead has left.
  double left() const;
};

std::vector<Piece> open_pieces(const JobView& job, std::uint32_t task);

// Of a task's open pieces: the attempts that are first on none of them, in order of launch on each.
std::vector<AttemptId> slower_racers(const std::vector<Piece>& pieces);
// Why a task's attempts cannot be compared now: fresh ones are on their way, or one has run for less than `launch`
// seconds or shows no pace yet.
std::optional<Reason> unsettled(const std::vector<Piece>& pieces, double launch, TimePoint now);

// Bytes of the task's split; 0 when its end is unknown (a compressed file).
double split_bytes(const JobView& job, std::uint32_t task);
// Of the job's splits, on average; at least 1.
double mean_split_bytes(const JobView& job);
// Age of the attempt's work in seconds: since its first record; 0 while it is being launched.
double age(const Attempt& attempt, TimePoint now);

// (t_min, beta, launch time) of the job's attempts, by the profile, its own attempts or flags.
estimate::Durations durations_of(const View& view, const JobView& job, const estimate::DurationHints& hints);

// The papers' predicted hand-over (Chronos eq. 31, Shed+ eqs. 15, 16): the offset that the racer will have reached when
// a fresh attempt is ready, `launch` seconds from now. Nothing when that is the piece's end or beyond, or when nothing
// is known of its pace.
std::optional<std::uint64_t> handover_offset(const Racer& racer, const Piece& piece, double launch, const JobView& job,
                                             TimePoint now);

}  // namespace ontime::scheduler

#pragma once
// One attempt that this worker runs, as a pure state: which cut is under way, what its runner may still say, how far it
// has got. No I/O; Slots moves it.
//
//   launched -> Started -> (CutAnswer | Sealed)* -> Finished | Failed
//   a standby: launched -> Ready -> begun (by the master's order, kept until it is ready) -> Started -> ...
//
// A runner executes foreign code, so what it says is checked: one Started, an answer only to the cut that was asked,
// one seal more than there were cuts, nothing outside of what the attempt was given or beyond common/protocol/bounds.h.
// What does not fit is an error and ends the runner: passed on, it would cost the worker its connection.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/runner.pb.h"
#include "worker/claim_word.h"
#include "worker/segment_marks.h"

namespace ontime::worker {

inline wire::Ended ended(wire::Failure failure, std::string message) {
  wire::Ended ended;
  ended.set_failure(failure);
  ended.set_message(std::move(message));
  return ended;
}

class Attempt {
 public:
  static constexpr std::size_t kStatusBytesMax = 256;  // of reporter:status

  Attempt(AttemptId id, wire::Order::Launch launch);

  AttemptId id() const { return id_; }
  const wire::Order::Launch& launch() const { return launch_; }

  // Tells a standby to map `range`, which must be a part of what it was launched with. A second call with the same
  // range changes nothing. BadInput for another range, or for an attempt that is no standby.
  Status begin(ByteRange range);
  // What its runner may be told to begin with now, if it has not been told. Followed by on_begun.
  std::optional<ByteRange> next_begin() const;
  void on_begun() { begun_ = true; }

  // Remembers a cut; a standby that has no order to begin has nothing to cut. The master may repeat a request after a
  // reconnect, so a repeated cut is one cut: a request like the cut under way gets the same answer, and of each kind
  // only one waits. Of two that release, the one at the lower offset counts, since "stop here" covers "stop there"
  // behind it. Of two that do not, the newer counts.
  void add_cut(Cut cut);
  // The cut that may be asked of the runner now: none while another is under way. Followed by on_cut_asked.
  std::optional<Cut> next_cut() const;
  void on_cut_asked(std::uint64_t sequence);
  // The one that the runner has been asked for and has not answered.
  const Cut* asked_cut() const { return cut_under_way_ != 0 ? &asked_cut_ : nullptr; }
  // What the runner would say if it answered that one with `at`.
  wire::FromRunner answer(std::uint64_t at) const;
  // What the attempt still works on, by what its runner has reported.
  ByteRange held() const { return {segment_begin_, std::max(segment_begin_, held_end_)}; }

  // Whether the numbers of a message for this attempt can be true. Asked before anything is done with them.
  Status check(const wire::FromRunner& message) const;
  // The runner's message for this attempt, Finished and Failed excluded; gives the report for the master, if any.
  // REQUIRES: check.
  Result<std::optional<wire::Report>> on_message(const wire::FromRunner& message);
  // Error if it cannot have finished: nothing sealed and nothing given back.
  Status on_finished() const;

  // Positions as the shared block shows them. They never go backwards here, whatever the runner writes; an error if
  // they cannot be true.
  Status observe(wire::AttemptProgress positions);
  // How it has come along in its segment, `now` by the clock of the marks. Left out of the progress while they are of a
  // segment that comes behind one whose seal the master has not been told of.
  void observe_segment(const SegmentMarks& marks, Duration now);
  const wire::AttemptProgress& progress() const { return progress_; }
  std::uint64_t offset() const { return progress_.offset(); }

 private:
  ByteRange given() const;  // what it may map, before cuts
  Status check_seal(const wire::Sealed& sealed) const;
  Status check_cut(std::uint64_t at) const;
  Status on_ready();
  Status on_started();
  Status on_cut_answer(std::uint64_t sequence, const wire::CutAnswer& answer);
  Status on_sealed(const wire::Sealed& sealed);

  AttemptId id_;
  wire::Order::Launch launch_;
  std::optional<ByteRange> begin_;   // of a standby that was ordered to
  bool ready_ = false;               // the standby's runner is
  bool begun_;                       // the runner works on its range
  std::vector<Cut> waiting_cuts_;    // in order; at most one of each kind
  Cut asked_cut_;                    // the one under way
  std::uint64_t cut_under_way_ = 0;  // its sequence; 0: none
  std::uint64_t seals_allowed_ = 1;
  bool started_ = false;
  bool sealed_any_ = false;
  bool released_ = false;
  wire::AttemptProgress progress_;
  std::uint64_t segment_begin_;  // of the first that is not reported as sealed
  std::uint64_t held_end_;
};

}  // namespace ontime::worker

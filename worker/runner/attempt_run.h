#pragma once
// One attempt: maps a range of one input file, or of small files one after another, block by block, obeys the cuts that
// come through the progress block, and seals segment after segment. To the mapper, a segment ends with each file. A
// standby gets ready first and waits to be told which part of its range it maps. A new object for each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/app/application.h"
#include "common/base/byte_range.h"
#include "common/files/roots.h"
#include "common/injection/injection.h"
#include "common/protocol/runner.pb.h"
#include "worker/data/record_reader.h"
#include "worker/data/segment_writer.h"
#include "worker/progress_block.h"
#include "worker/runner/cut_points.h"
#include "worker/runner/pace.h"
#include "worker/runner/run_context.h"
#include "worker/runner/runner_channel.h"
#include "worker/runner/segment_meter.h"

namespace ontime::worker {

// Why an attempt is over before it has sealed all it held.
struct AttemptFailure {
  wire::Failure failure = wire::CRASHED;
  std::string message;
};
using AttemptStatus = Result<void, AttemptFailure>;
AttemptFailure to_failure(Fault fault);

// Where a runner may read and write.
struct RunnerPlaces {
  files::Roots input;
  files::Roots output;
  int output_socket = -1;        // not negative: output files are made by the launcher and come from there
  bool syncs_at_commit = false;  // as in ToWorker.Welcome
};
const RunnerPlaces& everywhere();

// What stays the same from one attempt to the next in a runner. All outlive the attempt.
struct RunnerParts {
  app::Mapper& mapper;
  RunContext& context;
  RunnerChannel& channel;
  ProgressBlock& progress;
  RecordRule rule;
  std::size_t block_bytes = RecordReader::kBlockBytes;
  RunClock& clock = steady_run_clock();
  const RunnerPlaces& places = everywhere();
  std::size_t claim_bytes = RecordReader::kBlockBytes;  // at most at a time; 1: one record
  Compression compression{};                            // of the output
};

class AttemptRun {
 public:
  AttemptRun(const RunnerParts& parts, const wire::ToRunner::Run& order);

  // Returns when everything it holds is sealed; the caller reports Finished or the failure.
  AttemptStatus run();

 private:
  AttemptStatus open();
  AttemptStatus await_begin();                          // of a standby
  Outcome<std::string> find_address(std::size_t file);  // of a file of a store
  AttemptStatus map_all();
  void listen_to_mapper();
  void ignore_mapper();
  AttemptStatus step();
  AttemptStatus claim(std::uint64_t end);
  AttemptStatus begin_segment();
  AttemptStatus map(const RecordBlock& block);
  AttemptStatus flush();
  AttemptStatus seal();
  AttemptStatus send_sealed(const SealedBytes& output);
  AttemptStatus send(wire::FromRunner message);
  void measure_next_segment();
  void report_progress();
  std::uint64_t mapped_below(std::uint64_t taken) const;
  void send_note(std::optional<StartPoint> start, std::uint64_t content_bytes);
  void send_status();

  // In attempt_cuts.cpp.
  AttemptStatus answer_cut();
  AttemptStatus send_answer(std::uint64_t at, bool release);
  bool obey_worker();
  bool gives_back(std::uint64_t from);
  std::uint64_t claimed() const;
  std::uint64_t records_before(std::uint64_t place, const RecordBlock& block) const;

  // In attempt_disturbed.cpp: obeying a disturbance.
  AttemptStatus launch_slowly(RunClock::TimePoint since);
  AttemptStatus disturbed_step();
  void start_slowly();
  void sleep_towards(RunClock::TimePoint then);

  RunnerParts parts_;
  const wire::ToRunner::Run& order_;
  const injection::Disturbance disturbance_;
  ByteRange range_;  // what it was begun with
  CutPoints points_;
  std::optional<Pace> pace_;  // only if it is disturbed
  BlockSize block_size_;
  SegmentMeter meter_;
  std::unique_ptr<InputReader> reader_;
  std::unique_ptr<SegmentWriter> writer_;
  StatusLine status_;
  std::uint64_t cut_answered_;               // sequence of the last request that needs no answer
  std::uint64_t records_ = 0;                // of the whole run
  std::optional<std::uint64_t> taken_;       // what the mapper says of the current segment
  std::optional<std::uint64_t> given_back_;  // the block in hand, from there on
  std::uint64_t segment_records_ = 0;
  bool has_address_ = false;     // the one of the order was taken
  bool has_started_ = false;     // Started is sent
  bool has_begun_ = false;       // the mapper knows of the current segment, in the file that begins at file_begin_
  bool has_paid_start_ = false;  // that is waited for on purpose
  std::uint64_t file_begin_ = 0;
  bool has_mapped_ = false;  // something of the current segment
};

}  // namespace ontime::worker

#pragma once
// The worker's end of one runner process: its socket, its shared progress, its stderr, its life. Lives on the worker's
// one thread. Owned by Slots; its reading coroutines keep it alive until the descriptors are closed.
//
//   made -> spawned (process id known) -> exited        `kill` at any time: descriptors closed at once, group killed

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/byte_range.h"
#include "common/base/descriptor.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/net/connection.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/runner.pb.h"
#include "worker/agent/runners/text.h"
#include "worker/agent/session/outboxes.h"
#include "worker/progress_block.h"

namespace ontime::worker {

// The worker's side of a runner's ProgressBlock: makes the memory (memfd, its size sealed so that the runner cannot
// shrink it under the worker), reads positions, writes cut requests.
class SharedProgress {
 public:
  // The descriptor that the runner maps is left in `descriptor`.
  static Result<SharedProgress> make(Descriptor& descriptor);
  SharedProgress(SharedProgress&& other) noexcept;
  SharedProgress& operator=(SharedProgress&&) = delete;
  ~SharedProgress();

  // REQUIRES: the runner is idle, or a standby that waits.
  void reset(std::uint64_t begin);
  // Returns the number of the request. REQUIRES: the one before is answered or its run has ended; not is_cut().
  std::uint64_t request_cut(std::uint64_t at, bool release);
  // In place of the runner: as ClaimWord::cut.
  std::optional<std::uint64_t> cut(Cut wanted, ByteRange held) { return block_->claims.cut(wanted, held, claimed_); }
  // What the worker has cut the runner has not seen yet.
  bool is_cut() const { return block_->claims.is_cut(); }
  // The number of a request that the runner need not see.
  std::uint64_t skip_request() { return ++cut_sequence_; }
  std::uint64_t cut_sequence() const { return cut_sequence_; }

  // What the runner has written, as it is: how far it has got.
  wire::AttemptProgress positions() const;
  std::optional<SegmentMarks> segment() const { return block_->segment.load(); }

 private:
  explicit SharedProgress(ProgressBlock* block) : block_(block) {}
  ProgressBlock* block_;
  std::uint64_t cut_sequence_ = 0;  // kept here: what the runner can write is not trusted
  std::uint64_t claimed_ = 0;       // by the runner when the worker last cut
};

class RunnerLink;

// Receives what runners report. Never called for a runner that kill() was called for.
class RunnerEvents {
 public:
  virtual ~RunnerEvents() = default;
  virtual void on_runner_message(RunnerLink& runner, const wire::FromRunner& message) = 0;
  // It sent bytes that are no message.
  virtual void on_runner_garbled(RunnerLink& runner) = 0;
  // The process has ended and everything it sent has been handed over. Last call.
  virtual void on_runner_over(RunnerLink& runner, int wait_status) = 0;
};

// What the process is given, in the order in which the launcher expects it.
struct RunnerEnds {
  Descriptor socket;
  Descriptor progress_block;
  Descriptor stderr_pipe;
};

class RunnerLink : public std::enable_shared_from_this<RunnerLink> {
 public:
  static constexpr std::size_t kFrameBytesMax = 64u << 10;  // 128 counters with long names fit

  // Makes the descriptors and begins to read. `setup` is the job's. `ends` goes to the launcher. Failed when the
  // process has run out of descriptors or memory.
  static Result<std::shared_ptr<RunnerLink>> make(asio::any_io_executor executor, RunnerEvents& events,
                                                  std::uint64_t number, std::shared_ptr<const wire::JobSetup> setup,
                                                  RunnerEnds& ends);
  ~RunnerLink();

  std::uint64_t number() const { return number_; }  // the worker's own for it
  const std::shared_ptr<const wire::JobSetup>& setup() const { return setup_; }

  // The attempt that it runs; none: idle.
  const std::optional<AttemptId>& attempt() const { return attempt_; }
  void send_setup(const wire::ToRunner::Setup& setup);
  // REQUIRES: idle, not killed.
  void run(AttemptId attempt, wire::ToRunner::Run run);
  // Tells the standby that it runs to map `range`. REQUIRES: it has said that it is ready.
  void begin(ByteRange range, std::optional<wire::StartPoint> start);
  void give_address(wire::ToRunner::Address address);
  void on_finished() { attempt_.reset(); }

  SharedProgress& progress() { return progress_; }
  // Takes what has arrived on stderr meanwhile; the text is this attempt's alone.
  std::string stderr_text();
  // The attempt has told its status: a line of its log, as `exec` takes it.
  void note_status(std::string_view text);
  // What was written since the last call. Takes what has arrived meanwhile too.
  LogPiece take_log();

  void on_spawned(pid_t pid);
  void on_exited(int wait_status);
  // Closes everything and kills the process group, now or as soon as its id is known. Idempotent.
  void kill();
  bool is_killed() const { return killed_; }

 private:
  RunnerLink(asio::any_io_executor executor, RunnerEvents& events, std::uint64_t number,
             std::shared_ptr<const wire::JobSetup> setup, SharedProgress progress);
  Status attach(Descriptor socket, Descriptor stderr_pipe);
  asio::awaitable<void> receive_loop();
  asio::awaitable<void> stderr_loop();
  void drain_stderr();
  void kill_group();
  void tell_if_over();

  RunnerEvents& events_;
  const std::uint64_t number_;
  const std::shared_ptr<const wire::JobSetup> setup_;
  SharedProgress progress_;
  std::shared_ptr<net::Connection> connection_;
  asio::posix::stream_descriptor stderr_;
  StderrTail tail_;
  std::uint64_t log_taken_ = 0;  // of what the attempt has written
  std::optional<AttemptId> attempt_;
  pid_t pid_ = 0;  // also the process group; 0: not known yet
  std::optional<int> wait_status_;
  bool socket_over_ = false;
  bool killed_ = false;
};

}  // namespace ontime::worker

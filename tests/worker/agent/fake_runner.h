#pragma once
// The far end of a RunnerLink in the hands of a test: reads what the worker sends, says what a runner might say. A real
// process group stands for the runner, so that a kill can be seen.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/descriptor.h"
#include "common/protocol/frame.h"
#include "common/protocol/runner.pb.h"
#include "worker/progress_block.h"

namespace ontime::worker::test {

class FakeRunner {
 public:
  FakeRunner(std::uint64_t number, Descriptor socket, Descriptor block, Descriptor stderr_pipe);
  ~FakeRunner();

  std::uint64_t number() const { return number_; }
  pid_t pid() const { return pid_; }  // of a process that only waits
  ProgressBlock& block() { return *block_; }

  // The next message, if it has arrived.
  std::optional<wire::ToRunner> next();
  // The next message must be a Run; it is remembered and its attempt speaks from now on.
  bool takes_run();
  const wire::ToRunner::Run& run() const { return run_; }

  void is_ready();  // a standby
  // The next message must be a Begin, which is remembered as the run's range.
  bool takes_begin();
  void starts();
  void answers_cut(std::uint64_t at);  // the request in the block
  void seals(std::uint64_t begin, std::uint64_t end);
  void finishes();
  void fails(wire::Failure failure, const std::string& message);
  void says(wire::FromRunner message);
  void sends_bytes(std::string_view bytes);
  // As much as the pipe takes; the number of bytes.
  std::size_t writes_stderr(std::string_view text);

  // As the process's end would: both descriptors close.
  void closes();
  // Whether the worker has killed the process group. Waits for that, so ask only where it should have happened.
  bool was_killed();
  bool is_alive() const;

 private:
  const std::uint64_t number_;
  Descriptor socket_;
  Descriptor stderr_;
  ProgressBlock* block_;
  protocol::FrameDecoder decoder_;
  wire::ToRunner::Run run_;
  pid_t pid_;
};

}  // namespace ontime::worker::test

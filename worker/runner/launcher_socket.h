#pragma once
// The launcher's end of the socket to its worker: orders with descriptors attached come in, reports go out. Blocking;
// both sides always send whole frames.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/runner.pb.h"
#include "worker/runner/runner_process.h"

namespace ontime::worker {

struct SpawnOrder {
  std::uint64_t runner = 0;  // the worker's number for it
  uid_t user = 0;            // 0: as the launcher's confinement says
  RunnerDescriptors descriptors;
};

// The attempt that the runner is given next writes to this file.
struct OutputOrder {
  std::uint64_t runner = 0;
  std::string path;
};

// All processes of this user end.
struct SweepOrder {
  uid_t user = 0;
};

using LauncherOrder = std::variant<SpawnOrder, OutputOrder, SweepOrder>;

class LauncherSocket {
 public:
  explicit LauncherSocket(Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // The next order, waiting for it; nothing when the worker has closed its end.
  Result<std::optional<LauncherOrder>> receive();
  Status send(const wire::FromLauncher& message);

 private:
  // Fills `to` and collects the descriptors that come along; false if the stream ends before.
  Result<bool> receive_exactly(char* to, std::size_t size, std::vector<Descriptor>& attached);

  Descriptor socket_;
  std::string outgoing_;  // reused
};

}  // namespace ontime::worker

#pragma once
// The ends of sockets to the worker that its launcher and its runners have: whole messages, blocking.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/protocol/frame.h"
#include "common/protocol/runner.pb.h"

namespace ontime::worker {

class WorkerChannel {
 public:
  WorkerChannel(Descriptor socket, std::size_t payload_bytes_max)
      : socket_(std::move(socket)), decoder_(payload_bytes_max) {}

  int descriptor() const { return socket_.get(); }
  // Waits for the next message; false when the worker has closed its end.
  Result<bool> receive(google::protobuf::MessageLite& message);
  // Something of what comes next is here already, and the descriptor need not tell of it.
  bool has_begun_next() const { return decoder_.has_partial_frame(); }
  // The first `count` descriptors that have come and were not taken; fewer if there are no more. Those of the next
  // message may be here already, as one read can take the end of a message and the begin of the next.
  std::vector<Descriptor> take_attached(std::size_t count);
  // Waits as long as it takes. An error means that the worker is gone.
  Status send(const google::protobuf::MessageLite& message);

 private:
  Descriptor socket_;
  protocol::FrameDecoder decoder_;
  std::vector<Descriptor> attached_;
  std::string outgoing_;  // reused
};

// A runner's.
class RunnerChannel {
 public:
  explicit RunnerChannel(Descriptor socket) : channel_(std::move(socket), kPayloadBytesMax) {}

  // The next order; nothing when the worker has closed its end.
  Result<std::optional<wire::ToRunner>> receive();
  Status send(const wire::FromRunner& message);

 private:
  static constexpr std::size_t kPayloadBytesMax = 16u << 20;
  WorkerChannel channel_;
};

}  // namespace ontime::worker

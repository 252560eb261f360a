#pragma once
// The runner's end of the socket to its worker: whole messages, blocking. The launcher sends through one too.

#include <optional>
#include <string>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/protocol/frame.h"
#include "common/protocol/runner.pb.h"

namespace ontime::worker {

class RunnerChannel {
 public:
  explicit RunnerChannel(Descriptor socket) : socket_(std::move(socket)) {}

  // The next order; nothing when the worker has closed its end.
  Result<std::optional<wire::ToRunner>> receive();
  // An error means that the worker is gone.
  Status send(const wire::FromRunner& message);

 private:
  static constexpr std::size_t kPayloadBytesMax = 16u << 20;
  Result<bool> read_more();  // false at the end

  Descriptor socket_;
  protocol::FrameDecoder decoder_{kPayloadBytesMax};
  std::string outgoing_;  // reused
};

// Sends all of `bytes`, waiting as long as it takes; no SIGPIPE.
Status send_all(int socket, std::string_view bytes);

}  // namespace ontime::worker

#include "worker/runner/runner_channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/kill_point.h"

namespace ontime::worker {

Result<std::optional<wire::ToRunner>> RunnerChannel::receive() {
  for (;;) {
    auto payload = decoder_.next();
    if (!payload) return std::move(payload).error();
    if (payload->has_value()) {
      wire::ToRunner message;
      if (!message.ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size()))) {
        return failed("the worker sent a message that cannot be read");
      }
      pass_kill_point("run-received");
      return std::optional(std::move(message));
    }
    auto more = read_more();
    if (!more) return std::move(more).error();
    if (!*more) return std::optional<wire::ToRunner>();
  }
}

Result<bool> RunnerChannel::read_more() {
  const auto space = decoder_.space();
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), space.data(), space.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(std::string("cannot read from the worker: ") + std::strerror(errno));
    decoder_.received(static_cast<std::size_t>(got));
    return got > 0;
  }
}

Status RunnerChannel::send(const wire::FromRunner& message) {
  outgoing_.clear();
  protocol::append_frame(outgoing_, message);
  pass_kill_point("event-before-send");
  Status sent = send_all(socket_.get(), outgoing_);
  pass_kill_point("event-sent");
  return sent;
}

Status send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(std::string("cannot write to the worker: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace ontime::worker

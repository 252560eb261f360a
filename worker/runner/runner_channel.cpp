#include "worker/runner/runner_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "common/base/kill_point.h"

namespace ontime::worker {

Result<bool> WorkerChannel::receive(google::protobuf::MessageLite& message) {
  for (;;) {
    const auto payload = decoder_.next();
    if (!payload) return payload.error();
    if (*payload) {
      if (message.ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size()))) return true;
      return failed("the worker sent a message that cannot be read");
    }
    const ssize_t got = receive_attached(socket_.get(), decoder_.space(), attached_);
    if (got < 0) return failed(std::string("cannot read from the worker: ") + std::strerror(errno));
    if (got == 0) return false;
    decoder_.received(static_cast<std::size_t>(got));
  }
}

std::vector<Descriptor> WorkerChannel::take_attached(std::size_t count) {
  const auto end = attached_.begin() + static_cast<std::ptrdiff_t>(std::min(count, attached_.size()));
  std::vector<Descriptor> taken(std::make_move_iterator(attached_.begin()), std::make_move_iterator(end));
  attached_.erase(attached_.begin(), end);
  return taken;
}

Status WorkerChannel::send(const google::protobuf::MessageLite& message) {
  outgoing_.clear();
  protocol::append_frame(outgoing_, message);
  for (std::string_view rest = outgoing_; !rest.empty();) {
    const ssize_t put = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(std::string("cannot write to the worker: ") + std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<std::optional<wire::ToRunner>> RunnerChannel::receive() {
  wire::ToRunner message;
  const auto came = channel_.receive(message);
  if (!came) return came.error();
  if (!*came) return std::optional<wire::ToRunner>();
  pass_kill_point("run-received");
  return std::optional(std::move(message));
}

Status RunnerChannel::send(const wire::FromRunner& message) {
  pass_kill_point("event-before-send");
  Status sent = channel_.send(message);
  pass_kill_point("event-sent");
  return sent;
}

}  // namespace ontime::worker

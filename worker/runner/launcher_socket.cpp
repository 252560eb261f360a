#include "worker/runner/launcher.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/protocol/frame.h"
#include "worker/runner/runner_channel.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kDescriptors = 3;
constexpr std::uint32_t kPayloadBytesMax = 16u << 10;

void collect(msghdr& header, std::vector<Descriptor>& attached) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      attached.emplace_back(fd);
    }
  }
}

std::uint32_t length_of(const std::array<char, protocol::kFrameHeaderBytes>& header) {
  std::uint32_t length = 0;
  for (std::size_t i = header.size(); i-- > 0;) length = length << 8 | static_cast<unsigned char>(header[i]);
  return length;
}

}  // namespace

Result<std::optional<LauncherOrder>> LauncherSocket::receive() {
  std::vector<Descriptor> attached;
  std::array<char, protocol::kFrameHeaderBytes> header;
  auto came = receive_exactly(header.data(), header.size(), attached);
  if (!came) return std::move(came).error();
  if (!*came) return std::optional<LauncherOrder>();
  if (length_of(header) > kPayloadBytesMax) return failed("the worker sent an order of impossible length");
  std::string payload(length_of(header), '\0');
  came = receive_exactly(payload.data(), payload.size(), attached);
  if (!came) return std::move(came).error();
  wire::ToLauncher order;
  if (!*came || !order.ParseFromString(payload)) return failed("the worker sent an order that cannot be read");
  if (order.has_open_output()) {
    return std::optional<LauncherOrder>(OutputOrder{order.open_output().runner(), order.open_output().path()});
  }
  if (order.has_sweep()) return std::optional<LauncherOrder>(SweepOrder{order.sweep().user()});
  if (!order.has_spawn()) return failed("the worker sent an order that means nothing");
  if (attached.size() != kDescriptors) return failed("the worker sent an order without its three descriptors");
  RunnerDescriptors descriptors{std::move(attached[0]), std::move(attached[1]), std::move(attached[2])};
  return std::optional<LauncherOrder>(SpawnOrder{order.spawn().runner(), order.spawn().user(), std::move(descriptors)});
}

Result<bool> LauncherSocket::receive_exactly(char* to, std::size_t size, std::vector<Descriptor>& attached) {
  while (size > 0) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptors * sizeof(int))> control;
    iovec piece{to, size};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(std::string("cannot read from the worker: ") + std::strerror(errno));
    collect(header, attached);
    if (got == 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

Status LauncherSocket::send(const wire::FromLauncher& message) {
  outgoing_.clear();
  protocol::append_frame(outgoing_, message);
  return send_all(socket_.get(), outgoing_);
}

}  // namespace ontime::worker

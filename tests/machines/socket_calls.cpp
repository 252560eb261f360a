// Calls on sockets and pipes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/machines/calls.h"
#include "tests/machines/network.h"

namespace ontime::lab::machines {
namespace {

// The loopback is the machine itself.
SocketAddress address_in(Thread& here, const sockaddr* from) {
  sockaddr_in in{};
  std::memcpy(&in, from, sizeof in);
  std::uint32_t host = ntohl(in.sin_addr.s_addr);
  if (host >> 24 == 127 || host == 0) host = here.process().machine().address();
  return {host, ntohs(in.sin_port)};
}

void give_address(SocketAddress address, sockaddr* to, socklen_t* size) {
  if (to == nullptr) return;
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = htons(address.port);
  in.sin_addr.s_addr = htonl(address.host);
  std::memcpy(to, &in, std::min<std::size_t>(*size, sizeof in));
  *size = sizeof in;
}

void give_local(sockaddr* to, socklen_t* size) {
  const sa_family_t family = AF_UNIX;
  std::memcpy(to, &family, std::min<std::size_t>(*size, sizeof family));
  *size = sizeof family;
}

int accept(Thread& here, int descriptor, sockaddr* address, socklen_t* size, int flags) {
  const auto listener = file_at<TcpSocket>(here, descriptor);
  if (!listener) return given(-EBADF);
  std::shared_ptr<TcpSocket> socket;
  while (!(socket = listener->accept())) {
    if (listener->does_not_block) return given(-EAGAIN);
    here.wait(listener->changed);
  }
  give_address(socket->remote(), address, size);
  socket->does_not_block = (flags & SOCK_NONBLOCK) != 0;
  return here.process().add(socket, (flags & SOCK_CLOEXEC) != 0);
}

ssize_t receive(Thread& here, int descriptor, void* to, std::size_t size, int flags) {
  const FilePointer file = here.process().at(descriptor);
  if (!file) return -EBADF;
  const bool looks = (flags & MSG_PEEK) != 0;
  return waited(here, *file, (flags & MSG_DONTWAIT) == 0, [&]() -> ssize_t {
    if (const auto tcp = std::dynamic_pointer_cast<TcpSocket>(file)) return tcp->receive(to, size, looks);
    if (const auto local = std::dynamic_pointer_cast<LocalEnd>(file)) return local->receive(to, size, looks);
    return -ENOTSOCK;
  });
}

ssize_t send(Thread& here, int descriptor, const void* from, std::size_t size, int flags) {
  const FilePointer file = here.process().at(descriptor);
  if (!file) return -EBADF;
  return waited(here, *file, (flags & MSG_DONTWAIT) == 0, [&] { return file->write(from, size); });
}

// The descriptors that are sent along.
std::vector<Held> attached_in(Thread& here, const msghdr& message) {
  std::vector<Held> files;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + at, sizeof descriptor);
      files.emplace_back(here.process().at(descriptor));
    }
  }
  return files;
}

void give_attached(Thread& here, std::vector<Held> files, msghdr& message) {
  const std::size_t bytes = files.size() * sizeof(int);
  if (files.empty() || message.msg_controllen < CMSG_SPACE(bytes)) {
    message.msg_controllen = 0;
    return;
  }
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const int descriptor = here.process().add(files[i].get(), true);
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &descriptor, sizeof descriptor);
  }
  message.msg_controllen = CMSG_SPACE(bytes);
}

ssize_t send_message(Thread& here, int descriptor, const msghdr& message, int flags) {
  const auto local = file_at<LocalEnd>(here, descriptor);
  if (local && message.msg_controllen > 0) local->attach(attached_in(here, message));
  ssize_t total = 0;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    const iovec& piece = message.msg_iov[i];
    if (piece.iov_len == 0) continue;
    const ssize_t size =
        send(here, descriptor, piece.iov_base, piece.iov_len, total > 0 ? flags | MSG_DONTWAIT : flags);
    if (size < 0) return total > 0 ? total : size;
    total += size;
    if (static_cast<std::size_t>(size) < piece.iov_len) break;
  }
  return total;
}

ssize_t receive_message(Thread& here, int descriptor, msghdr& message, int flags) {
  iovec piece{};
  for (std::size_t i = 0; i < message.msg_iovlen && piece.iov_len == 0; ++i) piece = message.msg_iov[i];
  const auto local = file_at<LocalEnd>(here, descriptor);
  const bool wants_attached = local && message.msg_controllen > 0;
  // What is attached comes with its first byte.
  if (wants_attached) {
    const ssize_t there = waited(here, *local, (flags & MSG_DONTWAIT) == 0, [&] {
      char first = 0;
      return local->receive(&first, 1, true);
    });
    if (there <= 0) {
      message.msg_controllen = 0;
      return there;
    }
    give_attached(here, local->detach(), message);
  }
  message.msg_flags = 0;
  message.msg_namelen = 0;
  return receive(here, descriptor, piece.iov_base, piece.iov_len, flags);
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_SIMULATE(int, socket, (domain, type, protocol), int domain, int type, int protocol) {
  if (domain != AF_INET || (type & 0xf) != SOCK_STREAM) return given(-EAFNOSUPPORT);
  auto& machine = here.process().machine();
  const auto socket = std::make_shared<TcpSocket>(*machine.cluster().network, machine.address());
  socket->does_not_block = (type & SOCK_NONBLOCK) != 0;
  return here.process().add(socket, (type & SOCK_CLOEXEC) != 0);
}

ONTIME_SIMULATE(int, socketpair, (domain, type, protocol, ends), int domain, int type, int protocol, int* ends) {
  auto [one, other] = LocalEnd::make_pair(S_IFSOCK);
  ends[0] = here.process().add(std::move(one), (type & SOCK_CLOEXEC) != 0);
  ends[1] = here.process().add(std::move(other), (type & SOCK_CLOEXEC) != 0);
  return 0;
}

ONTIME_SIMULATE(int, pipe2, (ends, flags), int* ends, int flags) {
  auto [read_end, write_end] = LocalEnd::make_pair(S_IFIFO);
  ends[0] = here.process().add(std::move(read_end), (flags & O_CLOEXEC) != 0);
  ends[1] = here.process().add(std::move(write_end), (flags & O_CLOEXEC) != 0);
  return 0;
}

ONTIME_SIMULATE(int, pipe, (ends), int* ends) { return simulate_pipe2(here, ends, 0); }

ONTIME_SIMULATE(int, bind, (descriptor, address, size), int descriptor, const sockaddr* address, socklen_t size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  return given(socket ? socket->bind(address_in(here, address)) : -EBADF);
}

ONTIME_SIMULATE(int, listen, (descriptor, backlog), int descriptor, int backlog) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  return given(socket ? socket->listen(backlog) : -EBADF);
}

ONTIME_SIMULATE(int, connect, (descriptor, address, size), int descriptor, const sockaddr* address, socklen_t size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  if (!socket) return given(-EBADF);
  int result = socket->connect(address_in(here, address));
  while (result == -EINPROGRESS && !socket->does_not_block) {
    here.wait(socket->changed);
    if (socket->is_connected()) return 0;
    if (const int error = socket->take_error(); error != 0) result = -error;
  }
  return given(result);
}

ONTIME_SIMULATE(int, accept, (descriptor, address, size), int descriptor, sockaddr* address, socklen_t* size) {
  return accept(here, descriptor, address, size, 0);
}

ONTIME_SIMULATE(int, accept4, (descriptor, address, size, flags), int descriptor, sockaddr* address, socklen_t* size,
                int flags) {
  return accept(here, descriptor, address, size, flags);
}

ONTIME_SIMULATE(int, getsockname, (descriptor, address, size), int descriptor, sockaddr* address, socklen_t* size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  socket ? give_address(socket->local(), address, size) : give_local(address, size);
  return 0;
}

ONTIME_SIMULATE(int, getpeername, (descriptor, address, size), int descriptor, sockaddr* address, socklen_t* size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  if (socket && !socket->is_connected()) return given(-ENOTCONN);
  socket ? give_address(socket->remote(), address, size) : give_local(address, size);
  return 0;
}

ONTIME_SIMULATE(int, setsockopt, (descriptor, level, option, value, size), int descriptor, int level, int option,
                const void* value, socklen_t size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  if (!socket) return 0;
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  if (level == SOL_SOCKET && option == SO_RCVLOWAT) {
    socket->receive_low_water = number;
    socket->change();
  }
  if (level == SOL_SOCKET && option == SO_SNDBUF) socket->send_buffer = 2 * static_cast<std::size_t>(number);
  if (level == SOL_SOCKET && option == SO_KEEPALIVE) socket->keeps_alive = number != 0;
  if (level == IPPROTO_TCP && option == TCP_USER_TIMEOUT) socket->user_timeout = std::chrono::milliseconds(number);
  return 0;
}

ONTIME_SIMULATE(int, getsockopt, (descriptor, level, option, value, size), int descriptor, int level, int option,
                void* value, socklen_t* size) {
  const auto socket = file_at<TcpSocket>(here, descriptor);
  int number = 0;
  if (socket && level == SOL_SOCKET && option == SO_ERROR) number = socket->take_error();
  if (socket && level == SOL_SOCKET && option == SO_ACCEPTCONN) number = socket->is_listening() ? 1 : 0;
  if (level == SOL_SOCKET && option == SO_TYPE) number = SOCK_STREAM;
  std::memcpy(value, &number, std::min<std::size_t>(*size, sizeof number));
  return 0;
}

ONTIME_SIMULATE(int, shutdown, (descriptor, how), int descriptor, int how) {
  const FilePointer file = here.process().at(descriptor);
  const auto tcp = std::dynamic_pointer_cast<TcpSocket>(file);
  if (how == SHUT_RDWR && tcp) tcp->shut_down_reading();
  if (how == SHUT_RD) return 0;
  if (tcp) tcp->shut_down_writing();
  if (const auto local = std::dynamic_pointer_cast<LocalEnd>(file)) local->shut_down_writing();
  return 0;
}

ONTIME_SIMULATE(ssize_t, recv, (descriptor, to, size, flags), int descriptor, void* to, std::size_t size, int flags) {
  return given(receive(here, descriptor, to, size, flags));
}

ONTIME_SIMULATE(ssize_t, send, (descriptor, from, size, flags), int descriptor, const void* from, std::size_t size,
                int flags) {
  return given(send(here, descriptor, from, size, flags));
}

ONTIME_SIMULATE(ssize_t, recvmsg, (descriptor, message, flags), int descriptor, msghdr* message, int flags) {
  return given(receive_message(here, descriptor, *message, flags));
}

ONTIME_SIMULATE(ssize_t, sendmsg, (descriptor, message, flags), int descriptor, const msghdr* message, int flags) {
  return given(send_message(here, descriptor, *message, flags));
}

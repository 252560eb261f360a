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

#include "lab/machines/calls.h"
#include "lab/machines/network.h"

namespace ontime::lab::machines {
namespace {

std::shared_ptr<TcpSocket> tcp_at(Thread& here, int descriptor) {
  return std::dynamic_pointer_cast<TcpSocket>(here.process().at(descriptor));
}

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

int make_socket(Thread& here, int domain, int type) {
  if (domain != AF_INET || (type & 0xf) != SOCK_STREAM) return given(-EAFNOSUPPORT);
  auto& machine = here.process().machine();
  const auto socket = std::make_shared<TcpSocket>(*machine.cluster().network, machine.address());
  socket->does_not_block = (type & SOCK_NONBLOCK) != 0;
  return here.process().add(socket, (type & SOCK_CLOEXEC) != 0);
}

int connect(Thread& here, int descriptor, const sockaddr* address) {
  const auto socket = tcp_at(here, descriptor);
  if (!socket) return given(-EBADF);
  int result = socket->connect(address_in(here, address));
  while (result == -EINPROGRESS && !socket->does_not_block) {
    here.wait(socket->changed);
    if (socket->is_connected()) return 0;
    if (const int error = socket->take_error(); error != 0) result = -error;
  }
  return given(result);
}

int accept(Thread& here, int descriptor, sockaddr* address, socklen_t* size, int flags) {
  const auto listener = tcp_at(here, descriptor);
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
  const auto local = std::dynamic_pointer_cast<LocalEnd>(here.process().at(descriptor));
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
  const auto local = std::dynamic_pointer_cast<LocalEnd>(here.process().at(descriptor));
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

int set_option(Thread& here, int descriptor, int level, int option, const void* value) {
  const auto socket = tcp_at(here, descriptor);
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

int get_option(Thread& here, int descriptor, int level, int option, void* value, socklen_t* size) {
  const auto socket = tcp_at(here, descriptor);
  int number = 0;
  if (socket && level == SOL_SOCKET && option == SO_ERROR) number = socket->take_error();
  if (socket && level == SOL_SOCKET && option == SO_ACCEPTCONN) number = socket->is_listening() ? 1 : 0;
  if (level == SOL_SOCKET && option == SO_TYPE) number = SOCK_STREAM;
  std::memcpy(value, &number, std::min<std::size_t>(*size, sizeof number));
  return 0;
}

int make_pipe(Thread& here, int* ends, int flags) {
  auto [read_end, write_end] = LocalEnd::make_pair(S_IFIFO);
  ends[0] = here.process().add(std::move(read_end), (flags & O_CLOEXEC) != 0);
  ends[1] = here.process().add(std::move(write_end), (flags & O_CLOEXEC) != 0);
  return 0;
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_CALL(int, socket, int domain, int type, int protocol) {
  Thread* const here = caller();
  return here != nullptr ? make_socket(*here, domain, type) : ONTIME_REAL(socket)(domain, type, protocol);
}

ONTIME_CALL(int, socketpair, int domain, int type, int protocol, int* ends) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(socketpair)(domain, type, protocol, ends);
  auto [one, other] = LocalEnd::make_pair(S_IFSOCK);
  ends[0] = here->process().add(std::move(one), (type & SOCK_CLOEXEC) != 0);
  ends[1] = here->process().add(std::move(other), (type & SOCK_CLOEXEC) != 0);
  return 0;
}

ONTIME_CALL(int, pipe, int* ends) {
  Thread* const here = caller();
  return here != nullptr ? make_pipe(*here, ends, 0) : ONTIME_REAL(pipe)(ends);
}

ONTIME_CALL(int, pipe2, int* ends, int flags) {
  Thread* const here = caller();
  return here != nullptr ? make_pipe(*here, ends, flags) : ONTIME_REAL(pipe2)(ends, flags);
}

ONTIME_CALL(int, bind, int descriptor, const sockaddr* address, socklen_t size) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(bind)(descriptor, address, size);
  const auto socket = tcp_at(*here, descriptor);
  return given(socket ? socket->bind(address_in(*here, address)) : -EBADF);
}

ONTIME_CALL(int, listen, int descriptor, int backlog) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(listen)(descriptor, backlog);
  const auto socket = tcp_at(*here, descriptor);
  return given(socket ? socket->listen(backlog) : -EBADF);
}

ONTIME_CALL(int, connect, int descriptor, const sockaddr* address, socklen_t size) {
  Thread* const here = caller();
  return here != nullptr ? connect(*here, descriptor, address) : ONTIME_REAL(connect)(descriptor, address, size);
}

ONTIME_CALL(int, accept, int descriptor, sockaddr* address, socklen_t* size) {
  Thread* const here = caller();
  return here != nullptr ? accept(*here, descriptor, address, size, 0) : ONTIME_REAL(accept)(descriptor, address, size);
}

ONTIME_CALL(int, accept4, int descriptor, sockaddr* address, socklen_t* size, int flags) {
  Thread* const here = caller();
  return here != nullptr ? accept(*here, descriptor, address, size, flags)
                         : ONTIME_REAL(accept4)(descriptor, address, size, flags);
}

ONTIME_CALL(int, getsockname, int descriptor, sockaddr* address, socklen_t* size) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(getsockname)(descriptor, address, size);
  const auto socket = tcp_at(*here, descriptor);
  socket ? give_address(socket->local(), address, size) : give_local(address, size);
  return 0;
}

ONTIME_CALL(int, getpeername, int descriptor, sockaddr* address, socklen_t* size) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(getpeername)(descriptor, address, size);
  const auto socket = tcp_at(*here, descriptor);
  if (socket && !socket->is_connected()) return given(-ENOTCONN);
  socket ? give_address(socket->remote(), address, size) : give_local(address, size);
  return 0;
}

ONTIME_CALL(int, setsockopt, int descriptor, int level, int option, const void* value, socklen_t size) {
  Thread* const here = caller();
  return here != nullptr ? set_option(*here, descriptor, level, option, value)
                         : ONTIME_REAL(setsockopt)(descriptor, level, option, value, size);
}

ONTIME_CALL(int, getsockopt, int descriptor, int level, int option, void* value, socklen_t* size) {
  Thread* const here = caller();
  return here != nullptr ? get_option(*here, descriptor, level, option, value, size)
                         : ONTIME_REAL(getsockopt)(descriptor, level, option, value, size);
}

ONTIME_CALL(int, shutdown, int descriptor, int how) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(shutdown)(descriptor, how);
  const FilePointer file = here->process().at(descriptor);
  if (how == SHUT_RD) return 0;
  if (const auto tcp = std::dynamic_pointer_cast<TcpSocket>(file)) tcp->shut_down_writing();
  if (const auto local = std::dynamic_pointer_cast<LocalEnd>(file)) local->shut_down_writing();
  return 0;
}

ONTIME_CALL(ssize_t, recv, int descriptor, void* to, std::size_t size, int flags) {
  Thread* const here = caller();
  return here != nullptr ? given(receive(*here, descriptor, to, size, flags))
                         : ONTIME_REAL(recv)(descriptor, to, size, flags);
}

ONTIME_CALL(ssize_t, send, int descriptor, const void* from, std::size_t size, int flags) {
  Thread* const here = caller();
  return here != nullptr ? given(send(*here, descriptor, from, size, flags))
                         : ONTIME_REAL(send)(descriptor, from, size, flags);
}

ONTIME_CALL(ssize_t, recvmsg, int descriptor, msghdr* message, int flags) {
  Thread* const here = caller();
  return here != nullptr ? given(receive_message(*here, descriptor, *message, flags))
                         : ONTIME_REAL(recvmsg)(descriptor, message, flags);
}

ONTIME_CALL(ssize_t, sendmsg, int descriptor, const msghdr* message, int flags) {
  Thread* const here = caller();
  return here != nullptr ? given(send_message(*here, descriptor, *message, flags))
                         : ONTIME_REAL(sendmsg)(descriptor, message, flags);
}

#include "common/http/take_rest.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "common/base/units.h"
#include "common/http/client.h"

namespace ontime::http {
namespace {

constexpr std::uint64_t kLong = 1u << 20;
constexpr std::size_t kPieceBytes = 128u << 10;
constexpr int kPieceMilliseconds = 20;  // then what has come is taken, even if it is less

}  // namespace

bool may_take_rest(const httplib::ClientImpl& client, const httplib::Response& head, std::uint64_t size) {
  return size >= kLong && !is_encrypted(client) && !head.has_header("Transfer-Encoding") &&
         number_in<std::uint64_t>(head.get_header_value("Content-Length")) == size;
}

void take_rest(int socket, std::uint64_t size, Sink& sink) {
  for (int enough = 0; size > 0;) {
    const std::span<char> room = sink.room();
    if (room.empty()) return;
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>({size, room.size(), kPieceBytes}));
    if (enough != static_cast<int>(most)) {
      enough = static_cast<int>(most);
      ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough);  // else it wakes up more often
    }
    pollfd readable{socket, POLLIN, 0};
    ::poll(&readable, 1, kPieceMilliseconds);
    const ssize_t got = ::recv(socket, room.data(), most, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (got < 0) continue;
    size -= static_cast<std::uint64_t>(got);
    sink.add(static_cast<std::size_t>(got));
  }
}

}  // namespace ontime::http

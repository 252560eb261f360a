#pragma once
// A blocking TCP connection to a port of this machine, without Ontime's code.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace ontime::test {

class LoopbackSocket {
 public:
  explicit LoopbackSocket(const std::string& port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    is_connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~LoopbackSocket() { ::close(descriptor_); }
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  int get() const { return descriptor_; }
  bool is_connected() const { return is_connected_; }

 private:
  // A host that keeps quiet for so long has failed the test.
  static constexpr timeval kPatience{60, 0};

  int descriptor_;
  bool is_connected_ = false;
};

}  // namespace ontime::test

#pragma once
// A port of the loopback for a server that a test starts.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ontime::test {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

inline bool answers(const std::string& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(static_cast<std::uint16_t>(std::stoi(port)));
  const bool answers = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return answers;
}

inline bool can_be_bound(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  const bool can = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return can;
}

// One that nobody has, and that this process is given once. Not of those that the kernel gives to whom asks for any:
// somebody else would soon have it, or the same caller twice. Empty if there is none.
inline std::string free_port() {
  constexpr unsigned kFirst = 10'000, kPorts = 22'000, kOfProcess = 50;
  static std::atomic<unsigned> given = static_cast<unsigned>(::getpid()) * kOfProcess;
  for (unsigned tries = 0; tries < kPorts; ++tries) {
    const auto port = static_cast<std::uint16_t>(kFirst + given++ % kPorts);
    if (can_be_bound(port)) return std::to_string(port);
  }
  return "";
}

}  // namespace ontime::test

#include "tests/system/middlebox.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace ontime::test {
namespace {

constexpr int kTickMs = 20;
constexpr double kBytesAtOnce = 65536;
constexpr int kBufferBytes = 65536;  // of the kernel's, for what has come: how slow the link is shall be felt

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Descriptor tcp_socket() { return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void append_frame(std::string& to, std::string_view payload) {
  for (std::size_t i = 0; i < protocol::kFrameHeaderBytes; ++i) to += static_cast<char>(payload.size() >> (8 * i));
  to += payload;
}

}  // namespace

Middlebox::Middlebox(const std::string& target, Rewrite rewrite)
    : rewrite_(std::move(rewrite)),
      target_port_(target.substr(target.rfind(':') + 1)),
      listener_(tcp_socket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 16) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    throw std::runtime_error("the middlebox cannot listen");
  }
  port_ = std::to_string(ntohs(address.sin_port));
  thread_ = std::thread([this] { run(); });
}

Middlebox::~Middlebox() {
  ends_ = true;
  thread_.join();
}

void Middlebox::run() {
  Clock::time_point last = Clock::now();
  while (!ends_) {
    do_as_told();
    const Clock::time_point now = Clock::now();
    add_allowance(now - std::exchange(last, now));
    std::vector<pollfd> watched{{listener_.get(), POLLIN, 0}};
    for (const Link& link : links_) {
      for (int from = 0; from < 2; ++from) {
        const bool is_watched = !link.is_forgotten && !link.is_over && link.may_pass[from] >= 1;
        watched.push_back({is_watched ? link.ends[from].get() : -1, POLLIN, 0});
      }
    }
    if (::poll(watched.data(), watched.size(), kTickMs) <= 0) continue;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (int from = 0; from < 2; ++from) {
        if (watched[1 + 2 * i + static_cast<std::size_t>(from)].revents != 0) pass_on(links_[i], from);
      }
    }
    if (watched[0].revents != 0) accept_one();
  }
}

void Middlebox::do_as_told() {
  const bool forgets = forgets_.exchange(false);
  const bool breaks = breaks_.exchange(false);
  for (Link& link : links_) {
    link.is_forgotten |= forgets;
    if (breaks) close(link);
  }
}

// Saved up for a twentieth of a second at most, but for one byte in any case.
void Middlebox::add_allowance(Clock::duration passed) {
  const double rate = bytes_per_second_;
  const double most = std::clamp(rate / 20, 1.0, kBytesAtOnce);
  for (Link& link : links_) {
    for (double& bytes : link.may_pass) {
      bytes = std::min(most, bytes + rate * std::chrono::duration<double>(passed).count());
    }
  }
}

void Middlebox::accept_one() {
  Link link;
  link.ends[0] = Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  link.ends[1] = tcp_socket();
  const sockaddr_in target = loopback(static_cast<std::uint16_t>(std::stoi(target_port_)));
  ::setsockopt(link.ends[1].get(), SOL_SOCKET, SO_RCVBUF, &kBufferBytes, sizeof kBufferBytes);
  if (!link.ends[0] || ::connect(link.ends[1].get(), reinterpret_cast<const sockaddr*>(&target), sizeof target) != 0) {
    return;
  }
  links_.push_back(std::move(link));
  ++accepted_;
}

void Middlebox::pass_on(Link& link, int from) const {
  if (link.is_over) return;
  std::array<char, static_cast<std::size_t>(kBytesAtOnce)> bytes;
  const ssize_t size = ::recv(link.ends[from].get(), bytes.data(), static_cast<std::size_t>(link.may_pass[from]), 0);
  if (size <= 0) return close(link);
  link.may_pass[from] -= static_cast<double>(size);
  std::string passed(bytes.data(), static_cast<std::size_t>(size));
  if (rewrite_) passed = rewritten(link, from, passed);
  const int to = link.ends[1 - from].get();
  if (::send(to, passed.data(), passed.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(passed.size())) close(link);
}

// The frames that are whole with these bytes, as they are to be.
std::string Middlebox::rewritten(Link& link, int from, std::string_view bytes) const {
  std::string all;
  while (!bytes.empty()) {
    const std::span<char> space = link.frames[from].space();
    const std::size_t taken = std::min(space.size(), bytes.size());
    std::copy_n(bytes.begin(), taken, space.begin());
    link.frames[from].received(taken);
    bytes.remove_prefix(taken);
    for (;;) {
      const auto payload = link.frames[from].next();
      if (!payload || !*payload) break;
      const std::size_t number = link.frames_passed[from]++;
      for (const std::string& frame : rewrite_(from == 0, number, **payload)) append_frame(all, frame);
    }
  }
  return all;
}

void Middlebox::close(Link& link) {
  link.is_over = true;
  for (auto& end : link.ends) end.close();
}

}  // namespace ontime::test

#pragma once
// A server that takes every connection and answers nothing, or begins an answer that never comes to its end.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/descriptor.h"

namespace ontime::test {

class SilentServer {
 public:
  // `trickle`: what it sends every few milliseconds to who has asked for something.
  explicit SilentServer(std::string trickle = "") : trickle_(std::move(trickle)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size), 0);
    EXPECT_EQ(::listen(listener_.get(), SOMAXCONN), 0);
    EXPECT_EQ(::getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~SilentServer() {
    is_over_ = true;
    thread_.join();
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // Until so many connections have asked for something.
  void await_requests(int count) {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, [&] { return requests_ >= count; });
  }

 private:
  struct Client {
    Descriptor connection;
    bool has_asked = false;
  };

  void serve() {
    constexpr int kMilliseconds = 5;
    std::vector<Client> clients;
    while (!is_over_) {
      pollfd listening{listener_.get(), POLLIN, 0};
      if (::poll(&listening, 1, kMilliseconds) > 0)
        clients.push_back({Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK))});
      for (Client& client : clients) serve(client);
    }
  }
  void serve(Client& client) {
    char bytes[4096];
    if (::recv(client.connection.get(), bytes, sizeof bytes, 0) > 0 && !std::exchange(client.has_asked, true)) {
      const std::lock_guard lock(mutex_);
      ++requests_;
      asked_.notify_all();
    }
    if (client.has_asked) ::send(client.connection.get(), trickle_.data(), trickle_.size(), MSG_NOSIGNAL);
  }

  const std::string trickle_;
  Descriptor listener_;
  int port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::condition_variable asked_;
  int requests_ = 0;
  std::thread thread_;
};

// `work` would wait for the server for an hour; it ends because nobody wants it any more.
inline void expect_given_up(const std::string& what, SilentServer& server, int requests,
                            const std::function<bool(const std::atomic<bool>*)>& work) {
  std::atomic<bool> is_over = false;
  bool has_worked = true;
  std::thread working([&] { has_worked = work(&is_over); });
  server.await_requests(requests);
  is_over = true;
  working.join();
  EXPECT_FALSE(has_worked) << what;
}

}  // namespace ontime::test

#pragma once

#include <httplib.h>

#include <functional>
#include <string>
#include <thread>

namespace ontime::test {

// A server of some answers.
class Answering {
 public:
  explicit Answering(const std::function<void(httplib::Server&)>& with) {
    with(server_);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Answering() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace ontime::test

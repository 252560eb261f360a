#pragma once
// A web server with one file, and with faults: each request is answered by what the test has set.

#include <httplib.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ontime::test {

class WebServer {
 public:
  // The n-th request, from 1: true if it has dealt with it.
  using Fault = std::function<bool(int n, const httplib::Request&, httplib::Response&)>;

  explicit WebServer(std::string content) : content_(std::move(content)) {
    server_.Get("/file.*",
                [this](const httplib::Request& request, httplib::Response& response) { answer(request, response); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~WebServer() {
    server_.stop();
    thread_.join();
  }

  std::string url(const std::string& name = "file") const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/" + name;
  }
  const std::string& content() const { return content_; }
  void set_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    requests_ = 0;
    fault_ = std::move(fault);
  }
  void set_version(std::string version) {
    const std::lock_guard lock(mutex_);
    version_ = std::move(version);
  }
  int requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    int number = 0;
    Fault fault;
    {
      const std::lock_guard lock(mutex_);
      number = ++requests_;
      fault = fault_;
      if (!version_.empty()) response.set_header("ETag", version_);
      if (request.has_header("If-Match") && request.get_header_value("If-Match") != version_) {
        response.status = 412;
        return;
      }
    }
    if (fault && fault(number, request, response)) return;
    response.set_content(content_, "application/octet-stream");  // the library cuts out the range
  }

  const std::string content_;
  mutable std::mutex mutex_;
  std::string version_ = "\"1\"";
  int requests_ = 0;
  Fault fault_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

inline std::string some_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

}  // namespace ontime::test

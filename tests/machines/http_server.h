#pragma once
// A server that speaks plain HTTP, on a simulated machine. Its process can be killed and stopped as any other; what it
// keeps outlives it. What requests mean is said by what derives from it.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/time.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines {

struct HttpRequest {
  std::string method;
  std::string path;                            // decoded
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string content;

  std::string header(const char* name) const;  // empty: there is none
};

struct HttpAnswer {
  int status = 200;
  std::map<std::string, std::string> headers{};
  std::string content{};
  std::optional<std::size_t> size{};  // Content-Length, if it is not the content's
};

class HttpServer {
 public:
  static constexpr std::uint16_t kPort = 9000;

  // What goes wrong with it, as long as it is set.
  struct Trouble {
    Duration slower_by{0};  // a request takes up to so much longer
    int status = 0;         // that requests are answered with, 500 perhaps after they were done
    double refuses = 0;     // how many of them
    double breaks_off = 0;  // how many are answered by half of the answer, or not, and a reset
  };

  // The moments of a request: it has come, and nothing was done yet; it was done, and is not answered yet.
  enum class Moment : std::uint8_t { Come, Done };

  HttpServer(Cluster& cluster, Machine& machine, std::string name)
      : cluster_(cluster), machine_(machine), name_(std::move(name)) {}
  virtual ~HttpServer() = default;

  Process& start();
  std::string endpoint() const;
  Machine& machine() { return machine_; }

  Trouble trouble;
  // For who watches. `from` is the client's address. Both may end the server's process.
  std::function<void(const HttpRequest& request, std::uint32_t from, Moment moment)> on_request =
      [](const HttpRequest&, std::uint32_t, Moment) {};

 protected:
  virtual HttpAnswer perform(const HttpRequest& request, bool is_late) = 0;
  // Whether a request that came before this one, and is not done, asks the same of the same object.
  bool is_under_way(const HttpRequest& request) const;
  // What it says of trouble.
  virtual HttpAnswer refusal(int status) const = 0;

 private:
  class Session;
  int serve();

  Cluster& cluster_;
  Machine& machine_;
  const std::string name_;
  std::list<const HttpRequest*> under_way_;  // in the order in which they came
};

}  // namespace ontime::lab::machines

#pragma once
// A server that keeps objects and speaks plain HTTP, on a simulated machine. Its process can be killed and stopped as
// any other; its objects outlive it. What requests mean is said by what derives from it.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

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

class HttpStore {
 public:
  static constexpr std::uint16_t kPort = 9000;
  static constexpr std::size_t kPageMax = 4;  // objects in a list's page, so that lists have several

  struct Object {
    std::string bytes;
    std::string version;   // its ETag
    bool is_late = false;  // written for a client that had given up, perhaps long before
  };
  using Objects = std::map<std::string, Object>;  // by key

  // What goes wrong with it, as long as it is set.
  struct Trouble {
    Duration slower_by{0};  // a request takes up to so much longer
    int status = 0;         // that requests are answered with, 500 perhaps after they were done
    double refuses = 0;     // how many of them
    double breaks_off = 0;  // how many are answered by half of the answer, or not, and a reset
  };

  // The moments of a request: it has come, and nothing was done yet; it was done, and is not answered yet.
  enum class Moment : std::uint8_t { Come, Done };

  HttpStore(Cluster& cluster, Machine& machine) : cluster_(cluster), machine_(machine) {}
  virtual ~HttpStore() = default;

  Process& start();
  std::string endpoint() const;
  // From now on all simulated processes find what they need to reach it in the environment, which is the real
  // process's. For one store, and not called by a simulated process.
  virtual void name_in_environment() const = 0;
  Machine& machine() { return machine_; }

  // For who sets the scene: no request, and no time passes.
  virtual void put(const std::string& key, std::string bytes) = 0;
  void take_away(const std::string& key) { objects_.erase(key); }
  const Objects& objects() const { return objects_; }

  Trouble trouble;
  // For who watches. `from` is the client's address. Both may end the store's process.
  std::function<void(const HttpRequest& request, std::uint32_t from, Moment moment)> on_request =
      [](const HttpRequest&, std::uint32_t, Moment) {};
  // A client's request has changed an object. Null: there was none; there is none any more.
  std::function<void(const std::string& key, const Object* before, const Object* after)> on_change =
      [](const std::string&, const Object*, const Object*) {};

 protected:
  virtual HttpAnswer perform(const HttpRequest& request, bool is_late) = 0;
  // Whether a request that came before this one, and is not done, asks the same of the same object.
  bool is_under_way(const HttpRequest& request) const;
  // What it says of trouble.
  virtual HttpAnswer refusal(int status) const = 0;
  // For a client. Null: it is removed.
  void set(const std::string& key, const Object* after);

  Objects objects_;

 private:
  class Session;
  int serve();

  Cluster& cluster_;
  Machine& machine_;
  std::list<const HttpRequest*> under_way_;  // in the order in which they came
};

}  // namespace ontime::lab::machines

#pragma once
// A server that keeps objects.

#include <functional>
#include <map>
#include <string>

#include "tests/machines/http_server.h"

namespace ontime::lab::machines {

class HttpStore : public HttpServer {
 public:
  static constexpr std::size_t kPageMax = 4;  // objects in a list's page, so that lists have several

  struct Object {
    std::string bytes;
    std::string version;   // its ETag
    bool is_late = false;  // written for a client that had given up, perhaps long before
  };
  using Objects = std::map<std::string, Object>;  // by key

  HttpStore(Cluster& cluster, Machine& machine) : HttpServer(cluster, machine, "store") {}

  // From now on all simulated processes find what they need to reach it in the environment, which is the real
  // process's. For one store, and not called by a simulated process.
  virtual void name_in_environment() const = 0;

  // For who sets the scene: no request, and no time passes.
  virtual void put(const std::string& key, std::string bytes) = 0;
  void take_away(const std::string& key) { objects_.erase(key); }
  const Objects& objects() const { return objects_; }

  // For who watches: a client's request has changed an object. Null: there was none; there is none any more.
  std::function<void(const std::string& key, const Object* before, const Object* after)> on_change =
      [](const std::string&, const Object*, const Object*) {};

 protected:
  // For a client. Null: it is removed.
  void set(const std::string& key, const Object* after);

  Objects objects_;
};

}  // namespace ontime::lab::machines

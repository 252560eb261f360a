#pragma once
// A NameNode and two DataNodes of which tests say how they fail: each request is answered by what the test has set.

#include <httplib.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace ontime::test {

class FakeHdfs {
 public:
  using Request = httplib::Request;
  using Response = httplib::Response;
  // The n-th request to the NameNode (node -1) or a DataNode, from 1 since it was set: true if it has dealt with it.
  using Fault = std::function<bool(int n, int node, const Request&, Response&)>;

  // With the two files of PEM it encrypts.
  explicit FakeHdfs(const std::string& certificate = "", const std::string& key = "")
      : scheme_(certificate.empty() ? "http" : "https") {
    for (int node = -1; node < 2; ++node) {
      auto& server = servers_[static_cast<std::size_t>(node + 1)];
      server.server = certificate.empty() ? std::make_unique<httplib::Server>()
                                          : std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str());
      const auto handle = [this, node](const Request& request, Response& response) { answer(node, request, response); };
      server.server->Get("/webhdfs/v1.*", handle).Put("/webhdfs/v1.*", handle).Delete("/webhdfs/v1.*", handle);
      server.port = server.server->bind_to_any_port("127.0.0.1");
      server.thread = std::thread([&server] { server.server->listen_after_bind(); });
      while (!server.server->is_running()) std::this_thread::yield();
    }
  }
  ~FakeHdfs() {
    for (auto& server : servers_) {
      server.server->stop();
      server.thread.join();
    }
  }

  std::string root() const {
    return (scheme_ == "http" ? "webhdfs://127.0.0.1:" : "swebhdfs://127.0.0.1:") + std::to_string(servers_[0].port);
  }
  std::string origin() const { return address_of(0); }
  std::string first_data_node() const { return address_of(1); }
  void set_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    requests_ = 0;
    fault_ = std::move(fault);
  }
  void put(const std::string& path, std::string content) {
    const std::lock_guard lock(mutex_);
    files_[path] = {std::move(content), ++last_id_};
  }
  // "/a=content /b=..." of what is there, in order.
  std::string files() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [path, file] : files_) text += path + "=" + file.content + " ";
    return text;
  }
  std::string last_query() const {
    const std::lock_guard lock(mutex_);
    return last_query_;
  }

  static void refuse(Response& response, int status, const std::string& exception, const std::string& message) {
    response.status = status;
    response.set_content(nlohmann::json{{"RemoteException", {{"exception", exception}, {"message", message}}}}.dump(),
                         "application/json");
  }

 private:
  struct File {
    std::string content;
    std::uint64_t id = 0;
  };
  struct Server {
    std::unique_ptr<httplib::Server> server;
    int port = 0;
    std::thread thread;
  };

  void answer(int node, const Request& request, Response& response) {
    int number = 0;
    Fault fault;
    {
      const std::lock_guard lock(mutex_);
      number = ++requests_;
      fault = fault_;
      last_query_ = request.target.substr(request.target.find('?'));
    }
    if (fault && fault(number, node, request, response)) return;
    const std::lock_guard lock(mutex_);
    const std::string path = request.path.substr(std::string("/webhdfs/v1").size());
    const std::string op = request.get_param_value("op");
    if (node < 0 && (op == "OPEN" || op == "CREATE")) {
      if (op == "OPEN" && !files_.contains(path)) return refuse(response, 404, "FileNotFoundException", path);
      const bool is_first_out = request.get_param_value("excludedatanodes") == "127.0.0.1";
      const std::string address = address_of(is_first_out ? 2 : 1) + request.target;
      response.set_content(nlohmann::json{{"Location", address}}.dump(), "application/json");
    } else if (op == "OPEN") {
      const std::string& content = files_[path].content;
      const auto offset = std::stoull(request.get_param_value("offset"));
      if (offset > content.size()) return refuse(response, 403, "IOException", "Offset out of the range");
      response.set_content(content.substr(offset, std::stoull(request.get_param_value("length"))),
                           "application/octet-stream");
    } else if (op == "CREATE") {
      if (files_.contains(path)) return refuse(response, 403, "FileAlreadyExistsException", path + "\n\tat x");
      files_[path] = {request.body, ++last_id_};
      response.status = 201;
    } else if (op == "RENAME") {
      const std::string to = request.get_param_value("destination");
      const bool may = files_.contains(path) && !files_.contains(to);
      if (may) files_[to] = std::exchange(files_[path], {});
      if (may) files_.erase(path);
      response.set_content(nlohmann::json{{"boolean", may}}.dump(), "application/json");
    } else if (op == "DELETE") {
      response.set_content(nlohmann::json{{"boolean", files_.erase(path) > 0}}.dump(), "application/json");
    } else if (op == "GETFILESTATUS") {
      if (!files_.contains(path)) return refuse(response, 404, "FileNotFoundException", "File does not exist: " + path);
      response.set_content(nlohmann::json{{"FileStatus", status("", files_[path])}}.dump(), "application/json");
    } else if (op == "LISTSTATUS_BATCH") {
      list(path + "/", request.get_param_value("startAfter"), response);
    }
  }

  static nlohmann::json status(const std::string& name, const File& file) {
    return {{"pathSuffix", name},
            {"type", "FILE"},
            {"length", file.content.size()},
            {"modificationTime", 1},
            {"fileId", file.id}};
  }

  std::string address_of(std::size_t server) const {
    return scheme_ + "://127.0.0.1:" + std::to_string(servers_[server].port);
  }

  // Two at a time.
  void list(const std::string& directory, const std::string& behind, Response& response) {
    std::map<std::string, nlohmann::json> entries;
    for (const auto& [path, file] : files_) {
      if (!path.starts_with(directory)) continue;
      const std::string name = path.substr(directory.size());
      const std::size_t slash = name.find('/');
      if (slash == name.npos) entries[name] = status(name, file);
      if (slash != name.npos)
        entries[name.substr(0, slash)] = {{"pathSuffix", name.substr(0, slash)}, {"type", "DIRECTORY"}};
    }
    if (entries.empty()) return refuse(response, 404, "FileNotFoundException", directory);
    nlohmann::json page = nlohmann::json::array();
    auto at = entries.upper_bound(behind);
    for (; at != entries.end() && page.size() < 2; ++at) page.push_back(at->second);
    const auto left = static_cast<std::uint64_t>(std::distance(at, entries.end()));
    response.set_content(
        nlohmann::json{{"DirectoryListing",
                        {{"partialListing", {{"FileStatuses", {{"FileStatus", page}}}}}, {"remainingEntries", left}}}}
            .dump(),
        "application/json");
  }

  const std::string scheme_;
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
  std::uint64_t last_id_ = 0;
  std::string last_query_;
  int requests_ = 0;
  Fault fault_;
  std::array<Server, 3> servers_;
};

}  // namespace ontime::test

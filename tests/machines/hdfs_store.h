#pragma once
// An HDFS that speaks WebHDFS: a NameNode, and behind the same address the one DataNode that it names. Files are
// created whole; directories are made on the way to them, and stay until they are removed.

#include <cstdint>
#include <set>
#include <string>

#include "tests/machines/http_store.h"

namespace ontime::lab::machines {

class HdfsStore final : public HttpStore {
 public:
  using HttpStore::HttpStore;
  void name_in_environment() const override;
  // "webhdfs://10.0.0.1:9000"
  std::string root() const;
  void put(const std::string& key, std::string bytes) override;

 private:
  HttpAnswer perform(const HttpRequest& request, bool is_late) override;
  HttpAnswer refusal(int status) const override;
  HttpAnswer name_data_node(const HttpRequest& request, const std::string& key) const;
  HttpAnswer open(const HttpRequest& request, const std::string& key) const;
  HttpAnswer create(const HttpRequest& request, const std::string& key, bool is_late);
  HttpAnswer rename(const std::string& from, const std::string& to);
  HttpAnswer make_directories(const std::string& key);
  HttpAnswer remove(const std::string& key, bool is_recursive);
  void remove_below(const std::string& prefix);
  HttpAnswer describe(const std::string& key) const;
  HttpAnswer list(const std::string& directory, const std::string& behind) const;
  bool is_directory(const std::string& key) const { return key.empty() || directories_.contains(key); }

  std::set<std::string> directories_;  // "out/_attempts"; the root is not among them
  std::uint64_t last_id_ = 0;          // of a file; its version
};

}  // namespace ontime::lab::machines

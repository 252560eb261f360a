#pragma once
// The name of what a store keeps: "s3://bucket/key", "hdfs://host/path", "webhdfs://host:port/path".

#include <string>

namespace ontime::http {

struct Name {
  std::string root;  // the store: "s3://bucket", "webhdfs://host:9870"
  std::string key;   // "logs/2026/a.txt", nothing is written as %XX; may be empty: everything

  std::string text() const { return root + "/" + key; }
  bool operator==(const Name&) const = default;
};

}  // namespace ontime::http

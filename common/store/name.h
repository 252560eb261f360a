#pragma once
// Names of what a store keeps: "s3://bucket/key", "hdfs://host/path", "webhdfs://host:port/path".

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace ontime::store {

struct Name {
  std::string root;  // who keeps it: "s3://bucket", "hdfs://host"
  std::string key;   // "logs/2026/a.txt"; may be empty: everything

  std::string text() const { return root + "/" + key; }
};

bool is_name(std::string_view text);
// BadInput, with one sentence, for what cannot be a name there.
Result<Name> parse_name(std::string_view text);

}  // namespace ontime::store

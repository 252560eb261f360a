#pragma once
// Names of objects: "s3://bucket/key".

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace ontime::s3 {

struct Name {
  std::string bucket;
  std::string key;  // as the store has it, nothing is written as %XX; may be empty: the bucket

  std::string text() const { return "s3://" + bucket + "/" + key; }
  bool operator==(const Name&) const = default;
};

bool is_name(std::string_view text);
// BadInput, with one sentence, unless the bucket's name follows S3's rules and the key is UTF-8 of at most 1024 bytes
// without control characters, "." or ".." between slashes.
Result<Name> parse_name(std::string_view text);

}  // namespace ontime::s3

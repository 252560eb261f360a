#pragma once
// Names of objects: "s3://bucket/key".

#include <string_view>

#include "common/base/result.h"
#include "common/http/name.h"

namespace ontime::s3 {

using http::Name;  // its root is "s3://bucket"

bool is_name(std::string_view text);
// BadInput, with one sentence, unless the bucket's name follows S3's rules and the key is UTF-8 of at most 1024 bytes
// without control characters, "." or ".." between slashes.
Result<Name> parse_name(std::string_view text);

}  // namespace ontime::s3

#pragma once
// Names of what a store keeps: "s3://bucket/key", "hdfs://host/path", "webhdfs://host:port/path".

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/name.h"

namespace ontime::store {

using http::Name;

bool is_name(std::string_view text);
// "S3://bucket" means "s3://bucket". Any other text is what it was.
std::string with_plain_scheme(std::string text);
// BadInput, with one sentence, for what cannot be a name there.
Result<Name> parse_name(std::string_view text);

}  // namespace ontime::store

#include "common/store/name.h"

#include <utility>

#include "common/hdfs/name.h"
#include "common/s3/name.h"

namespace ontime::store {

bool is_name(std::string_view text) { return s3::is_name(text) || hdfs::is_name(text); }

Result<Name> parse_name(std::string_view text) {
  if (hdfs::is_name(text)) {
    auto file = hdfs::parse_name(text);
    if (!file) return std::move(file).error();
    return Name{std::move(file->root), std::move(file->path)};
  }
  auto object = s3::parse_name(text);
  if (!object) return std::move(object).error();
  return Name{"s3://" + object->bucket, std::move(object->key)};
}

}  // namespace ontime::store

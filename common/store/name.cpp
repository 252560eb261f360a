#include "common/store/name.h"

#include "common/hdfs/name.h"
#include "common/s3/name.h"

namespace ontime::store {

bool is_name(std::string_view text) { return s3::is_name(text) || hdfs::is_name(text); }

Result<Name> parse_name(std::string_view text) {
  return hdfs::is_name(text) ? hdfs::parse_name(text) : s3::parse_name(text);
}

}  // namespace ontime::store

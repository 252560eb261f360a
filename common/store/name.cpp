#include "common/store/name.h"

#include "common/hdfs/name.h"
#include "common/s3/name.h"

namespace ontime::store {

bool is_name(std::string_view text) { return s3::is_name(text) || hdfs::is_name(text); }

std::string with_plain_scheme(std::string text) {
  const std::size_t colon = text.find("://");
  if (colon == text.npos || text.find('/') < colon) return text;
  for (std::size_t i = 0; i < colon; ++i) {
    if (text[i] >= 'A' && text[i] <= 'Z') text[i] = static_cast<char>(text[i] - 'A' + 'a');
  }
  return text;
}

Result<Name> parse_name(std::string_view text) {
  return hdfs::is_name(text) ? hdfs::parse_name(text) : s3::parse_name(text);
}

}  // namespace ontime::store

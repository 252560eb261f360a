#pragma once
// Names of files of an HDFS: "hdfs://host:8020/path", "webhdfs://host:9870/path", "swebhdfs://host:9871/path".

#include <cstddef>
#include <string_view>

#include "common/base/result.h"
#include "common/http/name.h"
#include "common/http/url.h"

namespace ontime::hdfs {

inline constexpr std::size_t kPathBytesMax = 8000;  // of a path of HDFS

using http::Name;  // its key is a path without the first slash: "user/me/a.txt"

bool is_name(std::string_view text);
// BadInput, with one sentence, unless it names a host and a path of at most 8000 bytes without control characters, "."
// or ".." between slashes. Several slashes are one.
Result<Name> parse_name(std::string_view text);

// Where this process finds that file, and as who: an address of WebHDFS to which "&op=..." is added. It holds what the
// process may do: the user's name, or, at the server that the operator names and at no other, a delegation token.
//   ONTIME_WEBHDFS_URL          "http://host:port" that serves hdfs:// names; else the name's host, port 9870
//   ONTIME_HDFS_TOKEN_FILE      a file that holds a delegation token for ONTIME_WEBHDFS_URL; read each time
//   HADOOP_USER_NAME            where no token is sent; else the name of the process's user
// BadInput, with one sentence, if one of them is unusable.
Result<http::Url> address_of(const Name& name);

}  // namespace ontime::hdfs

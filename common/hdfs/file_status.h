#pragma once
// What HDFS says of a file.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/http/store.h"

namespace ontime::hdfs {

struct FileStatus {
  http::Object object;  // its key is the name within its directory
  bool is_directory = false;
};
// Nothing if that cannot be read as what is said of a file or directory.
std::optional<FileStatus> file_status_of(const nlohmann::json& described);
bool is_of_another_kind(const nlohmann::json& described);  // a link

// Parses an answer to GETFILESTATUS or LISTSTATUS_BATCH; Refused if it is no such answer.
http::Answer<nlohmann::json> parsed(const std::string& answer);

// A member of any JSON value: null, or "", if it has no such member.
const nlohmann::json& member_of(const nlohmann::json& value, const char* name);
std::string text_of(const nlohmann::json& value, const char* name);

inline constexpr std::size_t kAnswerBytesMax = 16u << 20;  // a page of 1000 files has at most some megabytes

}  // namespace ontime::hdfs

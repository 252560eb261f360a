#include "common/hdfs/file_status.h"

#include <nlohmann/json.hpp>

namespace ontime::hdfs {
namespace {

std::uint64_t number_of(const nlohmann::json& described, const char* name) {
  const nlohmann::json& number = member_of(described, name);
  return number.is_number_unsigned() ? number.get<std::uint64_t>() : 0;
}

}  // namespace

// A file that was replaced has another id, even if it was in the same millisecond.
std::optional<FileStatus> file_status_of(const nlohmann::json& described) {
  const std::string type = text_of(described, "type");
  if (type != "FILE" && type != "DIRECTORY") return std::nullopt;
  if (type == "FILE" && !member_of(described, "length").is_number_unsigned()) return std::nullopt;
  return FileStatus{
      {text_of(described, "pathSuffix"), number_of(described, "length"),
       std::to_string(number_of(described, "modificationTime")) + "-" + std::to_string(number_of(described, "fileId"))},
      type == "DIRECTORY"};
}

bool is_of_another_kind(const nlohmann::json& described) {
  const std::string type = text_of(described, "type");
  return !type.empty() && type != "FILE" && type != "DIRECTORY";
}

http::Answer<nlohmann::json> parsed(const std::string& answer) {
  auto document = nlohmann::json::parse(answer, nullptr, false);
  if (document.is_object()) return document;
  return http::Failure{http::Trouble::Refused, "the answer cannot be read; is WebHDFS there?"};
}

const nlohmann::json& member_of(const nlohmann::json& value, const char* name) {
  static const nlohmann::json none;
  const auto found = value.is_object() ? value.find(name) : value.end();
  return found != value.end() ? *found : none;
}

std::string text_of(const nlohmann::json& value, const char* name) {
  const nlohmann::json& text = member_of(value, name);
  return text.is_string() ? text.get<std::string>() : "";
}

}  // namespace ontime::hdfs

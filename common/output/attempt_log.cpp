#include "common/output/attempt_log.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/files/file_system.h"
#include "common/files/roots.h"

namespace ontime::output {
namespace {

constexpr std::size_t kFileBytesMax = 256u << 20;  // the master keeps less of a job

AttemptLog from_line(const std::string& line) {
  const auto value = nlohmann::json::parse(line);
  return {value.at("task").get<std::uint32_t>(), value.at("attempt").get<std::uint32_t>(),
          value.at("node").get<std::string>(), value.at("begin").get<std::uint64_t>(),
          value.at("text").get<std::string>()};
}

Result<std::string> read_all(int file, const std::string& path) {
  std::string bytes;
  for (std::string buffer(256u << 10, '\0');;) {
    const ssize_t size = ::read(file, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return files::system_error("read", path, errno);
    if (size == 0) return bytes;
    bytes.append(buffer, 0, static_cast<std::size_t>(size));
    if (bytes.size() > kFileBytesMax) return bad_input("'" + path + "' is larger than any that a master writes.");
  }
}

}  // namespace

std::string to_line(const AttemptLog& log) {
  const nlohmann::ordered_json value = {
      {"task", log.task}, {"attempt", log.attempt}, {"node", log.node}, {"begin", log.begin}, {"text", log.text}};
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status write_logs(const std::string& directory, const std::vector<AttemptLog>& logs) {
  const std::string path = directory + "/" + kNewLogsName;
  const Descriptor file = files::open(path, files::kEmptyFile);
  if (!file) return files::system_error("create", path, errno);
  for (const AttemptLog& log : logs) {
    const int problem = files::append(file.get(), to_line(log) + "\n");
    if (problem != 0) return files::system_error("write", path, problem);
  }
  const int problem = files::rename(path, directory + "/" + kLogsName);
  return problem == 0 ? Status() : files::system_error("rename", path, problem);
}

Result<std::vector<AttemptLog>> read_logs(const std::string& directory) {
  const std::string path = directory + "/" + kLogsName;
  const Descriptor held = files::open(directory, files::kDirectory);
  if (!held) return bad_input("The directory '" + directory + "' cannot be opened: " + std::strerror(errno) + ".");
  if (::faccessat(held.get(), kLogsName, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
    return std::vector<AttemptLog>();
  const auto opened = files::open_regular(held.get(), kLogsName);
  if (!opened) return bad_input("'" + path + "' " + opened.error().message + ".");
  const Descriptor file(*opened);
  const auto bytes = read_all(file.get(), path);
  if (!bytes) return bytes.error();
  std::vector<AttemptLog> logs;
  std::istringstream lines(*bytes);
  for (std::string line; std::getline(lines, line);) {
    try {
      logs.push_back(from_line(line));
    } catch (const nlohmann::json::exception&) {
      return bad_input("'" + path + "' is damaged in line " + std::to_string(logs.size() + 1) + ".");
    }
  }
  return logs;
}

}  // namespace ontime::output

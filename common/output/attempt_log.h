#pragma once
// OUT/_logs.jsonl: what the attempts of a job have written to stdout and stderr, one attempt a line. Written by the
// master at job commit, read by `ontime logs`. docs/output-format.md describes the file.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::output {

inline constexpr const char* kLogsName = "_logs.jsonl";
inline constexpr const char* kNewLogsName = "_logs.jsonl.new";  // while it is written

struct AttemptLog {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  std::string node;         // its name
  std::uint64_t begin = 0;  // how many bytes before `text` are not kept
  std::string text;         // the last bytes that the attempt has written
};

// One JSON object without a line end. Bytes that are not UTF-8 become U+FFFD.
std::string to_line(const AttemptLog& log);

// Written beside its place and renamed: there is a whole file or none.
Status write_logs(const std::string& directory, const std::vector<AttemptLog>& logs);
// None if there is no such file. BadInput if it is damaged. Neither follows a link nor waits.
Result<std::vector<AttemptLog>> read_logs(const std::string& directory);

}  // namespace ontime::output

#pragma once
// What attempts have written, for people and programs. Pure but for what it remembers of pieces shown before.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "common/output/attempt_log.h"

namespace ontime::cli {

// Shows each attempt's log, and later only what has come since.
class LogText {
 public:
  explicit LogText(bool json) : json_(json) {}

  // As text: a title whenever another attempt speaks, then its lines. As JSON: an object a line.
  std::string next(output::AttemptLog log);
  bool is_empty() const { return shown_.empty(); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  const bool json_;
  std::map<Key, std::uint64_t> shown_;  // up to this byte
  Key last_{~0U, ~0U};
  bool ends_in_line_ = true;
};

}  // namespace ontime::cli

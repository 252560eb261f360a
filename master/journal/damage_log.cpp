#include "master/journal/damage_log.h"

#include <cstdio>
#include <string_view>

#include "common/base/wording.h"

namespace ontime::journal {

// "[WARN] [db/db_impl_open.cc:885] (ignoring error) /journal/000004.log: dropping 12 bytes; Corruption: ..."
void DamageLog::Logv(const char* format, va_list arguments) {
  char text[8192];  // a path has at most 4096
  std::vsnprintf(text, sizeof text, format, arguments);
  std::string_view file = text;
  const std::size_t end = file.find(": dropping ");
  if (end == file.npos) return;
  file = file.substr(0, end);
  while (file.starts_with('[') && file.find("] ") != file.npos) file.remove_prefix(file.find("] ") + 2);
  constexpr std::string_view kIgnored = "(ignoring error) ";
  if (file.starts_with(kIgnored)) file.remove_prefix(kIgnored.size());
  const std::lock_guard lock(mutex_);
  if (file_.empty()) file_ = file;
}

std::string DamageLog::place() const {
  const std::lock_guard lock(mutex_);
  return file_.empty() ? "" : in_quotes(file_) + ", ";
}

}  // namespace ontime::journal

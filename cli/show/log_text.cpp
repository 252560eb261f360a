#include "cli/show/job_text.h"

#include "cli/show/table.h"
#include "common/base/ids.h"
#include "common/base/units.h"

namespace ontime::cli {

std::string LogText::next(output::AttemptLog log) {
  const Key key{log.task, log.attempt};
  const auto [shown, is_new] = shown_.emplace(key, 0);
  const std::uint64_t end = log.begin + log.text.size();
  if (!is_new && end <= shown->second) return "";
  const std::uint64_t left_out = log.begin > shown->second ? log.begin - shown->second : 0;
  if (shown->second > log.begin) {
    log.text.erase(0, static_cast<std::size_t>(shown->second - log.begin));
    log.begin = shown->second;
  }
  shown->second = end;
  if (json_) return output::to_line(log) + "\n";
  std::string text;
  if (key != last_) {
    if (!ends_in_line_) text += "\n";
    text += "== " + attempt_file_name({{JobId{}, log.task}, log.attempt}) + " on " + printable(log.node) + "\n";
    last_ = key;
  }
  if (left_out > 0) text += "[" + format_size(left_out) + " are not kept]\n";
  text += printable_lines(log.text);
  ends_in_line_ = text.ends_with('\n');
  return text;
}

}  // namespace ontime::cli

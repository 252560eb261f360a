#include "master/base/text.h"

#include <cstddef>

#include "common/base/utf8.h"

namespace ontime::master {

std::string readable(std::string_view bytes) { return without_controls(bytes, "\n\t", NotUtf8::IsReplaced); }

std::string readable_tail(std::string_view bytes, std::size_t bytes_max) {
  if (bytes.size() > bytes_max) {
    bytes.remove_prefix(bytes.size() - bytes_max);
    const std::size_t line_end = bytes.find('\n');
    if (line_end + 1 < bytes.size()) bytes.remove_prefix(line_end + 1);  // npos + 1 is 0: nothing is removed
    while (!bytes.empty() && is_utf8_continuation(bytes[0])) bytes.remove_prefix(1);
  }
  return readable(bytes);
}

std::string last_lines(std::string text, std::size_t lines_max) {
  std::size_t begin = text.size();
  for (std::size_t lines = 0; begin > 0 && lines < lines_max; ++lines) {
    const std::size_t end_before = begin < 2 ? text.npos : text.rfind('\n', begin - 2);
    begin = end_before == text.npos ? 0 : end_before + 1;
  }
  return text.erase(0, begin);
}

}  // namespace ontime::master

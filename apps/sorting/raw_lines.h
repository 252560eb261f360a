#pragma once
// Lines with all their bytes but the line feed: a carriage return stays, because sorting must not change a record.

#include <cstring>
#include <string_view>

namespace ontime::apps {

template <class Visit>
void for_each_raw_line(std::string_view bytes, Visit&& visit) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const void* feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* const line_end = feed != nullptr ? static_cast<const char*>(feed) : end;
    visit(std::string_view(at, static_cast<std::size_t>(line_end - at)));
    at = feed != nullptr ? line_end + 1 : end;
  }
}

}  // namespace ontime::apps

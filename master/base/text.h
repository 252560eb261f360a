#pragma once
// Bytes of unknown origin made fit to be shown: logs, tables, JSON.

#include <string>
#include <string_view>

namespace ontime::master {

// Valid UTF-8 without control characters other than new line and tab; everything else becomes '?'.
std::string readable(std::string_view bytes);

// The last `bytes_max` bytes of readable(bytes), beginning at a line start where there is one.
std::string readable_tail(std::string_view bytes, std::size_t bytes_max);

// The last lines, at most so many.
std::string last_lines(std::string text, std::size_t lines_max);

}  // namespace ontime::master

#pragma once
// The lines that say which cluster a movie belongs to: `cluster<TAB>movie` and, with a similarity,
// `cluster<TAB>movie<TAB>0.123456`.

#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::apps {

struct AssignedLine {
  std::uint32_t cluster = 0;
  std::uint64_t movie = 0;
  std::uint32_t cosine = 0;  // in millionths; 0 where the line has none
};

// Throws std::runtime_error for another line.
AssignedLine parse_assigned_line(std::string_view line);

// Appends to `line`.
void append_number(std::string& line, std::uint64_t number);
void append_millionths(std::string& line, std::uint32_t millionths);

}  // namespace ontime::apps

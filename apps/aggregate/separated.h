#pragma once
// Lines of fields with one byte between them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "apps/text/byte_class.h"

namespace ontime::apps {

// Where the fields that are asked for stand in a row: by column, from 0, one more than the field's place; 0: not asked.
using Columns = std::vector<std::uint32_t>;

// The places of separators and line feeds in a stretch of text.
class FieldEnds {
 public:
  static constexpr std::size_t kMaxBytes = 64 * kBlockBytes;

  explicit FieldEnds(char separator, InstructionSet set = best_instruction_set());

  // Valid until the next call. In front of the first one stands -1, as if a line had ended before the text.
  // REQUIRES: at most kMaxBytes.
  std::span<const std::int32_t> find(std::string_view text) {
    return {&places_[1], find_(text, separator_, &places_[1])};
  }

 private:
  std::size_t (*find_)(std::string_view text, char separator, std::int32_t* places);
  char separator_;
  std::array<std::int32_t, 1 + kMaxBytes + kBlockBytes> places_;  // room for a block that is written in advance
};

// Calls visit(begin of the line) for each line of `bytes`, with its fields in `values`; what it lacks is empty there.
template <class Visit>
void for_each_row(std::string_view bytes, FieldEnds& ends, const Columns& columns, std::span<std::string_view> values,
                  Visit&& visit) {
  const char* const end = bytes.data() + bytes.size();
  const char* line = bytes.data();
  const char* field = line;
  std::size_t column = 0;
  const auto end_field = [&](const char* at) {
    if (column < columns.size() && columns[column] > 0)
      values[columns[column] - 1] = {field, static_cast<std::size_t>(at - field)};
    ++column;
    field = at + 1;
  };
  const auto end_line = [&](const char* at) {
    end_field(at > field && at[-1] == '\r' ? at - 1 : at);
    for (; column < columns.size(); ++column) {
      if (columns[column] > 0) values[columns[column] - 1] = {};
    }
    visit(line);
    line = field = at + 1;
    column = 0;
  };
  for (std::size_t begin = 0; begin < bytes.size(); begin += FieldEnds::kMaxBytes) {
    const char* const from = bytes.data() + begin;
    for (const std::int32_t place : ends.find(bytes.substr(begin, FieldEnds::kMaxBytes)))
      from[place] == '\n' ? end_line(from + place) : end_field(from + place);
  }
  if (line < end) end_line(end);
}

}  // namespace ontime::apps

#pragma once
// Lines of fields with one byte between them, found 64 bytes at a time.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "apps/text/byte_class.h"

namespace ontime::apps {

// Where the fields that are asked for stand in a row: by column, from 0, one more than the field's place; 0: not asked.
using Columns = std::vector<std::uint32_t>;

// Bit i: byte i of 64 is one of both.
inline std::uint64_t either_mask(const char* block, char one, char other) {
#ifdef __x86_64__
  const __m128i ones = _mm_set1_epi8(one), others = _mm_set1_epi8(other);
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    const __m128i either = _mm_or_si128(_mm_cmpeq_epi8(bytes, ones), _mm_cmpeq_epi8(bytes, others));
    mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(either)) << 16 * i;
  }
  return mask;
#else
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < kBlockBytes; ++i) mask |= std::uint64_t{block[i] == one || block[i] == other} << i;
  return mask;
#endif
}

// Calls visit(begin of the line) for each line of `bytes`, with its fields in `values`; what it lacks is empty there.
template <class Visit>
void for_each_row(std::string_view bytes, char separator, const Columns& columns, std::span<std::string_view> values,
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
    visit(line);
    for (std::string_view& value : values) value = {};
    line = field = at + 1;
    column = 0;
  };
  for (std::string_view& value : values) value = {};
  for (const char* block = bytes.data(); block < end; block += kBlockBytes) {
    const auto left = static_cast<std::size_t>(end - block);
    std::uint64_t mask;
    if (left >= kBlockBytes) {
      mask = either_mask(block, separator, '\n');
    } else {
      char last[kBlockBytes] = {};
      std::memcpy(last, block, left);
      mask = either_mask(last, separator, '\n') & ((std::uint64_t{1} << left) - 1);
    }
    for (; mask != 0; mask &= mask - 1) {
      const char* const at = block + std::countr_zero(mask);
      *at == '\n' ? end_line(at) : end_field(at);
    }
  }
  if (line < end) end_line(end);
}

}  // namespace ontime::apps

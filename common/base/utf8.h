#pragma once
// Bytes of unknown origin as UTF-8.

#include <cstddef>
#include <string_view>

namespace ontime {

// Bytes of the well-formed character that `bytes` begins with; 0 if there is none. REQUIRES: not empty.
std::size_t utf8_character(std::string_view bytes);

// Whether it is a further byte of a character.
constexpr bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

bool is_utf8(std::string_view bytes);

}  // namespace ontime

#pragma once
// Bytes of unknown origin as UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace ontime {

// Bytes of the well-formed character that `bytes` begins with; 0 if there is none. REQUIRES: not empty.
std::size_t utf8_character(std::string_view bytes);

// Whether it is a further byte of a character.
constexpr bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

bool is_utf8(std::string_view bytes);

// Whether a terminal acts on this well-formed character instead of showing it: a control character, of the upper ones
// too, or one that turns the direction of text.
bool is_control_character(std::string_view character);
// The bytes with '?' in place of each of these but those that it `keeps`, and of each byte that is no UTF-8 if that is
// to be replaced.
enum class NotUtf8 { Stays, IsReplaced };
std::string without_controls(std::string_view bytes, std::string_view keeps = "", NotUtf8 other = NotUtf8::Stays);

}  // namespace ontime

#include "common/base/utf8.h"

#include <algorithm>

namespace ontime {

std::size_t utf8_character(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() < length) return 0;
  // The second byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at(1) < low || at(1) > high) return 0;
  const auto rest = bytes.substr(2, length - 2);
  return std::all_of(rest.begin(), rest.end(), is_utf8_continuation) ? length : 0;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_character(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

bool is_control_character(std::string_view character) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return at(0) < ' ' || at(0) == 0x7f;
  if (character.size() == 2) return at(0) == 0xC2 && at(1) < 0xA0;  // U+0080 to U+009F
  if (character.size() != 3 || at(0) != 0xE2) return false;
  return (at(1) == 0x80 && at(2) >= 0xA8 && at(2) <= 0xAE) ||  // U+2028 to U+202E
         (at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9);    // U+2066 to U+2069
}

std::string without_controls(std::string_view bytes, std::string_view keeps, NotUtf8 other) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_character(bytes);
    const std::string_view character = bytes.substr(0, length == 0 ? 1 : length);
    const bool is_kept = keeps.find(character) != keeps.npos;
    if (length == 0 ? other == NotUtf8::IsReplaced : !is_kept && is_control_character(character))
      text += '?';
    else
      text += character;
    bytes.remove_prefix(character.size());
  }
  return text;
}

}  // namespace ontime

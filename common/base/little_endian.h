#pragma once
// Numbers as bytes, the least significant first, whatever the machine.

#include <cstdint>
#include <string>
#include <string_view>

namespace ontime {

inline std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

// REQUIRES: at most 8 bytes.
template <class Number = std::uint64_t>
Number from_little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<Number>(number);
}

}  // namespace ontime

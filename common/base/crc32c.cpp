#include "common/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ontime {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0x82f63b78u : 0u);  // reflected polynomial
    table[byte] = crc;
  }
  return table;
}

std::uint32_t by_table(std::uint32_t crc, const unsigned char* at, std::size_t size) {
  static constexpr auto table = make_table();
  for (; size != 0; --size) crc = table[(crc ^ *at++) & 0xffu] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t crc, const unsigned char* at,
                                                               std::size_t size) {
  std::uint64_t wide = crc;
  for (; size >= 8; size -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (; size != 0; --size) crc = _mm_crc32_u8(crc, *at++);
  return crc;
}
#endif

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(data);
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~by_instruction(~crc, at, size);
#endif
  return ~by_table(~crc, at, size);
}

std::uint32_t crc32c_by_table(std::uint32_t crc, const void* data, std::size_t size) {
  return ~by_table(~crc, static_cast<const unsigned char*>(data), size);
}

}  // namespace ontime

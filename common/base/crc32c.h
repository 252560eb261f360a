#pragma once
// CRC-32C (Castagnoli), the checksum of every sealed range of output. Uses the processor's instruction where there is
// one, a table elsewhere; both give the same value.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ontime {

// Continues `crc` (0 for a fresh start) over `size` bytes.
std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t size);
// The same without the instruction.
std::uint32_t crc32c_by_table(std::uint32_t crc, const void* data, std::size_t size);
inline std::uint32_t crc32c(std::string_view bytes) { return crc32c(0, bytes.data(), bytes.size()); }

}  // namespace ontime

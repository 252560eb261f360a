#pragma once
// White space 64 bytes at a time, for the yardsticks: compiled for this very machine, apart from the applications'
// code.

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace ontime::benchmarks {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Bit i is set when p[i] is white space.
inline std::uint64_t spaces_in_64(const char* p) {
#ifdef __AVX2__
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32));
  const __m256i set = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 0, 0,  //
                                       ' ', 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 0, 0);
  const auto low =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(first, _mm256_shuffle_epi8(set, first))));
  const auto high =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(second, _mm256_shuffle_epi8(set, second))));
  return low | static_cast<std::uint64_t>(high) << 32;
#else
  std::uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(is_space(p[i])) << i;
  return mask;
#endif
}

}  // namespace ontime::benchmarks

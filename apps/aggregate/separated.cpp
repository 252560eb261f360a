#include "apps/aggregate/separated.h"

#include <bit>
#include <cstring>

namespace ontime::apps {
namespace {

std::size_t find_portable(std::string_view text, char separator, std::uint32_t* places) {
  std::uint32_t* next = places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    *next = static_cast<std::uint32_t>(i);
    next += text[i] == separator || text[i] == '\n' ? 1 : 0;
  }
  return static_cast<std::size_t>(next - places);
}

#ifdef __x86_64__

// Writes twelve places of each block without asking whether there are so many: that would often be foreseen wrongly.
ONTIME_TARGET_AVX2 std::size_t find_avx2(std::string_view text, char separator, std::uint32_t* places) {
  const __m256i separators = _mm256_set1_epi8(separator), feeds = _mm256_set1_epi8('\n');
  constexpr std::size_t kAtOnce = 12;
  char last[kBlockBytes];
  std::uint32_t* next = places;
  for (std::size_t begin = 0; begin < text.size(); begin += kBlockBytes) {
    const char* block = text.data() + begin;
    const std::size_t left = text.size() - begin;
    if (left < kBlockBytes) block = static_cast<const char*>(std::memcpy(last, block, left));
    std::uint64_t mask = 0;
    for (unsigned half = 0; half < 2; ++half) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block) + half);
      const __m256i either = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, separators), _mm256_cmpeq_epi8(bytes, feeds));
      mask |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(either))} << 32 * half;
    }
    if (left < kBlockBytes) mask &= (std::uint64_t{1} << left) - 1;
    std::uint32_t* const end = next + std::popcount(mask);
    do {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        next[i] = static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(std::countr_zero(mask));
        mask &= mask - 1;
      }
      next += kAtOnce;
    } while (next < end);
    next = end;
  }
  return static_cast<std::size_t>(next - places);
}

#endif

}  // namespace

FieldEnds::FieldEnds(char separator, InstructionSet set) : find_(find_portable), separator_(separator) {
#ifdef __x86_64__
  if (set >= InstructionSet::Avx2) find_ = find_avx2;
#else
  static_cast<void>(set);
#endif
}

}  // namespace ontime::apps

#include "apps/aggregate/separated.h"

#include <bit>
#include <cstring>

namespace ontime::apps {
namespace {

std::size_t find_portable(std::string_view text, char separator, std::int32_t* places) {
  std::int32_t* next = places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    *next = static_cast<std::int32_t>(i);
    next += text[i] == separator || text[i] == '\n' ? 1 : 0;
  }
  return static_cast<std::size_t>(next - places);
}

#ifdef __x86_64__

// Writes twelve places of each block without asking whether there are so many: that would often be foreseen wrongly.
ONTIME_TARGET_AVX2 std::size_t find_avx2(std::string_view text, char separator, std::int32_t* places) {
  const __m256i separators = _mm256_set1_epi8(separator), feeds = _mm256_set1_epi8('\n');
  constexpr std::size_t kAtOnce = 12;
  char last[kBlockBytes];
  std::int32_t* next = places;
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
    std::int32_t* const end = next + std::popcount(mask);
    do {
#pragma GCC unroll 12
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        next[i] = static_cast<std::int32_t>(begin) + std::countr_zero(mask);
        mask &= mask - 1;
      }
      next += kAtOnce;
    } while (next < end);
    next = end;
  }
  return static_cast<std::size_t>(next - places);
}

// Gathers the numbers of the bytes that are ends, and writes sixteen of them at once.
ONTIME_TARGET_AVX512 std::size_t find_avx512(std::string_view text, char separator, std::int32_t* places) {
  const __m512i separators = _mm512_set1_epi8(separator), feeds = _mm512_set1_epi8('\n');
  alignas(kBlockBytes) static constexpr auto kNumbers = [] {
    std::array<char, kBlockBytes> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<char>(i);
    return numbers;
  }();
  const __m512i numbers = _mm512_load_si512(kNumbers.data());
  std::int32_t* next = places;
  for (std::size_t begin = 0; begin < text.size(); begin += kBlockBytes) {
    const std::size_t left = text.size() - begin;
    const __mmask64 whole = left < kBlockBytes ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    const __m512i bytes = _mm512_maskz_loadu_epi8(whole, text.data() + begin);
    const std::uint64_t mask =
        whole & (_mm512_cmpeq_epi8_mask(bytes, separators) | _mm512_cmpeq_epi8_mask(bytes, feeds));
    const __m512i found = _mm512_maskz_compress_epi8(mask, numbers);
    const __m512i from = _mm512_set1_epi32(static_cast<int>(begin));
    const auto count = static_cast<std::size_t>(std::popcount(mask));
    const __m128i first = _mm512_maskz_extracti32x4_epi32(0xff, found, 0);
    _mm512_storeu_si512(next, _mm512_add_epi32(from, _mm512_maskz_cvtepu8_epi32(0xffff, first)));
    if (count > 16) [[unlikely]] {
      char all[kBlockBytes];
      _mm512_storeu_si512(all, found);
      for (std::size_t i = 16; i < count; ++i) next[i] = static_cast<std::int32_t>(begin) + all[i];
    }
    next += count;
  }
  return static_cast<std::size_t>(next - places);
}

#endif

}  // namespace

FieldEnds::FieldEnds(char separator, InstructionSet set) : find_(find_portable), separator_(separator) {
  places_[0] = -1;
#ifdef __x86_64__
  if (set >= InstructionSet::Avx2) find_ = find_avx2;
  if (set == InstructionSet::Avx512) find_ = find_avx512;
#else
  static_cast<void>(set);
#endif
}

}  // namespace ontime::apps

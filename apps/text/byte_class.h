#pragma once
// Classes of bytes as bit masks, 64 bytes at a time: bit i of a mask tells about byte i. In portable code, and for the
// instructions that most machines have.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#ifdef __x86_64__
#include <immintrin.h>

#define ONTIME_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define ONTIME_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,popcnt")))
#endif

#ifdef __aarch64__
#include <arm_neon.h>
#endif

namespace ontime::apps {

static_assert(std::endian::native == std::endian::little, "byte i of a word in memory must be its bits 8i to 8i+7");

// Which variant of the hot loops runs. All variants give the same results; tests compare them.
enum class InstructionSet {
  Portable,
  Simd128,  // SSE2 or NEON: what every x86-64 or ARM64 machine has
  Avx2,     // with BMI1, BMI2 and POPCNT, as every machine with AVX2 has them
  Avx512,   // with the sets that Ice Lake and Zen 4 brought
};

// What this machine can do, looked up once.
InstructionSet best_instruction_set();

// All that it can do, the best one last.
std::span<const InstructionSet> instruction_sets();

inline constexpr std::size_t kBlockBytes = 64;

// Gathers the highest bits of the eight bytes of `word`.
constexpr std::uint64_t high_bits(std::uint64_t word) {
  return ((word >> 7 & 0x0101010101010101) * 0x0102040810204080) >> 56;
}

// 0x80 in every byte of `word` that is white space. Sums stay within their bytes because bit 7 is masked out first.
constexpr std::uint64_t space_bytes(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t low = word & 0x7f * ones;
  const std::uint64_t from_tab = low + (0x80 - '\t') * ones;         // bit 7: at least \t
  const std::uint64_t over_return = low + (0x7f - '\r') * ones;      // bit 7: more than \r
  const std::uint64_t not_blank = (low ^ ' ' * ones) + 0x7f * ones;  // bit 7: not ' '
  return ((from_tab & ~over_return) | ~not_blank) & ~word & 0x80 * ones;
}

// 0x80 in every byte of `word` that continues a UTF-8 sequence (10xxxxxx).
constexpr std::uint64_t continuation_bytes(std::uint64_t word) { return word & ~(word << 1) & 0x8080808080808080; }

template <std::uint64_t (*Class)(std::uint64_t)>
std::uint64_t portable_mask(const char* block) {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t word;
    std::memcpy(&word, block + 8 * i, 8);
    mask |= high_bits(Class(word)) << 8 * i;
  }
  return mask;
}

inline std::uint64_t portable_space_mask(const char* block) { return portable_mask<space_bytes>(block); }
inline std::uint64_t portable_continuation_mask(const char* block) { return portable_mask<continuation_bytes>(block); }

#ifdef __x86_64__

inline std::uint64_t simd128_space_mask(const char* block) {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    const __m128i from_tab = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));  // 0 to 4: \t to \r
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8('\r' - '\t')), from_tab);
    const __m128i spaces = _mm_or_si128(control, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
    mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(spaces)) << 16 * i;
  }
  return mask;
}

// Continuation bytes are the signed numbers -128 to -65.
inline std::uint64_t simd128_continuation_mask(const char* block) {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8(-64)))) << 16 * i;
  }
  return mask;
}

#elif defined __aarch64__

// Of 64 bytes that are 0 or 255 each: one bit a byte.
inline std::uint64_t gather_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t halves = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
  const uint8x16_t others = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
  const uint8x16_t quarters = vpaddq_u8(halves, others);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}

template <uint8x16_t (*Class)(uint8x16_t)>
std::uint64_t simd128_mask(const char* block) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(block);
  return gather_bits(Class(vld1q_u8(bytes)), Class(vld1q_u8(bytes + 16)), Class(vld1q_u8(bytes + 32)),
                     Class(vld1q_u8(bytes + 48)));
}

inline uint8x16_t neon_spaces(uint8x16_t bytes) {
  const uint8x16_t control = vcleq_u8(vsubq_u8(bytes, vdupq_n_u8('\t')), vdupq_n_u8('\r' - '\t'));
  return vorrq_u8(control, vceqq_u8(bytes, vdupq_n_u8(' ')));
}

inline uint8x16_t neon_continuations(uint8x16_t bytes) { return vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(-64)); }

inline std::uint64_t simd128_space_mask(const char* block) { return simd128_mask<neon_spaces>(block); }
inline std::uint64_t simd128_continuation_mask(const char* block) { return simd128_mask<neon_continuations>(block); }

#else

inline std::uint64_t simd128_space_mask(const char* block) { return portable_space_mask(block); }
inline std::uint64_t simd128_continuation_mask(const char* block) { return portable_continuation_mask(block); }

#endif

#ifdef __x86_64__

// A byte is white space when a table of sixteen, indexed by its low four bits, holds the byte itself.
ONTIME_TARGET_AVX2 inline std::uint32_t avx2_space_mask_of_32(const char* block) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  const __m256i table = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0,  //
                                         ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_shuffle_epi8(table, bytes))));
}

ONTIME_TARGET_AVX2 inline std::uint64_t avx2_space_mask(const char* block) {
  return avx2_space_mask_of_32(block) | static_cast<std::uint64_t>(avx2_space_mask_of_32(block + 32)) << 32;
}

ONTIME_TARGET_AVX2 inline std::uint32_t avx2_continuation_mask_of_32(const char* block) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(-64), bytes)));
}

ONTIME_TARGET_AVX2 inline std::uint64_t avx2_continuation_mask(const char* block) {
  return avx2_continuation_mask_of_32(block) | static_cast<std::uint64_t>(avx2_continuation_mask_of_32(block + 32))
                                                   << 32;
}

// What the table holds for each of the bytes.
ONTIME_TARGET_AVX512 inline __m512i avx512_spaces_like(__m512i bytes) {
  const __m512i table =
      _mm512_broadcast_i32x4(_mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', '\v', '\f', '\r', 0, 0));
  return _mm512_shuffle_epi8(table, bytes);
}

ONTIME_TARGET_AVX512 inline std::uint64_t avx512_space_mask(const char* block) {
  const __m512i bytes = _mm512_loadu_si512(block);
  return _mm512_cmpeq_epi8_mask(bytes, avx512_spaces_like(bytes));
}

// 1 for each byte that is no white space, 0 for the others.
ONTIME_TARGET_AVX512 inline __m512i avx512_letters(const char* block) {
  const __m512i bytes = _mm512_loadu_si512(block);
  return _mm512_min_epu8(_mm512_xor_si512(bytes, avx512_spaces_like(bytes)), _mm512_set1_epi8(1));
}

ONTIME_TARGET_AVX512 inline std::uint64_t avx512_continuation_mask(const char* block) {
  return _mm512_cmplt_epi8_mask(_mm512_loadu_si512(block), _mm512_set1_epi8(-64));
}

#endif

}  // namespace ontime::apps

#include "apps/text/word_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace ontime::apps {
namespace {

// Appends to `out` a word for each bit of `mask` (white space in the 64 bytes from `at` on) unless it is empty. No
// branch depends on a single byte: an empty word is written and then overwritten.
[[gnu::always_inline]] inline WordSpan* split_at_spaces(std::uint64_t mask, std::uint32_t at, std::uint32_t& word_begin,
                                                        WordSpan* out) {
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t space = at + static_cast<std::uint32_t>(std::countr_zero(mask));
    *out = {word_begin, space - word_begin};
    out += space != word_begin;
    word_begin = space + 1;
  }
  return out;
}

using MaskOf = std::uint64_t (*)(const char* block);

// Finds the words that end in the bytes from `text` on, of which the first is byte `at` of the whole. `word_begin` is
// behind the white space before them, then behind the last of theirs.
using FindWords = WordSpan* (*)(const char* text, std::uint32_t at, std::uint32_t& word_begin, WordSpan* out);

template <MaskOf space_mask>
[[gnu::always_inline]] inline WordSpan* find_words(const char* text, std::uint32_t at, std::uint32_t& word_begin,
                                                   WordSpan* out) {
  std::uint32_t begin = word_begin;  // kept in a register
  for (std::size_t i = 0; i < WordScanner::kBlocksAtOnce; ++i, text += kBlockBytes, at += kBlockBytes) {
    out = split_at_spaces(space_mask(text), at, begin, out);
  }
  word_begin = begin;
  return out;
}

WordSpan* find_words_portable(const char* text, std::uint32_t at, std::uint32_t& word_begin, WordSpan* out) {
  return find_words<portable_space_mask>(text, at, word_begin, out);
}

WordSpan* find_words_simd128(const char* text, std::uint32_t at, std::uint32_t& word_begin, WordSpan* out) {
  return find_words<simd128_space_mask>(text, at, word_begin, out);
}

#ifdef __x86_64__
ONTIME_TARGET_AVX2 WordSpan* find_words_avx2(const char* text, std::uint32_t at, std::uint32_t& word_begin,
                                             WordSpan* out) {
  return find_words<avx2_space_mask>(text, at, word_begin, out);
}

// Writes to `out` the places, counted from `at`, of the bits of `mask`, at most every other one of which is set.
// Returns how many. May write 32 places.
ONTIME_TARGET_AVX512 std::size_t list_places(std::uint64_t mask, std::uint32_t at, std::uint32_t* out) {
  alignas(64) static constexpr auto numbers = [] {
    std::array<std::uint8_t, kBlockBytes> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
    return all;
  }();
  const __m512i places = _mm512_maskz_compress_epi8(mask, _mm512_load_si512(numbers.data()));
  const __m512i first = _mm512_set1_epi32(static_cast<int>(at));
  _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(places)), first));
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  if (count > 16) [[unlikely]] {
    const __m128i more = _mm512_extracti32x4_epi32(places, 1);
    _mm512_storeu_si512(out + 16, _mm512_add_epi32(_mm512_cvtepu8_epi32(more), first));
  }
  return count;
}

// Where words begin and where they end is listed apart, without a branch on how many there are.
ONTIME_TARGET_AVX512 WordSpan* find_words_avx512(const char* text, std::uint32_t at, std::uint32_t& word_begin,
                                                 WordSpan* out) {
  std::uint32_t begins[WordScanner::kMaxGroup + 32], ends[WordScanner::kMaxGroup + 32];
  std::uint64_t after_space = word_begin == at;
  begins[0] = word_begin;
  std::size_t begun = 1 - after_space, ended = 0;
  for (std::size_t i = 0; i < WordScanner::kBlocksAtOnce; ++i, text += kBlockBytes, at += kBlockBytes) {
    const std::uint64_t spaces = avx512_space_mask(text);
    const std::uint64_t behind_spaces = spaces << 1 | after_space;
    after_space = spaces >> 63;
    begun += list_places(~spaces & behind_spaces, at, begins + begun);
    ended += list_places(spaces & ~behind_spaces, at, ends + ended);
  }
  for (std::size_t i = 0; i < ended; i += 8) {
    const __m256i begin = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begins + i));
    const __m256i end = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ends + i));
    const __m512i sizes = _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm256_sub_epi32(end, begin)), 32);
    _mm512_storeu_si512(out + i, _mm512_or_si512(_mm512_cvtepu32_epi64(begin), sizes));
  }
  word_begin = begun > ended ? begins[ended] : at;
  return out + ended;
}
static_assert(sizeof(WordSpan) == 8 && offsetof(WordSpan, size) == 4, "written as the halves of 64 bits");
#else
constexpr FindWords find_words_avx2 = find_words_portable;
constexpr FindWords find_words_avx512 = find_words_portable;
#endif

FindWords choose_find_words(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx512: return find_words_avx512;
    case InstructionSet::Avx2: return find_words_avx2;
    case InstructionSet::Simd128: return find_words_simd128;
    case InstructionSet::Portable: break;
  }
  return find_words_portable;
}

// Adds what `blocks` blocks of 64 bytes hold. `after_space` tells about the byte before the first, then before the
// next.
template <bool CodePoints, MaskOf space_mask, MaskOf continuation_mask>
[[gnu::always_inline]] inline void add_blocks(const char* text, std::size_t blocks, std::uint64_t& after_space,
                                              WordTotals& totals) {
  std::uint64_t words = 0, bytes = 0, code_points = 0, before = after_space;
  for (; blocks > 0; --blocks, text += kBlockBytes) {
    const std::uint64_t letters = ~space_mask(text);
    words += static_cast<std::uint64_t>(std::popcount(letters & (~letters << 1 | before)));
    before = ~letters >> 63;
    bytes += static_cast<std::uint64_t>(std::popcount(letters));
    if constexpr (CodePoints) {
      code_points += static_cast<std::uint64_t>(std::popcount(letters & ~continuation_mask(text)));
    }
  }
  after_space = before;
  totals += {words, bytes, code_points};
}

using AddBlocks = void (*)(const char* text, std::size_t blocks, std::uint64_t& after_space, WordTotals& totals);

template <bool CodePoints>
void add_blocks_portable(const char* text, std::size_t blocks, std::uint64_t& after_space, WordTotals& totals) {
  add_blocks<CodePoints, portable_space_mask, portable_continuation_mask>(text, blocks, after_space, totals);
}

template <bool CodePoints>
void add_blocks_simd128(const char* text, std::size_t blocks, std::uint64_t& after_space, WordTotals& totals) {
  add_blocks<CodePoints, simd128_space_mask, simd128_continuation_mask>(text, blocks, after_space, totals);
}

#ifdef __x86_64__
template <bool CodePoints>
ONTIME_TARGET_AVX2 void add_blocks_avx2(const char* text, std::size_t blocks, std::uint64_t& after_space,
                                        WordTotals& totals) {
  add_blocks<CodePoints, avx2_space_mask, avx2_continuation_mask>(text, blocks, after_space, totals);
}

template <bool CodePoints>
ONTIME_TARGET_AVX512 void add_blocks_avx512(const char* text, std::size_t blocks, std::uint64_t& after_space,
                                            WordTotals& totals) {
  add_blocks<CodePoints, avx512_space_mask, avx512_continuation_mask>(text, blocks, after_space, totals);
}

ONTIME_TARGET_AVX512 inline std::uint64_t sum_of_bytes(__m512i bytes) {
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_sad_epu8(bytes, _mm512_setzero_si512())));
}

// In the bytes of vectors: 111 GB/s out of the cache, where masks allow 70 (Zen 5).
template <>
ONTIME_TARGET_AVX512 void add_blocks_avx512<false>(const char* text, std::size_t blocks, std::uint64_t& after_space,
                                                   WordTotals& totals) {
  constexpr std::size_t kBlocksMost = 255;  // that a byte can count
  alignas(64) static constexpr auto kOneEarlier = [] {
    std::array<std::uint8_t, kBlockBytes> places{2 * kBlockBytes - 1};  // the last one of the vector before
    for (std::uint8_t i = 1; i < kBlockBytes; ++i) places[i] = i - 1;
    return places;
  }();
  const __m512i one_earlier = _mm512_load_si512(kOneEarlier.data());
  __m512i previous = _mm512_set1_epi8(after_space == 0 ? 1 : 0);
  while (blocks > 0) {
    __m512i begins = _mm512_setzero_si512();
    __m512i bytes = _mm512_setzero_si512();
    std::size_t now = std::min(blocks, kBlocksMost);
    blocks -= now;
    for (; now > 0; --now, text += kBlockBytes) {
      const __m512i letters = avx512_letters(text);
      const __m512i before = _mm512_permutex2var_epi8(letters, one_earlier, previous);
      begins = _mm512_add_epi8(begins, _mm512_andnot_si512(before, letters));
      bytes = _mm512_add_epi8(bytes, letters);
      previous = letters;
    }
    totals += {sum_of_bytes(begins), sum_of_bytes(bytes), 0};
  }
  after_space = _mm512_test_epi8_mask(previous, previous) >> 63 == 0 ? 1 : 0;
}
#else
template <bool CodePoints>
constexpr AddBlocks add_blocks_avx2 = add_blocks_portable<CodePoints>;
template <bool CodePoints>
constexpr AddBlocks add_blocks_avx512 = add_blocks_portable<CodePoints>;
#endif

template <bool CodePoints>
AddBlocks choose_add_blocks(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx512: return add_blocks_avx512<CodePoints>;
    case InstructionSet::Avx2: return add_blocks_avx2<CodePoints>;
    case InstructionSet::Simd128: return add_blocks_simd128<CodePoints>;
    case InstructionSet::Portable: break;
  }
  return add_blocks_portable<CodePoints>;
}

}  // namespace

WordScanner::WordScanner(std::string_view text, InstructionSet set) : text_(text), find_words_(choose_find_words(set)) {
  if (text.size() > 0xffffffffu - kBytesAtOnce) throw std::length_error("a batch of 4 GiB or more cannot be scanned");
}

std::span<const WordSpan> WordScanner::next() {
  while (!ended_) {
    std::array<char, kBytesAtOnce> last;  // the rest, as if blanks followed
    const char* from = text_.data() + at_;
    if (text_.size() - at_ < kBytesAtOnce) {
      last.fill(' ');
      if (text_.size() > at_) std::memcpy(last.data(), from, text_.size() - at_);
      from = last.data();
    }
    const WordSpan* const end = find_words_(from, static_cast<std::uint32_t>(at_), word_begin_, words_.data());
    at_ += kBytesAtOnce;
    ended_ = at_ >= text_.size() + 1;
    if (end != words_.data()) return {words_.data(), end};
  }
  return {};
}

WordTotals count_totals(std::string_view text, bool code_points, InstructionSet set) {
  const AddBlocks add = code_points ? choose_add_blocks<true>(set) : choose_add_blocks<false>(set);
  WordTotals totals;
  std::uint64_t after_space = 1;
  const std::size_t whole = text.size() / kBlockBytes;
  add(text.data(), whole, after_space, totals);
  std::array<char, kBlockBytes> last;  // the rest, as if blanks followed
  last.fill(' ');
  const std::string_view rest = text.substr(whole * kBlockBytes);
  if (!rest.empty()) std::memcpy(last.data(), rest.data(), rest.size());
  add(last.data(), 1, after_space, totals);
  return totals;
}

}  // namespace ontime::apps

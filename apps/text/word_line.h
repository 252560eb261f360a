#pragma once
// The slots of a table of words that lie in one cache line. Where the machine can, a word is compared with all of them
// at once: no branch predictor knows which of them holds it.

#include <cstddef>

#include "apps/text/byte_class.h"
#include "apps/text/counted_word.h"

namespace ontime::apps {

inline constexpr std::size_t kCacheLine = 64;

template <class Word>  // a CountedWord
struct alignas(kCacheLine) WordLine {
  static constexpr std::size_t kSlots = kCacheLine / sizeof(Word);

  // The parts of its words; filled from the first on.
  std::uint64_t heads[Word::kHeads][kSlots];
  std::uint32_t tails[kSlots];
  std::uint32_t counts[kSlots];

  Word get(std::size_t slot) const {
    Word word;
    for (std::size_t i = 0; i < Word::kHeads; ++i) word.heads[i] = heads[i][slot];
    word.tail = tails[slot];
    word.count = counts[slot];
    return word;
  }
  void set(std::size_t slot, const Word& word) {
    for (std::size_t i = 0; i < Word::kHeads; ++i) heads[i][slot] = word.heads[i];
    tails[slot] = word.tail;
    counts[slot] = word.count;
  }
};
static_assert(sizeof(WordLine<ShortWord>) == kCacheLine && sizeof(WordLine<MediumWord>) == kCacheLine);

// All variants: adds the count of `word` to its slot; false when the line does not hold it.
template <class Word>
bool add_in_line(WordLine<Word>& line, const Word& word) {
  for (std::size_t i = 0; i < line.kSlots; ++i) {
    if (!line.get(i).same_word(word)) continue;
    line.counts[i] += word.count;
    return true;
  }
  return false;
}

// Loads a word with a count of 1 and returns its hash. REQUIRES: as CountedWord::load().
inline std::uint64_t load_once(const char* word, std::size_t size, ShortWord& loaded) {
  loaded = ShortWord::load(word, size, 1);
  return loaded.hash();
}

#ifdef __x86_64__

// Both read and write the four counts at once: a read of what several writes have left would wait for them.
ONTIME_TARGET_AVX2 inline bool add_in_line_avx2(WordLine<ShortWord>& line, const ShortWord& word) {
  const auto* const heads = reinterpret_cast<const __m256i*>(line.heads[0]);
  const auto* const tails = reinterpret_cast<const __m128i*>(line.tails);
  auto* const counts = reinterpret_cast<__m128i*>(line.counts);
  const __m256i head = _mm256_set1_epi64x(static_cast<long long>(word.heads[0]));
  const __m128i tail = _mm_set1_epi32(static_cast<int>(word.tail));
  const __m256i same_tail = _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(_mm_load_si128(tails), tail));
  const __m256i same = _mm256_and_si256(_mm256_cmpeq_epi64(_mm256_load_si256(heads), head), same_tail);
  if (_mm256_testz_si256(same, same)) [[unlikely]]
    return false;
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  const __m128i slot = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(same, low_halves));
  const __m128i more = _mm_and_si128(slot, _mm_set1_epi32(static_cast<int>(word.count)));
  _mm_store_si128(counts, _mm_add_epi32(_mm_load_si128(counts), more));
  return true;
}

ONTIME_TARGET_AVX512 inline bool add_in_line_avx512(WordLine<ShortWord>& line, const ShortWord& word) {
  auto* const counts = reinterpret_cast<__m128i*>(line.counts);
  const __m256i head = _mm256_set1_epi64x(static_cast<long long>(word.heads[0]));
  const __m128i tail = _mm_set1_epi32(static_cast<int>(word.tail));
  const __m256i heads = _mm256_load_si256(reinterpret_cast<const __m256i*>(line.heads[0]));
  const __m128i tails = _mm_load_si128(reinterpret_cast<const __m128i*>(line.tails));
  const __mmask8 slot = _mm_mask_cmpeq_epi32_mask(_mm256_cmpeq_epi64_mask(heads, head), tails, tail);
  if (slot == 0) [[unlikely]]
    return false;
  const __m128i before = _mm_load_si128(counts);
  const __m128i more = _mm_set1_epi32(static_cast<int>(word.count));
  _mm_store_si128(counts, _mm_mask_add_epi32(before, slot, before, more));
  return true;
}

// As load_once(), without reading behind the word.
ONTIME_TARGET_AVX512 inline std::uint64_t load_once_avx512(const char* word, std::size_t size, ShortWord& loaded) {
  const __m128i blanks = _mm_set1_epi8(' ');
  const auto own = static_cast<__mmask16>(_bzhi_u32(0xfff, static_cast<unsigned>(size)));
  const __m128i bytes = _mm_xor_si128(_mm_mask_loadu_epi8(blanks, own, word), blanks);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&loaded), _mm_insert_epi32(bytes, 1, 3));
  return ShortWord::hash_of({static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes))},
                            static_cast<std::uint32_t>(_mm_extract_epi32(bytes, 2)));
}

#endif

}  // namespace ontime::apps

#include "apps/termvector/line_terms.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "apps/text/counts.h"

namespace ontime::apps {
namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

// As many as there are at once, so that only their number decides how often a loop runs. Keys that are not there come
// last, all at one place.
[[gnu::always_inline]] inline void sort_four(std::int64_t* keys, std::int64_t* sorted, std::size_t count) {
  using Lanes = std::int64_t __attribute__((vector_size(32)));
  constexpr std::size_t lanes = sizeof(Lanes) / sizeof(std::int64_t);
  std::fill_n(keys + count, kKeysAtOnce, kLast);
  for (std::size_t i = 0; i < count; i += lanes) {
    Lanes mine, smaller = {};
    std::memcpy(&mine, keys + i, sizeof mine);
    for (std::size_t j = 0; j < count; j += kKeysAtOnce) {
#pragma GCC unroll 8
      for (std::size_t k = j; k < j + kKeysAtOnce; ++k) smaller -= mine > keys[k];  // a comparison that holds gives -1
    }
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < lanes; ++lane) sorted[static_cast<std::size_t>(smaller[lane])] = mine[lane];
  }
}

void sort_portable(std::int64_t* keys, std::int64_t* sorted, std::size_t count) { sort_four(keys, sorted, count); }

#ifdef __x86_64__
ONTIME_TARGET_AVX2 void sort_avx2(std::int64_t* keys, std::int64_t* sorted, std::size_t count) {
  sort_four(keys, sorted, count);
}

// The smaller ones are bits of a mask: to count them takes fewer instructions than to add them up lane by lane.
template <std::size_t Vectors>
ONTIME_TARGET_AVX512 void sort_up_to(std::int64_t* keys, std::int64_t* sorted, std::size_t count) {
  _mm512_storeu_si512(keys + count, _mm512_set1_epi64(kLast));
  __m512i all[Vectors];
  for (std::size_t i = 0; i < Vectors; ++i)
    all[i] = 8 * i < count ? _mm512_loadu_si512(keys + 8 * i) : _mm512_set1_epi64(kLast);
  for (std::size_t j = 0; j < count; j += kKeysAtOnce) {
#pragma GCC unroll 8
    for (std::size_t k = j; k < j + kKeysAtOnce; ++k) {
      const __m512i key = _mm512_set1_epi64(keys[k]);
      std::uint64_t smaller = 0;
      for (std::size_t i = 0; i < Vectors; ++i) smaller |= std::uint64_t{_mm512_cmplt_epi64_mask(all[i], key)} << 8 * i;
      sorted[__builtin_popcountll(smaller)] = keys[k];
    }
  }
}

ONTIME_TARGET_AVX512 void sort_avx512(std::int64_t* keys, std::int64_t* sorted, std::size_t count) {
  if (count <= 16) return sort_up_to<2>(keys, sorted, count);
  count <= 32 ? sort_up_to<4>(keys, sorted, count) : sort_up_to<8>(keys, sorted, count);
}
#else
constexpr auto sort_avx2 = sort_portable;
constexpr auto sort_avx512 = sort_portable;
#endif

constexpr unsigned kPlaceBits = 8;
static_assert(LineTerms::kMaxWords <= 1 << kPlaceBits);

// The first seven bytes, zero behind the word's end, in the order of a dictionary, then the place of the word; with the
// sign turned, as it is compared as a signed number.
std::int64_t key_of(const char* word, std::size_t size, std::size_t place) {
  constexpr std::size_t first_bytes = 7;
  std::uint64_t bytes;
  std::memcpy(&bytes, word, sizeof bytes);
  const std::size_t behind = 8 * (8 - std::min(size, first_bytes));  // bits
  const std::uint64_t dictionary = __builtin_bswap64(bytes) >> behind << behind;
  return static_cast<std::int64_t>((dictionary | place) ^ 1ULL << 63);
}

char* write_once(char* to, std::string_view word) {
  constexpr std::size_t at_once = LineTerms::kReadable;
  if (word.size() > at_once) [[unlikely]]
    std::memcpy(to + at_once, word.data() + at_once, word.size() - at_once);
  std::memcpy(to, word.data(), at_once);
  to += word.size();
  std::memcpy(to, ":1 ", 4);
  return to + 3;
}

bool are_alike(std::int64_t a, std::int64_t b) { return (a ^ b) >> kPlaceBits == 0; }

}  // namespace

void sort_keys(std::int64_t* keys, std::int64_t* sorted, std::size_t count, InstructionSet set) {
  if (set == InstructionSet::Avx512) return sort_avx512(keys, sorted, count);
  set == InstructionSet::Avx2 ? sort_avx2(keys, sorted, count) : sort_portable(keys, sorted, count);
}

std::size_t LineTerms::take(std::string_view text, std::span<const WordSpan> words, std::size_t end) {
  const std::size_t most = std::min(words.size(), kMaxWords - size_);
  const std::size_t before = std::min(end, text.size() < kReadable ? 0 : text.size() - kReadable + 1);
  std::size_t taken = 0, place = size_, bytes = bytes_;
  for (; taken < most && words[taken].begin < before; ++taken, ++place) {
    const WordSpan word = words[taken];
    const char* const begin = text.data() + word.begin;
    words_[place] = {begin, word.size};
    keys_[place] = key_of(begin, word.size, place);
    bytes += word.size;
  }
  size_ = place;
  bytes_ = bytes;
  return taken;
}

void LineTerms::clear() { size_ = bytes_ = 0; }

void LineTerms::write(app::Output& out) {
  if (size_ <= kMaxKeys) {
    sort_keys(keys_.data(), sorted_.data(), size_);
  } else {
    std::copy_n(keys_.begin(), size_, sorted_.begin());
    std::sort(sorted_.begin(), sorted_.begin() + size_);
  }
  char* const begin = out.reserve(bytes_ + size_ * kTermExtra + kReadable);
  char* to = begin;
  if (!has_alike()) {
    for (std::size_t i = 0; i < size_; ++i) to = write_once(to, word_of(sorted_[i]));
  } else {
    for (const Term& term : count_repeated())
      to = term.count == 1 ? write_once(to, term.text) : write_term(to, term, Padding::SixteenBytes);
  }
  out.commit(static_cast<std::size_t>(to - begin) - 1);
}

bool LineTerms::has_alike() const {
  bool has = false;
  for (std::size_t i = 0; i + 1 < size_; i += kKeysAtOnce) {
#pragma GCC unroll 8
    for (std::size_t k = i; k < i + kKeysAtOnce; ++k) has |= are_alike(sorted_[k], sorted_[k + 1]) & (k + 1 < size_);
  }
  return has;
}

// Puts words whose keys do not tell them apart in order, unless they are one word.
void LineTerms::order_alike(std::size_t begin, std::size_t end) {
  const std::span<std::int64_t> alike(sorted_.data() + begin, end - begin);
  const std::string_view first = word_of(alike.front());
  if (std::all_of(alike.begin() + 1, alike.end(), [&](std::int64_t key) { return word_of(key) == first; })) return;
  std::sort(alike.begin(), alike.end(), [&](std::int64_t a, std::int64_t b) { return word_of(a) < word_of(b); });
}

// Those that occur once are in order as they come. Room for the others is left before them.
std::span<const Term> LineTerms::count_repeated() {
  std::size_t end = kRepeatedMost, repeats = 0;
  for (std::size_t i = 0, known = 0; i < size_;) {
    if (i >= known) {
      for (known = i + 1; known < size_ && are_alike(sorted_[i], sorted_[known]);) ++known;
      if (known > i + 1) order_alike(i, known);
    }
    const std::size_t first = i++;
    const std::string_view word = word_of(sorted_[first]);
    while (i < known && word_of(sorted_[i]) == word) ++i;
    if (i - first == 1)
      terms_[end++] = {word, 1};
    else
      repeated_[repeats++] = {word, i - first};
  }
  std::sort(repeated_.begin(), repeated_.begin() + repeats, comes_before);
  Term* const first = terms_.data() + kRepeatedMost - repeats;
  std::copy_n(repeated_.begin(), repeats, first);
  return {first, terms_.data() + end};
}

}  // namespace ontime::apps

#include "apps/text/word_scanner.h"

#include <array>
#include <bit>
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

using Masks = std::array<std::uint64_t, WordScanner::kBlocksAtOnce>;

[[gnu::always_inline]] inline WordSpan* split_blocks(const Masks& masks, std::uint32_t at, std::uint32_t& word_begin,
                                                     WordSpan* out) {
  std::uint32_t begin = word_begin;  // kept in a register
  for (const std::uint64_t mask : masks) {
    out = split_at_spaces(mask, at, begin, out);
    at += kBlockBytes;
  }
  word_begin = begin;
  return out;
}

WordSpan* split_blocks_portable(const Masks& masks, std::uint32_t at, std::uint32_t& word_begin, WordSpan* out) {
  return split_blocks(masks, at, word_begin, out);
}

void load_masks_portable(const char* text, Masks& masks) {
  for (std::uint64_t& mask : masks) mask = portable_space_mask(text), text += kBlockBytes;
}

#ifdef __x86_64__
__attribute__((target("bmi,bmi2,popcnt"))) WordSpan* split_blocks_bmi(const Masks& masks, std::uint32_t at,
                                                                      std::uint32_t& word_begin, WordSpan* out) {
  return split_blocks(masks, at, word_begin, out);
}

__attribute__((target("avx2"))) void load_masks_avx2(const char* text, Masks& masks) {
  for (std::uint64_t& mask : masks) mask = avx2_space_mask(text), text += kBlockBytes;
}
#else
constexpr auto split_blocks_bmi = split_blocks_portable;
constexpr auto load_masks_avx2 = load_masks_portable;
#endif

using MaskOf = std::uint64_t (*)(const char* block);

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

#ifdef __x86_64__
template <bool CodePoints>
__attribute__((target("avx2,popcnt"))) void add_blocks_avx2(const char* text, std::size_t blocks,
                                                            std::uint64_t& after_space, WordTotals& totals) {
  add_blocks<CodePoints, avx2_space_mask, avx2_continuation_mask>(text, blocks, after_space, totals);
}
#else
template <bool CodePoints>
constexpr AddBlocks add_blocks_avx2 = add_blocks_portable<CodePoints>;
#endif

AddBlocks choose(bool code_points, InstructionSet set) {
  if (set == InstructionSet::Avx2) return code_points ? add_blocks_avx2<true> : add_blocks_avx2<false>;
  return code_points ? add_blocks_portable<true> : add_blocks_portable<false>;
}

}  // namespace

WordScanner::WordScanner(std::string_view text, InstructionSet set) : text_(text), set_(set) {
  if (text.size() > 0xffffffffu - kBytesAtOnce) throw std::length_error("a batch of 4 GiB or more cannot be scanned");
}

std::span<const WordSpan> WordScanner::next() {
  while (!ended_) {
    const Masks masks = load_masks();
    const WordSpan* end = find_words(masks);
    ended_ = at_ >= text_.size() + 1;
    if (end != words_.data()) return {words_.data(), end};
  }
  return {};
}

// White space of the next bytes, as if the text were followed by blanks.
WordScanner::Masks WordScanner::load_masks() {
  std::array<char, kBytesAtOnce> last;
  const char* from = text_.data() + at_;
  if (text_.size() - at_ < kBytesAtOnce) {
    last.fill(' ');
    if (text_.size() > at_) std::memcpy(last.data(), from, text_.size() - at_);
    from = last.data();
  }
  Masks masks;
  set_ == InstructionSet::Avx2 ? load_masks_avx2(from, masks) : load_masks_portable(from, masks);
  return masks;
}

const WordSpan* WordScanner::find_words(const Masks& masks) {
  const auto at = static_cast<std::uint32_t>(at_);
  at_ += kBytesAtOnce;
  return set_ == InstructionSet::Avx2 ? split_blocks_bmi(masks, at, word_begin_, words_.data())
                                      : split_blocks_portable(masks, at, word_begin_, words_.data());
}

WordTotals count_totals(std::string_view text, bool code_points, InstructionSet set) {
  const AddBlocks add = choose(code_points, set);
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

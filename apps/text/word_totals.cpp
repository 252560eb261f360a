#include "apps/text/word_scanner.h"

#include <array>
#include <bit>
#include <cstring>

namespace ontime::apps {
namespace {

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

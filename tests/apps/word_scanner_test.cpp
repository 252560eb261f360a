#include "apps/text/word_scanner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>

#include "apps/text/byte_class.h"
#include "tests/apps/texts.h"
#include "tests/apps/white_space.h"

namespace ontime::apps {
namespace {

using test::words_of;

std::vector<std::string> scan(std::string_view text, InstructionSet set) {
  const auto exact = std::make_unique<char[]>(text.size());
  if (!text.empty()) std::memcpy(exact.get(), text.data(), text.size());
  const std::string_view copy(exact.get(), text.size());
  std::vector<std::string> words;
  WordScanner scanner(copy, set);
  for (auto group = scanner.next(); !group.empty(); group = scanner.next()) {
    EXPECT_LE(group.size(), WordScanner::kMaxGroup);
    for (const WordSpan& span : group) words.emplace_back(span.in(copy));
  }
  EXPECT_TRUE(scanner.next().empty());
  return words;
}

TEST(WhiteSpace, IsWhatIsspaceSaysOfEveryByte) {
  for (int byte = 0; byte < 256; ++byte) EXPECT_EQ(is_space(static_cast<char>(byte)), std::isspace(byte) != 0) << byte;
}

#ifdef __x86_64__
bool has(InstructionSet set) {
  const auto sets = instruction_sets();
  return std::find(sets.begin(), sets.end(), set) != sets.end();
}
#endif

TEST(ByteClass, MasksTellEveryByteAtEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < kBlockBytes; ++at) {
      for (const char around : {'x', ' ', '\x80', '\xff'}) {
        std::string block(kBlockBytes, around);
        block[at] = static_cast<char>(byte);
        std::uint64_t spaces = 0, continuations = 0;
        for (std::size_t i = 0; i < kBlockBytes; ++i) {
          spaces |= static_cast<std::uint64_t>(is_space(block[i])) << i;
          continuations |= static_cast<std::uint64_t>((block[i] & 0xc0) == 0x80) << i;
        }
        ASSERT_EQ(portable_space_mask(block.data()), spaces) << byte;
        ASSERT_EQ(portable_continuation_mask(block.data()), continuations) << byte;
        ASSERT_EQ(simd128_space_mask(block.data()), spaces) << byte;
        ASSERT_EQ(simd128_continuation_mask(block.data()), continuations) << byte;
#ifdef __x86_64__
        if (has(InstructionSet::Avx2)) {
          ASSERT_EQ(avx2_space_mask(block.data()), spaces) << byte;
          ASSERT_EQ(avx2_continuation_mask(block.data()), continuations) << byte;
        }
        if (has(InstructionSet::Avx512)) {
          ASSERT_EQ(avx512_space_mask(block.data()), spaces) << byte;
          ASSERT_EQ(avx512_continuation_mask(block.data()), continuations) << byte;
        }
#endif
      }
    }
  }
}

TEST(WordScanner, FindsTheWordsOfAnyText) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *test::any_text();
    for (const InstructionSet set : instruction_sets()) RC_ASSERT(scan(text, set) == words_of(text));
  }));
}

TEST(WordScanner, FindsWordsThatEndAtEveryPlace) {
  for (const InstructionSet set : instruction_sets()) {
    for (std::size_t size = 0; size < 2 * WordScanner::kBytesAtOnce + 3; ++size) {
      const std::string word(size, 'w');
      for (const std::string& text : {word, word + " ", " " + word, word + "\nx", "x " + word + " y"}) {
        ASSERT_EQ(scan(text, set), words_of(text)) << size;
      }
    }
  }
}

TEST(WordScanner, FindsAsManyWordsAsAGroupCanHold) {
  std::string text;
  for (std::size_t i = 0; i < 4 * WordScanner::kBytesAtOnce; ++i) text += i % 2 == 0 ? 'a' : ' ';
  for (const InstructionSet set : instruction_sets()) {
    EXPECT_EQ(scan(text, set).size(), 2 * WordScanner::kBytesAtOnce);
    EXPECT_EQ(scan(text.substr(1), set).size(), 2 * WordScanner::kBytesAtOnce - 1);
  }
}

}  // namespace
}  // namespace ontime::apps

#pragma once
// A word of a few bytes together with its count: a value that is loaded, compared and hashed in a few instructions.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "apps/text/byte_class.h"

namespace ontime::apps {

// The building block of the hashes here.
inline constexpr std::uint64_t kFirstKey = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kSecondKey = 0xd6e8feb86659fd93;

// Folds a full 64 by 64 bit product: every bit of both factors reaches the middle and the ends of the result.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// By the size of a word: the bytes of a CountedWord that belong to it.
template <std::size_t Heads>
struct WordMask {
  std::uint64_t heads[Heads];
  std::uint32_t tail;
};

template <std::size_t Heads>
inline constexpr auto kWordMasks = [] {
  constexpr auto low_bytes = [](std::size_t count) { return count >= 8 ? ~0ULL : (1ULL << 8 * count) - 1; };
  std::array<WordMask<Heads>, 8 * Heads + 4 + 1> masks{};
  for (std::size_t size = 0; size < masks.size(); ++size) {
    for (std::size_t i = 0; i < Heads; ++i) masks[size].heads[i] = size > 8 * i ? low_bytes(size - 8 * i) : 0;
    masks[size].tail = size > 8 * Heads ? static_cast<std::uint32_t>(low_bytes(size - 8 * Heads)) : 0;
  }
  return masks;
}();

// Room for 8 * Heads + 4 bytes. Every byte is stored XOR ' ' and those behind the word are zero. A word holds no blank,
// so no byte of it is stored as zero: words that end in NUL bytes stay apart from shorter ones, and the first head is
// never zero.
template <std::size_t Heads>
struct CountedWord {
  static constexpr std::size_t kHeads = Heads;
  static constexpr std::size_t kMaxSize = 8 * Heads + 4;
  static constexpr std::size_t kReadable = kMaxSize;  // bytes that load() reads, whatever the size

  std::uint64_t heads[Heads];
  std::uint32_t tail;
  std::uint32_t count;  // 0: no word

  // REQUIRES: kReadable bytes can be read from `word` on. Of a longer word only the beginning is taken.
  static CountedWord load(const char* word, std::size_t size, std::uint32_t count) {
    const WordMask<Heads>& mask = kWordMasks<Heads>[size < kMaxSize ? size : kMaxSize];
    CountedWord loaded;
    for (std::size_t i = 0; i < Heads; ++i)
      loaded.heads[i] = (load<std::uint64_t>(word + 8 * i) ^ kBlanks) & mask.heads[i];
    loaded.tail = (load<std::uint32_t>(word + 8 * Heads) ^ static_cast<std::uint32_t>(kBlanks)) & mask.tail;
    loaded.count = count;
    return loaded;
  }

  bool same_word(const CountedWord& other) const {
    std::uint64_t difference = tail ^ other.tail;
    for (std::size_t i = 0; i < Heads; ++i) difference |= heads[i] ^ other.heads[i];
    return difference == 0;
  }

  // The high bits are the good ones.
  static std::uint64_t hash_of(const std::uint64_t (&heads)[Heads], std::uint32_t tail) {
    std::uint64_t state = tail * kFirstKey;
    for (std::size_t i = 1; i < Heads; ++i) state = fold_product(state ^ kFirstKey, heads[i] ^ kSecondKey);
    return heads[0] * kSecondKey + state;
  }
  std::uint64_t hash() const { return hash_of(heads, tail); }

  // Without a branch: a part is full when the next one is not empty.
  std::size_t size() const {
    std::size_t bytes = bytes_of(tail);
    for (std::size_t i = 0; i < Heads; ++i) bytes += bytes_of(heads[i]);
    return bytes;
  }

  // Writes kMaxSize bytes; those from size() on mean nothing.
  void store(char* to) const {
    for (std::size_t i = 0; i < Heads; ++i) store(to + 8 * i, heads[i] ^ kBlanks);
    store(to + 8 * Heads, tail ^ static_cast<std::uint32_t>(kBlanks));
  }

 private:
  static constexpr std::uint64_t kBlanks = 0x2020202020202020;

  template <class T>
  static T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <class T>
  static void store(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
  // Up to the highest one that is not zero.
  template <class T>
  static std::size_t bytes_of(T value) {
    return sizeof value - static_cast<std::size_t>(std::countl_zero(value)) / 8;
  }
};

using ShortWord = CountedWord<1>;   // up to 12 bytes: 99 of 100 words of an English text
using MediumWord = CountedWord<3>;  // up to 28 bytes
static_assert(sizeof(ShortWord) == 16 && sizeof(MediumWord) == 32);

}  // namespace ontime::apps

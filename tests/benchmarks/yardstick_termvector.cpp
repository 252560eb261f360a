// yardstick_termvector FILE [--print]: how fast the lines of a file (`key<TAB>words`) can be made term vectors on this
// machine, by one thread, every line for itself. The vectors are written to memory.
//
// Shares no code with the application and trusts its input: keys without blanks, at most 128 words of at most 255 bytes
// a line, lines of less than 64 KiB, no NUL bytes.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/benchmarks/space_masks.h"
#include "tests/benchmarks/stopwatch.h"

namespace {

constexpr std::size_t kBlock = 128 * 1024;
constexpr std::size_t kMaxTerms = 256;

std::uint64_t load64(const char* from) {
  std::uint64_t value;
  std::memcpy(&value, from, 8);
  return value;
}

class Line {
 public:
  void add(const char* word, std::uint32_t size) {
    std::uint64_t head = load64(word);
    if (size < 8) head &= (1ULL << 8 * size) - 1;
    const std::uint64_t tail = size > 8 ? load64(word + size - 8) : 0;
    const std::uint64_t hash = (head ^ tail * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    for (std::uint64_t at = hash >> 56;; at = (at + 1) % kSlots) {
      Slot& slot = slots_[at];
      if (slot.line != line_) {
        slot = {line_, terms_};
        heads_[terms_] = head;
        tails_[terms_] = tail;
        words_[terms_] = word;
        sizes_[terms_] = size;
        counts_[terms_++] = 1;
        return;
      }
      const std::uint32_t i = slot.term;
      if (heads_[i] == head && tails_[i] == tail && sizes_[i] == size &&
          (size <= 16 || std::memcmp(words_[i] + 8, word + 8, size - 16) == 0)) {
        ++counts_[i];
        return;
      }
    }
  }

  // Writes the terms; there is room for them and 16 bytes more.
  char* write(char* to) {
    sort();
    for (std::uint32_t k = 0; k < terms_; ++k) {
      const std::uint32_t i = order_[k];
      std::memcpy(to, words_[i], 16);
      if (sizes_[i] > 16) std::memcpy(to + 16, words_[i] + 16, sizes_[i] - 16);
      to += sizes_[i];
      *to++ = ':';
      if (counts_[i] < 10)
        *to++ = static_cast<char>('0' + counts_[i]);
      else
        to += std::sprintf(to, "%u", counts_[i]);
      *to++ = ' ';
    }
    terms_ = 0;
    ++line_;
    return to;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  struct Slot {
    std::uint32_t line;
    std::uint32_t term;
  };

  void sort() {
    std::int64_t keys[kMaxTerms];
    for (std::uint32_t i = 0; i < terms_; ++i) {
      keys[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(127 - counts_[i]) << 56 |
                                          (__builtin_bswap64(heads_[i]) >> 16 << 8) | i);
    }
    for (std::uint32_t i = 0; i < terms_; ++i) {
      std::int64_t rank = 0;
      for (std::uint32_t k = 0; k < terms_; ++k) rank += keys[k] < keys[i];
      order_[rank] = i;
    }
    for (std::uint32_t i = 1; i < terms_; ++i) {  // equal in six bytes: seldom
      if (keys[order_[i]] >> 8 == keys[order_[i - 1]] >> 8) return sort_fully();
    }
  }

  void sort_fully() {
    std::sort(order_, order_ + terms_, [this](std::uint32_t a, std::uint32_t b) {
      if (counts_[a] != counts_[b]) return counts_[a] > counts_[b];
      return std::string_view(words_[a], sizes_[a]) < std::string_view(words_[b], sizes_[b]);
    });
  }

  std::uint32_t line_ = 1;
  std::uint32_t terms_ = 0;
  Slot slots_[kSlots] = {};
  std::uint64_t heads_[kMaxTerms], tails_[kMaxTerms];
  const char* words_[kMaxTerms];
  std::uint32_t sizes_[kMaxTerms], counts_[kMaxTerms], order_[kMaxTerms];
};

// Makes vectors of the whole lines in [begin, end); 64 bytes behind may be read.
char* map_lines(const char* begin, const char* end, Line& line, char* to) {
  const char* word = begin;
  bool key = true;
  for (const char* block = begin; block < end; block += 64) {
    std::uint64_t mask = ontime::benchmarks::spaces_in_64(block);
    if (end - block < 64) mask &= (1ULL << (end - block)) - 1;
    for (; mask != 0; mask &= mask - 1) {
      const char* space = block + std::countr_zero(mask);
      if (key && *space == '\t') {
        to = std::copy(word, space + 1, to);
        key = false;
      } else if (space != word) {
        line.add(word, static_cast<std::uint32_t>(space - word));
      }
      word = space + 1;
      if (*space != '\n') continue;
      to = line.write(to);
      to[-1] = '\n';
      key = true;
    }
  }
  return to;
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc >= 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return std::fputs("usage: yardstick_termvector FILE [--print]\n", stderr), 2;

  const ontime::benchmarks::Stopwatch watch;
  std::vector<char> buffer(2 * kBlock + 128), output(16 * kBlock);
  Line line;
  std::size_t kept = 0;
  std::uint64_t size = 0, written = 0;
  for (ssize_t got; (got = read(file, buffer.data() + kept, kBlock)) > 0;) {
    size += static_cast<std::uint64_t>(got);
    const std::size_t filled = kept + static_cast<std::size_t>(got);
    std::size_t whole = filled;
    while (whole > 0 && buffer[whole - 1] != '\n') --whole;
    const char* end = map_lines(buffer.data(), buffer.data() + whole, line, output.data());
    written += static_cast<std::uint64_t>(end - output.data());
    if (argc > 2) std::fwrite(output.data(), 1, static_cast<std::size_t>(end - output.data()), stdout);
    kept = filled - whole;
    if (kept > kBlock) return std::fputs("a line is too long\n", stderr), 1;
    std::memmove(buffer.data(), buffer.data() + whole, kept);
  }
  watch.print(size);
  if (argc == 2) std::printf("output %lu\n", written);
}

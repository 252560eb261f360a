// yardstick_wordcount FILE [THREADS] [--print]: how fast words can be counted on this machine.
//
// The limit that the application is compared with, so it shares no code with it and may do what an application cannot:
// it is compiled for this very machine, keeps one table for the whole file, trusts its input (no NUL bytes) and writes
// nothing but a total unless asked. White space is found 64 bytes at a time, words are handled in batches that hash and
// prefetch before they look, words of up to 28 letters stand in the slots.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tests/benchmarks/space_masks.h"
#include "tests/benchmarks/stopwatch.h"

namespace {

using ontime::benchmarks::is_space;
using ontime::benchmarks::spaces_in_64;

constexpr std::size_t kBlock = 128 * 1024;
constexpr std::size_t kPadding = 128;
constexpr std::size_t kBatch = 128;

constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;

// Bytes of `word` from `from` on, at most eight; zero where there are none.
std::uint64_t letters(const char* word, std::size_t size, std::size_t from) {
  std::uint64_t value;
  std::memcpy(&value, word + from, 8);
  return size >= from + 8 ? value : size <= from ? 0 : value & ((1ULL << 8 * (size - from)) - 1);
}

struct ShortSlot {  // up to 12 letters
  std::uint64_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t count = 0;  // 0: free
  static ShortSlot of(const char* word, std::size_t size) {
    return {letters(word, size, 0), static_cast<std::uint32_t>(letters(word, size, 8)), 1};
  }
  bool same(const ShortSlot& other) const { return head == other.head && tail == other.tail; }
  std::uint64_t hash() const { return (head ^ tail * kMix) * 0xd6e8feb86659fd93; }
};

struct LongSlot {  // up to 28 letters
  std::uint64_t head[3] = {};
  std::uint32_t tail = 0;
  std::uint32_t count = 0;
  static LongSlot of(const char* word, std::size_t size) {
    return {{letters(word, size, 0), letters(word, size, 8), letters(word, size, 16)},
            static_cast<std::uint32_t>(letters(word, size, 24)),
            1};
  }
  bool same(const LongSlot& other) const { return std::memcmp(this, &other, 28) == 0; }
  std::uint64_t hash() const { return ((head[0] * kMix ^ head[1]) * kMix ^ (head[2] + tail)) * 0xd6e8feb86659fd93; }
};

// Linear probing, a batch of words at a time; at most three quarters full.
template <class Slot>
class Table {
 public:
  explicit Table(unsigned bits) { allocate(bits); }

  void add(const char* word, std::size_t size) {
    Slot& slot = waiting_[filled_] = Slot::of(word, size);
    homes_[filled_] = static_cast<std::uint32_t>(slot.hash() >> shift_);
    __builtin_prefetch(slots_.get() + homes_[filled_], 1);
    if (++filled_ == kBatch) add_waiting();
  }

  void add_waiting() {
    if (used_ + filled_ > (mask_ + 1) / 4 * 3) grow();
    for (std::size_t i = 0; i < filled_; ++i) find(waiting_[i], homes_[i]);
    filled_ = 0;
  }

  template <class Visit>
  void visit(Visit&& each) const {
    for (std::size_t i = 0; i <= mask_; ++i) {
      const Slot& slot = slots_.get()[i];
      const char* word = reinterpret_cast<const char*>(&slot);
      if (slot.count != 0) each(std::string_view(word, strnlen(word, sizeof(Slot) - 4)), slot.count);
    }
  }

 private:
  struct Free {
    void operator()(Slot* memory) const { std::free(memory); }
  };

  void allocate(unsigned bits) {
    const std::size_t bytes = sizeof(Slot) << bits;
    void* memory = std::aligned_alloc(2 << 20, std::max<std::size_t>(bytes, 2 << 20));
    madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 0, bytes);
    slots_.reset(static_cast<Slot*>(memory));
    mask_ = (1ULL << bits) - 1;
    shift_ = 64 - bits;
  }

  void grow() {
    const auto old = std::move(slots_);
    const std::size_t old_mask = mask_;
    allocate(65 - shift_);
    used_ = 0;
    for (std::size_t i = 0; i <= old_mask; ++i) {
      if (old.get()[i].count != 0) find(old.get()[i], old.get()[i].hash() >> shift_);
    }
    for (std::size_t i = 0; i < filled_; ++i) homes_[i] = static_cast<std::uint32_t>(waiting_[i].hash() >> shift_);
  }

  void find(const Slot& wanted, std::size_t at) {
    for (;; at = (at + 1) & mask_) {
      Slot& slot = slots_.get()[at];
      if (slot.same(wanted)) {
        ++slot.count;
        return;
      }
      if (slot.count == 0) {
        slot = wanted;
        ++used_;
        return;
      }
    }
  }

  std::unique_ptr<Slot, Free> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  Slot waiting_[kBatch];
  std::uint32_t homes_[kBatch];
};

class Counter {
 public:
  // Counts the words of [begin, end); there is white space at end[-1], and kPadding bytes behind may be read.
  void count(const char* begin, const char* end) {
    const char* word = begin;
    for (const char* block = begin; block < end; block += 64) {
      std::uint64_t mask = spaces_in_64(block);
      if (end - block < 64) mask &= (1ULL << (end - block)) - 1;
      const int spaces = std::popcount(mask);
      for (int done = 0; done < spaces; done += 6) {
        for (int i = 0; i < 6; ++i) {  // beyond the last one this writes words that nobody takes
          const char* space = block + std::countr_zero(mask);
          mask &= mask - 1;
          words_[filled_] = word;
          sizes_[filled_] = static_cast<std::uint32_t>(space - word);
          filled_ += (done + i < spaces) & (space != word);
          word = done + i < spaces ? space + 1 : word;
        }
      }
      if (filled_ >= kBatch) count_batch();
    }
    count_batch();
  }

  template <class Visit>
  void visit(Visit&& each) const {
    shorts_.visit(each);
    longs_.visit(each);
    for (const auto& [word, count] : others_) each(std::string_view(word), count);
  }

  void finish() {
    shorts_.add_waiting();
    longs_.add_waiting();
  }

 private:
  void count_batch() {
    for (std::size_t i = 0; i < filled_; ++i) {
      const std::uint32_t size = sizes_[i];
      if (size <= 12) [[likely]]
        shorts_.add(words_[i], size);
      else if (size <= 28)
        longs_.add(words_[i], size);
      else
        ++others_[std::string(words_[i], size)];
    }
    filled_ = 0;
  }

  Table<ShortSlot> shorts_{18};
  Table<LongSlot> longs_{15};
  std::unordered_map<std::string, std::uint64_t> others_;
  std::size_t filled_ = 0;
  const char* words_[kBatch + 64 + 8];
  std::uint32_t sizes_[kBatch + 64 + 8];
};

// Counts the words that begin in [begin, end) of the file.
void count_range(int file, off_t begin, off_t end, Counter& counter) {
  std::vector<char> buffer(kBlock * 2 + kPadding);
  std::size_t kept = 0;  // bytes of a word that is not complete
  off_t at = begin;
  bool skipping = false;
  if (begin > 0) {
    char before = ' ';
    if (pread(file, &before, 1, begin - 1) != 1) std::abort();
    skipping = !is_space(before);
  }
  for (bool last = false; !last;) {
    const ssize_t got = pread(file, buffer.data() + kept, kBlock, at);
    if (got < 0) std::abort();
    std::size_t filled = kept + static_cast<std::size_t>(got);
    std::size_t start = 0;
    if (got == 0) {
      buffer[filled++] = ' ';
      last = true;
    }
    at += got;
    if (skipping) {
      while (start < filled && !is_space(buffer[start])) ++start;
      skipping = start == filled;
    }
    if (at >= end && got > 0) {  // finish the word that crosses the end
      std::size_t stop = filled - static_cast<std::size_t>(at - end);
      if (stop > 0 && !is_space(buffer[stop - 1])) {
        while (stop < filled && !is_space(buffer[stop])) ++stop;
      }
      if (stop < filled) filled = stop + 1, buffer[stop] = ' ', last = true;
    }
    std::size_t whole = filled;
    while (whole > start && !is_space(buffer[whole - 1])) --whole;
    counter.count(buffer.data() + start, buffer.data() + whole);
    kept = filled - whole;
    if (kept > kBlock) std::abort();
    std::memmove(buffer.data(), buffer.data() + whole, kept);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: yardstick_wordcount FILE [THREADS] [--print]\n", stderr), 2;
  const int file = open(argv[1], O_RDONLY);
  if (file < 0) return std::perror(argv[1]), 1;
  struct stat status {};
  fstat(file, &status);
  const bool print = std::strcmp(argv[argc - 1], "--print") == 0;
  const int threads = std::max(1, argc > 2 ? std::atoi(argv[2]) : 1);

  const ontime::benchmarks::Stopwatch watch;
  std::vector<std::unique_ptr<Counter>> counters;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) counters.push_back(std::make_unique<Counter>());
  for (int i = 1; i <= threads; ++i) {
    const auto part = [&, i] {
      count_range(file, status.st_size * (i - 1) / threads, status.st_size * i / threads,
                  *counters[static_cast<std::size_t>(i - 1)]);
    };
    if (i < threads)
      running.emplace_back(part);
    else
      part();
  }
  for (std::thread& thread : running) thread.join();
  for (const auto& counter : counters) counter->finish();
  watch.print(static_cast<std::uint64_t>(status.st_size));

  std::uint64_t words = 0;
  std::unordered_map<std::string, std::uint64_t> all;
  for (const auto& counter : counters) {
    counter->visit([&](std::string_view word, std::uint64_t count) {
      words += count;
      if (print) all[std::string(word)] += count;
    });
  }
  for (const auto& [word, count] : all) std::printf("%s\t%lu\n", word.c_str(), count);
  if (!print) std::printf("words %lu\n", words);
  return 0;
}

// yardstick_aggregate FILE [THREADS] [--print]: how fast rows `station;temperature` can be aggregated on this machine.
//
// The limit that the application is compared with: it shares no code with it, is compiled for this very machine, keeps
// one table for each thread and the whole file, and trusts its input: names of at most 24 bytes, at most 10,000 of
// them, temperatures of one decimal below 100.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBlock = 256 * 1024;
constexpr std::size_t kPadding = 64;
constexpr std::uint64_t kSlots = 1 << 15;

struct Slot {
  std::uint64_t name[3] = {};
  std::uint32_t size = 0;
  std::uint32_t count = 0;
  std::int64_t sum = 0;
  int min = 0, max = 0;
};

std::uint64_t load(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}

// `text` points behind the semicolon and is left behind the line feed.
int take_temperature(const char*& text) {
  const std::uint64_t word = load(text);
  const int point = std::countr_zero(~word & 0x10101000);  // bit 4 of a digit is set, the point's is not
  const std::int64_t sign = static_cast<std::int64_t>(~word << 59) >> 63;
  const std::uint64_t digits = (word & ~static_cast<std::uint64_t>(sign & 0xff)) << (28 - point) & 0x0f000f0f00;
  const auto tenths = static_cast<std::int64_t>((digits * 0x640a0001) >> 32 & 0x3ff);
  text += (point >> 3) + 3;
  return static_cast<int>((tenths ^ sign) - sign);
}

class Table {
 public:
  Table() : slots_(kSlots) {}

  void add(const char* at, const char* end) {
    while (at < end) {
      const char* const begin = at;
      std::uint64_t words[3] = {};
      std::size_t size = 0;
      for (std::uint64_t& word : words) {
        word = load(begin + size);
        const std::uint64_t other = word ^ 0x3b3b3b3b3b3b3b3b;
        const std::uint64_t found = (other - 0x0101010101010101) & ~other & 0x8080808080808080;
        if (found == 0) {
          size += 8;
          continue;
        }
        const int bits = std::countr_zero(found) & ~7;
        word &= (std::uint64_t{1} << bits) - 1;
        size += static_cast<std::size_t>(bits / 8);
        break;
      }
      at = begin + size + 1;
      const int value = take_temperature(at);
      Slot& slot = find(words, size);
      if (slot.count++ == 0) slot.min = slot.max = value;
      slot.min = value < slot.min ? value : slot.min;
      slot.max = value > slot.max ? value : slot.max;
      slot.sum += value;
    }
  }

  void add_to(std::map<std::string, Slot>& all) const {
    for (const Slot& slot : slots_) {
      if (slot.count == 0) continue;
      Slot& sum = all[std::string(reinterpret_cast<const char*>(slot.name), slot.size)];
      sum.min = sum.count == 0 || slot.min < sum.min ? slot.min : sum.min;
      sum.max = sum.count == 0 || slot.max > sum.max ? slot.max : sum.max;
      sum.count += slot.count;
      sum.sum += slot.sum;
    }
  }

 private:
  Slot& find(const std::uint64_t (&words)[3], std::size_t size) {
    const std::uint64_t hash = (words[0] ^ words[1] * 0xd6e8feb86659fd93 ^ words[2]) * 0x9e3779b97f4a7c15;
    for (std::uint64_t place = hash >> 49;; place = (place + 1) % kSlots) {
      Slot& slot = slots_[place];
      if (slot.name[0] == words[0] && slot.name[1] == words[1] && slot.name[2] == words[2]) return slot;
      if (slot.count > 0) continue;
      std::memcpy(slot.name, words, sizeof words);
      slot.size = static_cast<std::uint32_t>(size);
      return slot;
    }
  }
  std::vector<Slot> slots_;
};

// The rows that begin in [begin, end).
void add_range(int file, std::uint64_t begin, std::uint64_t end, Table& table) {
  std::vector<char> buffer(2 * kBlock + kPadding);
  std::uint64_t at = begin == 0 ? 0 : begin - 1;
  bool is_inside = begin > 0;  // of a row that is another's
  while (at < end) {
    const ssize_t got = pread(file, buffer.data(), kBlock, static_cast<off_t>(at));
    if (got <= 0) return;
    const char* from = buffer.data();
    if (is_inside) from = static_cast<const char*>(std::memchr(from, '\n', static_cast<std::size_t>(got))) + 1;
    is_inside = false;
    const char* to = buffer.data() + got;
    if (at + static_cast<std::uint64_t>(got) >= end)  // the row that begins before `end` is whole
      to =
          end - at > 0
              ? static_cast<const char*>(std::memchr(buffer.data() + (end - 1 - at), '\n',
                                                     static_cast<std::size_t>(to - (buffer.data() + (end - 1 - at))))) +
                    1
              : from;
    else
      to = static_cast<const char*>(memrchr(buffer.data(), '\n', static_cast<std::size_t>(got))) + 1;
    table.add(from, to);
    at += static_cast<std::uint64_t>(to - buffer.data());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0)
    return std::fputs("usage: yardstick_aggregate FILE [THREADS] [--print]\n", stderr), 2;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t threads = argc > 2 && *argv[2] != '-' ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::vector<Table> tables(threads);
  std::vector<std::thread> running;
  for (std::uint64_t i = 0; i < threads; ++i)
    running.emplace_back([&, i] { add_range(file, size * i / threads, size * (i + 1) / threads, tables[i]); });
  for (std::thread& one : running) one.join();
  std::map<std::string, Slot> all;
  for (const Table& table : tables) table.add_to(all);
  std::uint64_t rows = 0;
  for (const auto& [name, slot] : all) rows += slot.count;
  std::fprintf(stderr, "rows %lu stations %zu\n", rows, all.size());
  if (std::strcmp(argv[argc - 1], "--print") != 0) return 0;
  for (const auto& [name, slot] : all)
    std::printf("%s\t%u\t%.1f\t%.1f\t%.1f\n", name.c_str(), slot.count, slot.min / 10.0,
                static_cast<double>(slot.sum) / 10.0, slot.max / 10.0);
  return 0;
}

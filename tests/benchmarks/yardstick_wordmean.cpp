// yardstick_wordmean FILE: how fast a file's words and their bytes can be counted on this machine, by one thread.
// Shares no code with the application.

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/benchmarks/space_masks.h"
#include "tests/benchmarks/stopwatch.h"

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return std::fputs("usage: yardstick_wordmean FILE\n", stderr), 2;

  const ontime::benchmarks::Stopwatch watch;
  constexpr std::size_t block = 128 * 1024;
  std::vector<char> buffer(block + 64);
  std::uint64_t words = 0, letters = 0, size = 0, after_space = 1;
  for (ssize_t got; (got = read(file, buffer.data(), block)) > 0;) {
    size += static_cast<std::uint64_t>(got);
    std::memset(buffer.data() + got, ' ', 64);
    for (ssize_t at = 0; at < got; at += 64) {
      const std::uint64_t mask = ~ontime::benchmarks::spaces_in_64(buffer.data() + at);
      words += static_cast<std::uint64_t>(std::popcount(mask & (~mask << 1 | after_space)));
      letters += static_cast<std::uint64_t>(std::popcount(mask));
      after_space = got - at >= 64 ? ~mask >> 63 : ~mask >> (got - at - 1) & 1;
    }
  }
  watch.print(size);
  std::printf("count\t%lu\nlength\t%lu\n", words, letters);
}

// naive_wordcount FILE: words counted as most people would write it, with streams and a hash map of strings.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <unordered_map>

#include "tests/benchmarks/stopwatch.h"

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) return std::fputs("usage: naive_wordcount FILE\n", stderr), 2;

  const ontime::benchmarks::Stopwatch watch;
  std::unordered_map<std::string, std::uint64_t> counts;
  std::uint64_t size = 0;
  for (std::string line, word; std::getline(file, line);) {
    size += line.size() + 1;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t begin = line.find_first_not_of(" \t\r\v\f", at);
      if (begin == std::string::npos) break;
      at = std::min(line.find_first_of(" \t\r\v\f", begin), line.size());
      word.assign(line, begin, at - begin);
      ++counts[word];
    }
  }
  watch.print(size);
  std::uint64_t words = 0;
  for (const auto& [word, count] : counts) words += count;
  std::printf("words %lu\n", words);
}

// generate_text BYTES [SEED] [--keys]: writes about BYTES of text to stdout, the same for the same arguments
// everywhere.
//
// 200,000 made-up words, drawn by a Zipf-Mandelbrot law (the word of rank r with a weight of 1 / (r + 2.7)), the common
// ones shorter, as in English: about 5.3 bytes a word with its space, 91 % of the words drawn have at most 8 letters.
// Lines of 60 to 100 bytes. With --keys every line begins with a key of its own and a tab.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/base/random.h"

namespace {

constexpr std::size_t kWords = 200'000;

using ontime::Random;

// About log-normal, with a median that grows with the rank.
std::size_t draw_length(std::size_t rank, Random& random) {
  const double bell = (random.uniform() + random.uniform() + random.uniform() + random.uniform() - 2) * std::sqrt(3.0);
  const double length = 1.93 * std::exp(0.07 * std::log2(static_cast<double>(rank) + 1) + 0.45 * bell);
  return static_cast<std::size_t>(std::max(1.0, std::round(length)));
}

std::vector<std::string> make_words(Random& random) {
  std::vector<std::string> words;
  std::unordered_set<std::string> seen;
  while (words.size() < kWords) {
    std::size_t length = draw_length(words.size(), random);
    for (std::string word;; ++length) {  // the short ones are soon all taken
      word.clear();
      while (word.size() < length) word += static_cast<char>('a' + random.below(26));
      if (!seen.insert(word).second) continue;
      words.push_back(word);
      break;
    }
  }
  return words;
}

// Draws ranks by their weights in constant time (Vose's alias method).
class RankSampler {
 public:
  RankSampler() : threshold_(kWords), alias_(kWords) {
    std::vector<double> weight(kWords);
    double sum = 0;
    for (std::size_t i = 0; i < kWords; ++i) sum += weight[i] = 1 / (static_cast<double>(i) + 1 + 2.7);
    std::vector<std::uint32_t> small, large;
    for (std::size_t i = 0; i < kWords; ++i) {
      weight[i] *= kWords / sum;
      (weight[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t low = small.back(), high = large.back();
      small.pop_back();
      threshold_[low] = weight[low];
      alias_[low] = high;
      weight[high] -= 1 - weight[low];
      if (weight[high] < 1) large.pop_back(), small.push_back(high);
    }
    for (const std::uint32_t i : small) threshold_[i] = 1;
    for (const std::uint32_t i : large) threshold_[i] = 1;
  }

  std::size_t draw(Random& random) const {
    const std::size_t i = random.below(kWords);
    return random.uniform() < threshold_[i] ? i : alias_[i];
  }

 private:
  std::vector<double> threshold_;
  std::vector<std::uint32_t> alias_;
};

void write_text(std::uint64_t bytes, std::uint64_t seed, bool keys) {
  Random random(seed);
  const std::vector<std::string> words = make_words(random);
  const RankSampler ranks;
  std::string buffer;
  for (std::uint64_t written = 0, number = 0; written < bytes; ++number) {
    const std::size_t begin = buffer.size();
    if (keys) buffer += "doc" + std::to_string(number) + '\t';
    const std::size_t length = begin + 60 + random.below(35);
    while (buffer.size() < length) (buffer += words[ranks.draw(random)]) += ' ';
    buffer.back() = '\n';
    written += buffer.size() - begin;
    if (buffer.size() < (1U << 20) && written < bytes) continue;
    std::fwrite(buffer.data(), 1, buffer.size(), stdout);
    buffer.clear();
  }
}

bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t bytes = 0, seed = 42;
  bool keys = false, usable = argc >= 2 && parse(argv[1], bytes);
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--keys") == 0)
      keys = true;
    else
      usable = usable && parse(argv[i], seed);
  }
  if (!usable) {
    std::fputs("usage: generate_text BYTES [SEED] [--keys] > FILE\n", stderr);
    return 2;
  }
  write_text(bytes, seed, keys);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

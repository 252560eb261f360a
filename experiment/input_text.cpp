#include "experiment/input_text.h"

#include <cmath>

#include "simulator/random/random.h"

namespace ontime::experiment {
namespace {

constexpr double kWords = 3000;
constexpr std::size_t kLineBytes = 64;

// A word for each number, short ones first.
std::string word(std::uint32_t number) {
  static constexpr std::string_view kFirst = "bdfgklmnprstvz";
  static constexpr std::string_view kSecond = "aeiou";
  std::string text;
  for (++number; number > 0; number /= 70) {
    text += kFirst[number % kFirst.size()];
    text += kSecond[number / kFirst.size() % kSecond.size()];
  }
  return text;
}

}  // namespace

std::string input_text(std::uint64_t bytes) {
  simulator::Random random(1, simulator::Purpose::Test);
  std::string text;
  text.reserve(bytes + kLineBytes);
  std::size_t line = 0;
  while (text.size() < bytes) {
    // The inverse of a logarithm: the rank of a word is as likely to lie in any of its octaves.
    const std::string next = word(static_cast<std::uint32_t>(std::exp(random.uniform() * std::log(kWords))) - 1);
    if (line + next.size() + 1 >= kLineBytes) {
      text.back() = '\n';
      line = 0;
    }
    text += next + " ";
    line += next.size() + 1;
  }
  text.resize(bytes);
  if (!text.empty()) text.back() = '\n';
  return text;
}

}  // namespace ontime::experiment

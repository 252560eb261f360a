#pragma once
// Texts of all kinds for property tests, and the plain way to find their words.

#include <rapidcheck.h>

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/apps/mapped.h"

namespace ontime::apps::test {

using Counts = std::map<std::string, std::uint64_t>;

inline std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

inline Counts counts_of(std::string_view text) {
  Counts counts;
  for (const std::string& word : words_of(text)) ++counts[word];
  return counts;
}

// White space of every kind; words around every size at which something changes, many of them alike; any bytes at all.
inline rc::Gen<std::string> piece() {
  using namespace rc;
  using std::string;
  const auto space =
      gen::elementOf(std::vector<string>{" ", " ", " ", "  ", "\n", "\n", "\r\n", "\t", "\v", "\f", "\r"});
  const auto letters =
      gen::map(gen::pair(gen::inRange<std::size_t>(1, 34), gen::inRange(0, 3)), [](auto size_and_kind) {
        const auto [size, kind] = size_and_kind;
        return kind == 0   ? string(size, 'a')
               : kind == 1 ? string(size - 1, 'a') + '\0'
                           : string(size, 'a') + "\xc3\xa9";
      });
  const auto common = gen::elementOf(std::vector<string>{"the", "of", "a", "and", string("\0", 1), "\xff\xfe", "x:1"});
  const auto lengthy =
      gen::map(gen::inRange<std::size_t>(60, 1200), [](std::size_t size) { return string(size, 'z'); });
  const auto bytes = gen::container<string>(gen::arbitrary<char>());
  return gen::weightedOneOf<string>({{10, space}, {5, letters}, {5, common}, {1, lengthy}, {2, bytes}});
}

inline rc::Gen<std::string> any_text() {
  return rc::gen::map(rc::gen::scale(3, rc::gen::container<std::vector<std::string>>(piece())),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& piece : pieces) text += piece;
                        return text;
                      });
}

inline rc::Gen<Division> any_division() {
  const auto lines = rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 60));
  return rc::gen::map(rc::gen::pair(lines, lines), [](auto both) { return Division{both.first, both.second}; });
}

}  // namespace ontime::apps::test

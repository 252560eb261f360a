#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "apps/gen/generator.h"

namespace ontime::apps {
namespace {

constexpr std::uint64_t kWordsMost = 1'000'000;
constexpr std::uint64_t kWeightOfFirst = std::uint64_t{1} << 40;
constexpr std::uint64_t kLeastWordsOfLine = 5;
constexpr std::uint64_t kMostWordsOfLine = 15;
constexpr std::size_t kWordBytes = 16;  // at most eight letters, by kWordsMost, and a blank

// Syllables of the word's number; common words are short.
std::string spelling(std::uint64_t number) {
  constexpr std::string_view kConsonants = "bdfghjklmnprstvz";
  constexpr std::string_view kVowels = "aeiou";
  constexpr std::uint64_t kSyllables = kConsonants.size() * kVowels.size();
  std::string word;
  for (++number; number > 0; number = (number - 1) / kSyllables) {
    const std::uint64_t syllable = (number - 1) % kSyllables;
    word += kConsonants[syllable / kVowels.size()];
    word += kVowels[syllable % kVowels.size()];
  }
  return word;
}

// Draws words by weight in constant time (Walker's alias method, in whole numbers): a slot holds two words and the
// share of the first.
class WordDeck {
 public:
  explicit WordDeck(std::uint64_t words) : slots_(words) {
    for (std::uint64_t word = 0; word < words; ++word) {
      words_.emplace_back(spelling(word) + ' ');
      total_ += kWeightOfFirst / (word + 1);
    }
    deal();
  }

  // Appends a word and a blank to `text`, which has room for kWordBytes; returns the end.
  char* draw(DataRandom& random, char* text) const {
    const std::uint64_t slot = random.below(slots_.size());
    const Word& word = words_[random.below(total_) < slots_[slot].share ? slot : slots_[slot].other];
    std::memcpy(text, word.bytes, kWordBytes);
    return text + word.size;
  }

 private:
  // With a blank behind it; of the size of a copy that needs no loop.
  struct Word {
    explicit Word(const std::string& word) : size(static_cast<std::uint8_t>(word.size())) {
      std::memcpy(bytes, word.data(), word.size());
    }
    char bytes[kWordBytes - 1] = {};
    std::uint8_t size;
  };
  struct Slot {
    std::uint64_t share = 0;  // of total_
    std::size_t other = 0;
  };

  // A slot is worth total_; a word is worth its weight times the number of slots (below 2^60).
  void deal() {
    std::vector<std::size_t> light, heavy;
    for (std::size_t word = 0; word < slots_.size(); ++word) {
      slots_[word] = {kWeightOfFirst / (word + 1) * slots_.size(), word};
      (slots_[word].share < total_ ? light : heavy).push_back(word);
    }
    while (!light.empty() && !heavy.empty()) {
      const std::size_t filled = light.back();
      light.pop_back();
      Slot& giver = slots_[heavy.back()];
      slots_[filled].other = heavy.back();
      giver.share -= total_ - slots_[filled].share;
      if (giver.share < total_) {
        light.push_back(heavy.back());
        heavy.pop_back();
      }
    }
  }

  std::vector<Word> words_;
  std::uint64_t total_ = 0;
  std::vector<Slot> slots_;
};

class WordGenerator final : public Generator {
 public:
  WordGenerator(std::uint64_t bytes, std::uint64_t words, std::uint64_t seed)
      : Generator(bytes), random_(seed), deck_(words) {}

  // The last line is cut where the text has to end.
  bool write_some(app::Output& out) override {
    const std::uint64_t wanted = std::min<std::uint64_t>(kPieceBytes, amount_ - done_);
    char* const begin = out.reserve(kPieceBytes + kMostWordsOfLine * kWordBytes);
    char* to = begin;
    while (static_cast<std::uint64_t>(to - begin) < wanted) to = write_line(to);
    auto size = static_cast<std::uint64_t>(to - begin);
    if (size >= amount_ - done_ && size > 0) {
      size = amount_ - done_;
      begin[size - 1] = '\n';
    }
    out.commit(size);
    done_ += size;
    return done_ < amount_;
  }

 private:
  char* write_line(char* to) {
    const auto words = kLeastWordsOfLine + random_.below(kMostWordsOfLine - kLeastWordsOfLine + 1);
    for (std::uint64_t word = 0; word < words; ++word) to = deck_.draw(random_, to);
    to[-1] = '\n';
    return to;
  }

  DataRandom random_;
  WordDeck deck_;
};

}  // namespace

GeneratorKind words_kind() {
  return {"text",
          "lines of made-up words, few of them common and many rare, as in a language",
          GeneratorKind::Unit::Bytes,
          {{"words", "100000", "how many different words there are"}},
          [](const Recipe& recipe) -> std::unique_ptr<Generator> {
            return std::make_unique<WordGenerator>(recipe.amount, whole_number(recipe.settings, "words", 1, kWordsMost),
                                                   recipe.seed);
          }};
}

}  // namespace ontime::apps

// Counts words: maximal runs of bytes that are not white space of the C locale.

#include <string>
#include <string_view>

#include "apps/text/counts.h"
#include "apps/text/word_scanner.h"
#include "apps/text/word_table.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// Counts as lines of output. A table that is full becomes lines early: the merge adds them up.
class CountWriter final : public WordTable::Overflow {
 public:
  explicit CountWriter(Output& out) : out_(out) {}

  void full(const WordTable& table) override {
    const auto write = [this](const auto& word) { write_inline(word); };
    table.shorts().for_each(write);
    table.mediums().for_each(write);
    table.longs().for_each([this](std::string_view word, std::uint32_t count) { refused(word, count); });
  }

  void refused(std::string_view word, std::uint64_t count) override {
    char digits[kMaxDecimal];
    out_.record(word, {digits, write_decimal(digits, count)});
  }

 private:
  template <class Word>
  void write_inline(const Word& word) {
    char* const begin = out_.reserve(Word::kMaxSize + 2 + kMaxDecimal);
    word.store(begin);
    char* to = begin + word.size();
    *to++ = '\t';
    to = write_decimal(to, word.count);
    *to++ = '\n';
    out_.commit(static_cast<std::size_t>(to - begin));
  }

  Output& out_;
};

class WordCountMapper final : public Mapper {
 public:
  void map(const Batch& batch, Output& out) override {
    if (batch.bytes.size() >= kTensOfWords) table_.expect_tens_of_words();
    if (batch.bytes.size() >= kHundredsOfWords) table_.expect_hundreds_of_words();
    CountWriter overflow(out);
    WordScanner scanner(batch.bytes);
    for (auto words = scanner.next(); !words.empty(); words = scanner.next()) table_.add(batch.bytes, words, overflow);
  }

  void flush(Output& out) override {
    CountWriter(out).full(table_);
    table_.clear();
  }

 private:
  static constexpr std::size_t kTensOfWords = 256;       // bytes
  static constexpr std::size_t kHundredsOfWords = 2048;  // bytes

  WordTable table_;
};

class WordCount final : public Application {
 public:
  std::string description() const override { return "counts how often each word occurs"; }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<WordCountMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<SumMerger>(); }
};

}  // namespace

ONTIME_APPLICATION(WordCount)

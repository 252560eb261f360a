// The mean length of the words: per segment how many there are and how long they are together.

#include <cstdio>
#include <string>
#include <string_view>

#include "apps/text/counts.h"
#include "apps/text/word_scanner.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

constexpr std::string_view kCount = "count";
constexpr std::string_view kLength = "length";

void write_number(Output& out, std::string_view key, std::uint64_t number) {
  char digits[kMaxDecimal];
  out.record(key, {digits, write_decimal(digits, number)});
}

class WordMeanMapper final : public Mapper {
 public:
  void setup(Context& context) override { code_points_ = context.get("unit") == "codepoints"; }

  void map(const Batch& batch, Output&) override { totals_ += count_totals(batch.bytes, code_points_); }

  void flush(Output& out) override {
    write_number(out, kCount, totals_.words);
    write_number(out, kLength, code_points_ ? totals_.code_points : totals_.bytes);
    totals_ = {};
  }

 private:
  bool code_points_ = false;
  WordTotals totals_;
};

class WordMeanMerger final : public SumMerger {
 public:
  void finish(std::string_view key, std::string_view value, Output&) override {
    if (key == kCount)
      count_ = parse_count(key, value);
    else if (key == kLength)
      length_ = parse_count(key, value);
    else
      throw std::runtime_error("wordmean writes no \"" + std::string(key) + "\"; the part files are not its own");
  }

  // The mean of no words is not a number.
  void finish_all(Output& answer) override {
    write_number(answer, kCount, count_);
    write_number(answer, kLength, length_);
    char mean[40] = "nan";
    if (count_ != 0) {
      std::snprintf(mean, sizeof mean, "%.17g", static_cast<double>(length_) / static_cast<double>(count_));
    }
    answer.record("mean", mean);
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t length_ = 0;
};

class WordMean final : public Application {
 public:
  std::string description() const override { return "the number of words, their total and their mean length"; }
  std::vector<Parameter> parameters() const override {
    return {{"unit", "bytes", "what a length counts: bytes or codepoints (of UTF-8)"}};
  }
  void validate(const Parameters& given) const override {
    const std::string& unit = given.get("unit");
    if (unit != "bytes" && unit != "codepoints") {
      throw std::invalid_argument("unit must be bytes or codepoints, not \"" + unit + "\"");
    }
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<WordMeanMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<WordMeanMerger>(); }
};

}  // namespace

ONTIME_APPLICATION(WordMean)

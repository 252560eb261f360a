// Counts words: maximal runs of bytes that are not white space of the C locale.

#include <string>
#include <string_view>
#include <unordered_map>

#include "apps/text/sum_merger.h"

namespace {

using namespace ontime::app;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class WordCountMapper final : public Mapper {
 public:
  void map(const Batch& batch, Output&) override {
    const std::string_view text = batch.bytes;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && !is_space(text[end])) ++end;
      if (end > at) ++counts_[std::string(text.substr(at, end - at))];
      at = end + 1;
    }
  }

  void flush(Output& out) override {
    for (const auto& [word, count] : counts_) out.record(word, std::to_string(count));
    counts_.clear();
  }

 private:
  std::unordered_map<std::string, std::uint64_t> counts_;
};

class WordCount final : public Application {
 public:
  std::string description() const override { return "counts how often each word occurs"; }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<WordCountMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<ontime::apps::SumMerger>(); }
};

}  // namespace

ONTIME_APPLICATION(WordCount)

// How often each term occurs in each document. A document is what the lines of one key hold, the key being what stands
// before the first tab of a line; lines without a tab belong to the document that is named like their file.

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/termvector/document.h"
#include "apps/termvector/term_vector.h"
#include "apps/text/word_scanner.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// The last part of a path, without the bytes that a key must not hold.
std::string key_of_file(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n'; }, '_');
  return name;
}

// The words of a batch, as they are found.
class WordsOfBatch {
 public:
  explicit WordsOfBatch(std::string_view text) : scanner_(text), words_(scanner_.next()) {}

  // Some of the words that come next; none when there are no more.
  std::span<const WordSpan> next() {
    if (words_.empty()) words_ = scanner_.next();
    return words_;
  }
  void drop(std::size_t count) { words_ = words_.subspan(count); }

 private:
  WordScanner scanner_;
  std::span<const WordSpan> words_;
};

class TermVectorMapper final : public Mapper {
 public:
  void setup(Context& context) override { context_ = &context; }
  void begin_segment(std::uint64_t) override { file_key_ = key_of_file(context_->input_path()); }

  void map(const Batch& batch, Output& out) override {
    WordsOfBatch words(batch.bytes);
    for (const Line line : batch.lines()) {
      const std::size_t tab = line.text.find('\t');
      const bool has_key = tab != std::string_view::npos;
      const std::string_view key = has_key ? line.text.substr(0, tab) : file_key_;
      if (key != document_.key()) document_.begin(key, out);
      const auto begin = static_cast<std::size_t>(line.text.data() - batch.bytes.data());
      if (has_key) skip(words, begin + tab);
      add(words, batch.bytes, begin + line.text.size(), out);
    }
    document_.forget_text(out);
  }

  void flush(Output& out) override { document_.end(out); }

 private:
  static void skip(WordsOfBatch& words, std::size_t end) {
    while (!words.next().empty() && words.next().front().begin < end) words.drop(1);
  }

  void add(WordsOfBatch& words, std::string_view text, std::size_t end, Output& out) {
    while (!words.next().empty() && words.next().front().begin < end)
      words.drop(document_.add(text, words.next(), end, out));
  }

  Context* context_ = nullptr;
  std::string file_key_;
  Document document_;
};

class TermVectorApplication final : public Application {
 public:
  std::string description() const override { return "how often each term occurs in each document"; }
  std::vector<Parameter> parameters() const override {
    return {{"cutoff", "0", "terms that occur less often in a document are left out of the answer"}};
  }
  void validate(const Parameters& given) const override { parse_cutoff(given.get("cutoff")); }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<TermVectorMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<TermVectorMerger>(); }
};

}  // namespace

ONTIME_APPLICATION(TermVectorApplication)

#include "apps/termvector/document.h"

#include "apps/text/counts.h"

namespace ontime::apps {

class Document::Writer final : public WordTable::Overflow {
 public:
  Writer(Document& document, app::Output& out) : document_(document), out_(out) {}

  void full(const WordTable& table) override { document_.write_large(table, out_); }

  void refused(std::string_view word, std::uint64_t count) override {
    char digits[1 + kMaxDecimal] = {':'};
    document_.begin_line(out_);
    out_.write(word);
    out_.write({digits, write_decimal(digits + 1, count)});
    out_.write("\n");
  }

 private:
  Document& document_;
  app::Output& out_;
};

void Document::begin(std::string_view key, app::Output& out) {
  end(out);
  key_ = key;
}

std::size_t Document::add(std::string_view text, std::span<const WordSpan> words, std::size_t end, app::Output& out) {
  std::size_t count = is_large_ ? 0 : small_.take(text, words, end);
  if (count == words.size() || words[count].begin >= end) return count;
  std::size_t first = count;
  while (count < words.size() && words[count].begin < end) ++count;
  forget_text(out);
  Writer overflow(*this, out);
  large_table().add(text, words.subspan(first, count - first), overflow);
  return count;
}

WordTable& Document::large_table() {
  if (!large_) large_ = std::make_unique<WordTable>(limits_);
  is_large_ = true;
  return *large_;
}

void Document::forget_text(app::Output& out) {
  if (small_.words().empty()) return;
  Writer overflow(*this, out);
  for (const std::string_view word : small_.words()) large_table().add(word, 1, overflow);
  small_.clear();
}

void Document::end(app::Output& out) {
  if (is_large_) {
    forget_text(out);
    write_large(*large_, out);
    large_->clear();
    is_large_ = false;
  } else if (!small_.words().empty()) {
    begin_line(out);
    small_.write(out);
    out.write("\n");
    small_.clear();
  }
}

void Document::write_large(const WordTable& table, app::Output& out) {
  if (table.empty()) return;
  std::string text;  // of words that are kept in slots
  text.reserve(table.inline_bytes());
  terms_.clear();
  table.for_each([&](std::string_view word, std::uint32_t count) {
    if (word.size() <= MediumWord::kMaxSize) {
      text += word;
      word = std::string_view(text).substr(text.size() - word.size());
    }
    terms_.add(word, count);
  });
  begin_line(out);
  terms_.write(out);
  out.write("\n");
}

void Document::begin_line(app::Output& out) const {
  out.write(key_);
  out.write("\t");
}

}  // namespace ontime::apps

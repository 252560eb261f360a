#include "apps/termvector/document.h"

#include "apps/text/counts.h"

namespace ontime::apps {

void LineTerms::write(app::Output& out) {
  std::array<std::int64_t, kMaxTerms> keys;
  std::array<std::uint32_t, kMaxTerms> order;
  for (std::size_t i = 0; i < size_; ++i) keys[i] = order_key(heads_[i], terms_[i].count);
  const std::span<std::uint32_t> places(order.data(), size_);
  order_terms(terms(), {keys.data(), size_}, places);
  write_terms(terms(), places, Padding::SixteenBytes, out);
}

void LineTerms::clear() {
  size_ = 0;
  if (++document_ == 0) {  // after four billion documents the numbers come again
    slots_.fill({});
    document_ = 1;
  }
}

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

void Document::add(std::string_view text, std::span<const WordSpan> words, app::Output& out) {
  if (is_large_) {
    Writer overflow(*this, out);
    return large_->add(text, words, overflow);
  }
  for (const WordSpan& span : words) {
    const std::string_view word(text.data() + span.begin, span.size);
    const bool readable = span.begin + LineTerms::kReadable <= text.size();
    if (!readable || !small_.add(word)) [[unlikely]]
      add_to_large(word, 1, out);
  }
}

void Document::add_to_large(std::string_view word, std::uint64_t count, app::Output& out) {
  if (!large_) large_ = std::make_unique<WordTable>(limits_);
  is_large_ = true;
  Writer overflow(*this, out);
  large_->add(word, static_cast<std::uint32_t>(count), overflow);
}

void Document::forget_text(app::Output& out) {
  for (const Term& term : small_.terms()) add_to_large(term.text, term.count, out);
  small_.clear();
}

void Document::end(app::Output& out) {
  if (is_large_) {
    forget_text(out);
    write_large(*large_, out);
    large_->clear();
    is_large_ = false;
  } else if (!small_.empty()) {
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

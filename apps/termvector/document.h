#pragma once
// The document that is being read: the lines in a row that have the same key. Its words are sorted at its end while
// they are few; a larger document moves on to a table, one larger still becomes several lines of output with the same
// key, which the merge puts together.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apps/termvector/line_terms.h"
#include "apps/termvector/term_vector.h"
#include "apps/text/word_table.h"
#include "common/app/application.h"

namespace ontime::apps {

class Document {
 public:
  explicit Document(const WordTableLimits& limits = {}) : limits_(limits) {}

  const std::string& key() const { return key_; }
  // Ends the document before. `key` holds neither a tab nor a line feed.
  void begin(std::string_view key, app::Output& out);
  // Takes words that begin before `end` from the front of `words` and returns how many there are. The text must stay
  // valid until forget_text() or the next begin() or end().
  std::size_t add(std::string_view text, std::span<const WordSpan> words, std::size_t end, app::Output& out);
  // The text of the words is about to go.
  void forget_text(app::Output& out);
  // Writes what there is. A document without words leaves no trace.
  void end(app::Output& out);

 private:
  class Writer;  // what the large table cannot hold becomes output

  WordTable& large_table();
  void write_large(const WordTable& table, app::Output& out);
  void begin_line(app::Output& out) const;

  WordTableLimits limits_;
  std::string key_;
  LineTerms small_;
  std::unique_ptr<WordTable> large_;  // made when first needed, then kept
  bool is_large_ = false;             // some words are in the large table
  TermVector terms_;
};

}  // namespace ontime::apps

#pragma once
// What `grep` looks for: one or more patterns of RE2, or texts, in records.

#include <re2/re2.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/grep/literal.h"
#include "common/app/application.h"

namespace ontime::apps {

// How patterns are read: the parameters of these names.
struct PatternOptions {
  bool is_fixed = false;
  bool ignores_case = false;
  bool are_words = false;
  bool are_bytes = false;

  static PatternOptions parse(const app::Parameters& parameters);
};

// Of both parameters. Throws std::invalid_argument with a sentence.
std::vector<std::string> read_patterns(const app::Parameters& parameters);

class Pattern {
 public:
  // What the records are: lines have no line feed in them, so a stretch of them can be looked through as a whole.
  enum class Kind { Lines, Others };

  // Throws std::invalid_argument with RE2's sentence.
  Pattern(const std::vector<std::string>& patterns, const PatternOptions& options, Kind kind);

  bool matches(std::string_view text) const;
  // A match, or where in `text` it may be empty: its place at `from` or behind it, std::string_view::npos if none.
  struct Match {
    std::size_t begin = std::string_view::npos;
    std::size_t end = 0;
  };
  Match find(std::string_view text, std::size_t from) const;

  // Whether lines can be looked through with find_line(), if there is no carriage return in them.
  bool is_local() const { return is_local_; }
  // A place in the first line from `from` on, which is a line's begin, that matches; std::string_view::npos if none.
  std::size_t find_line(std::string_view lines, std::size_t from) const;
  // No record of these matches.
  bool is_nowhere_in(std::string_view records) const;

 private:
  std::optional<Literal> literal_;  // stands in all that matches
  bool is_literal_ = false;         // and nothing more is asked of it
  bool are_words_;
  bool is_local_ = true;
  std::optional<re2::RE2> expression_;
};

}  // namespace ontime::apps

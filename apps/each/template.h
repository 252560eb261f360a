#pragma once
// A command line in which the argument stands as replacement strings, as GNU parallel has them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/each/shell_words.h"

namespace ontime::apps {

// {} the argument, {.} without its extension, {/} without its directories, {//} its directory, {/.} both of the first
// two, {#} the number of the record; {1} {2.} {-1/} the same of a column, counted from 1, or from the end. What else
// stands in braces is the shell's.
class Template {
 public:
  // Throws std::invalid_argument for a line in which an argument could be read as something else. A line without a
  // replacement string gets ` {}` at its end. `column_separator`: empty: a record is one column.
  Template(std::string_view line, std::string column_separator);

  // The command line for an argument.
  std::string fill(std::string_view argument, std::uint64_t number) const;

 private:
  struct Part {
    std::string text;  // stands before the argument
    bool is_number = false;
    int column = 0;  // 0: all
    bool no_extension = false;
    bool no_directory = false;
    bool directory_only = false;
    Quotes quotes = Quotes::None;
  };
  static std::optional<Part> part_in(std::string_view braces);
  std::vector<std::string_view> columns_of(std::string_view argument) const;

  std::string separator_;
  std::vector<Part> parts_;
  std::string rest_;
};

}  // namespace ontime::apps

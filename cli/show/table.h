#pragma once
// Text tables: aligned columns two spaces apart, no lines, no trailing blanks.

#include <string>
#include <vector>

namespace ontime::cli {

enum class Align { Left, Right };

enum class Colours { No, Yes };
// Yes if the descriptor is a terminal that has them and $NO_COLOR is not set (https://no-color.org).
Colours colours_of(int descriptor);

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::Left;
    bool is_state = false;  // in colours: failed and lost red, succeeded green, what somebody ended or took out yellow
  };
  explicit Table(std::vector<Column> columns);

  // REQUIRES: one cell for each column. Control characters in cells are shown as '?', so that a file name cannot
  // play with the terminal.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  std::string to_string(Colours colours = Colours::No) const;  // the titles and the rows, each with a line end

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that `text` takes on a terminal: code points, as far as it is UTF-8.
std::size_t display_width(const std::string& text);
// `text` with control characters replaced, for a single line on a terminal.
std::string printable(std::string text);
// Like printable(), but keeps line ends and tabs: for a message of several lines (an attempt's stderr).
std::string printable_lines(std::string text);

}  // namespace ontime::cli

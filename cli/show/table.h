#pragma once
// Text tables: aligned columns two spaces apart, no lines, no trailing blanks.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ontime::cli {

enum class Align { Left, Right };

enum class Colours { No, Yes };
// Yes if the descriptor is a terminal that has them and $NO_COLOR is not set (https://no-color.org).
Colours colours_of(int descriptor);

enum class Colour { None, Red, Yellow, Green };
std::string painted(const std::string& text, Colour colour);

// What a text is made for.
struct Look {
  Colours colours = Colours::No;
  std::size_t width = 0;  // columns of the terminal; 0: no limit
};
// Of a terminal, its width and colours; of anything else, neither.
Look look_of(int descriptor);

class Table {
 public:
  // How a text that is too long is shortened.
  enum class Cut { No, End, Begin };
  struct Column {
    std::string title;
    Align align = Align::Left;
    Cut cut = Cut::No;
    int rank = 0;  // on a narrow terminal columns with a larger one are left out first; 0: never
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::None;
    Cell(std::string of, Colour in = Colour::None) : text(std::move(of)), colour(in) {}
    Cell(const char* of) : text(of) {}
  };
  explicit Table(std::vector<Column> columns);

  // REQUIRES: one cell for each column. Control characters in cells are shown as '?', so that a file name cannot
  // play with the terminal.
  void add_row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  std::string to_string(Look look = {}) const;  // the titles and the rows, each with a line end

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> fitting(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Columns that `text` takes on a terminal: code points, as far as it is UTF-8.
std::size_t display_width(const std::string& text);
// No wider than that: "a long na…", or "…of a path" if its end says more.
std::string shortened_to(const std::string& text, std::size_t width, Table::Cut cut = Table::Cut::End);
// `text` with control characters replaced, for a single line on a terminal.
std::string printable(std::string text);
// Like printable(), but keeps line ends and tabs: for a message of several lines (an attempt's stderr).
std::string printable_lines(std::string text);

}  // namespace ontime::cli

#include "cli/show/table.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/utf8.h"

namespace ontime::cli {
namespace {

// The terminal's code for a state; empty: none.
std::string_view colour_of(std::string_view state) {
  if (state == "failed" || state == "lost") return "\033[31m";
  if (state == "succeeded") return "\033[32m";
  if (state == "killed" || state == "draining" || state == "drained") return "\033[33m";
  return "";
}

std::string painted(const std::string& state) {
  const std::string_view colour = colour_of(state);
  return colour.empty() ? state : std::string(colour) + state + "\033[0m";
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<Table::Column>& columns,
                    const std::vector<std::size_t>& widths, Colours colours) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths[i] - display_width(cells[i]), ' ');
    const std::string cell = columns[i].is_state && colours == Colours::Yes ? painted(cells[i]) : cells[i];
    if (i > 0) line += "  ";
    line += columns[i].align == Align::Right ? blanks + cell : cell + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

Colours colours_of(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool has_colours = isatty(descriptor) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  return has_colours && (refused == nullptr || *refused == '\0') ? Colours::Yes : Colours::No;
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printable(std::string text) { return without_controls(text); }

std::string printable_lines(std::string text) { return without_controls(text, "\n\t"); }

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  ONTIME_CHECK(cells.size() == columns_.size(), "a row has one cell for each column");
  for (auto& cell : cells) cell = printable(std::move(cell));
  rows_.push_back(std::move(cells));
}

std::string Table::to_string(Colours colours) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(display_width(column.title));
  }
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string text = line_of(titles, columns_, widths, Colours::No);
  for (const auto& row : rows_) text += line_of(row, columns_, widths, colours);
  return text;
}

}  // namespace ontime::cli

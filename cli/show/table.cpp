#include "cli/show/table.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/terminal.h"
#include "common/base/utf8.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kCutLeast = 8;  // columns that a text which is cut keeps
constexpr std::size_t kGap = 2;
constexpr std::size_t kLeftOut = ~std::size_t{0};  // in place of a width

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths)
    if (width != kLeftOut) sum += width + kGap;
  return sum == 0 ? 0 : sum - kGap;
}

std::string line_of(const std::vector<Table::Cell>& cells, const std::vector<Table::Column>& columns,
                    const std::vector<std::size_t>& widths, Colours colours) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == kLeftOut) continue;
    const std::string text = shortened_to(cells[i].text, widths[i], columns[i].cut);
    const std::string blanks(widths[i] - display_width(text), ' ');
    const std::string cell = colours == Colours::Yes ? painted(text, cells[i].colour) : text;
    if (!line.empty()) line += std::string(kGap, ' ');
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

std::string painted(const std::string& text, Colour colour) {
  static constexpr std::array<const char*, 4> kCodes{"", "\033[31m", "\033[33m", "\033[32m"};
  if (colour == Colour::None || text.empty()) return text;
  return kCodes.at(static_cast<std::size_t>(colour)) + text + "\033[0m";
}

Look look_of(int descriptor) {
  return isatty(descriptor) == 1 ? Look{colours_of(descriptor), terminal_width(descriptor)} : Look{};
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printable(std::string text) { return without_controls(text); }

std::string printable_lines(std::string text) { return without_controls(text, "\n\t"); }

std::string shortened_to(const std::string& text, std::size_t width, Table::Cut cut) {
  const std::size_t all = display_width(text);
  if (all <= width) return text;
  if (width == 0) return "";
  const std::size_t kept = width - 1;
  std::size_t letters = 0;
  std::size_t at = 0;
  const std::size_t stop = cut == Table::Cut::Begin ? all - kept : kept;
  for (; at < text.size(); ++at) {
    if (is_utf8_continuation(text[at])) continue;
    if (letters++ == stop) break;
  }
  return cut == Table::Cut::Begin ? "\u2026" + text.substr(at) : text.substr(0, at) + "\u2026";
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<Cell> cells) {
  ONTIME_CHECK(cells.size() == columns_.size(), "a row has one cell for each column");
  for (auto& cell : cells) cell.text = printable(std::move(cell.text));
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i].text));
  return widths;
}

// First columns are left out, as far as the others do not fit even when they are cut, and then the widest text is cut.
std::vector<std::size_t> Table::fitting(std::size_t width) const {
  std::vector<std::size_t> fit = widths();
  const auto least = [&](std::size_t i) {
    return columns_[i].cut == Cut::No ? fit[i]
                                      : std::min(fit[i], std::max(kCutLeast, display_width(columns_[i].title)));
  };
  for (;;) {
    std::vector<std::size_t> narrow = fit;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < fit.size(); ++i) {
      if (fit[i] == kLeftOut) continue;
      narrow[i] = least(i);
      if (fit[worst] == kLeftOut || columns_[i].rank > columns_[worst].rank) worst = i;
    }
    if (total(narrow) <= width || columns_[worst].rank == 0) break;
    fit[worst] = kLeftOut;
  }
  while (total(fit) > width) {
    std::size_t widest = fit.size();
    for (std::size_t i = 0; i < fit.size(); ++i) {
      const bool can_be_cut = fit[i] != kLeftOut && fit[i] > least(i);
      if (can_be_cut && (widest == fit.size() || fit[i] > fit[widest])) widest = i;
    }
    if (widest == fit.size()) break;
    --fit[widest];
  }
  return fit;
}

std::string Table::to_string(Look look) const {
  const std::vector<std::size_t> shown = look.width == 0 ? widths() : fitting(look.width);
  std::vector<Cell> titles;
  for (const auto& column : columns_) titles.emplace_back(column.title);
  std::string text = line_of(titles, columns_, shown, Colours::No);
  for (const auto& row : rows_) text += line_of(row, columns_, shown, look.colours);
  return text;
}

}  // namespace ontime::cli

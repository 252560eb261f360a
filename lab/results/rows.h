#pragma once
// Rows of tables. A row type lists its columns once,
//
//   template <class Row, class Visit>
//   static void fields(Row& row, Visit&& visit) { visit_all(visit, "policy", row.policy, "time_s", row.time, ...); }
//
// in the order of the columns, with names that carry the unit. Comma-separated values, their reading and JSON follow.
// Rows that are only written may be JSON objects with the same keys instead.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"
#include "lab/results/writing.h"

namespace ontime::lab {

// How other numbers than whole ones are written; what is not finite is left empty.
enum class Digits : std::uint8_t { SixSignificant, Millionths };

std::string cell_of(double value, Digits digits);
std::string cell_of(const std::map<std::string, std::uint64_t>& counts);  // "late=3 slow=1"

template <class Value>
std::string cell_of(const Value& value, Digits digits) {
  if constexpr (std::is_floating_point_v<Value>)
    return cell_of(static_cast<double>(value), digits);
  else if constexpr (std::is_same_v<Value, bool>)
    return value ? "1" : "0";
  else if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_convertible_v<Value, std::string>)
    return value;
  else
    return cell_of(value);
}

bool read_cell(const std::string& text, std::string& value);
bool read_cell(const std::string& text, bool& value);
bool read_cell(const std::string& text, double& value);
template <class Whole>
  requires std::is_integral_v<Whole>
bool read_cell(const std::string& text, Whole& value) {
  const auto number = number_in<Whole>(text);
  if (number) value = *number;
  return number.has_value();
}

// Several columns: a title and its value, the next title and its value, and so on.
template <class Visit, class Value, class... More>
void visit_all(Visit& visit, const char* title, Value&& value, More&&... more) {
  visit(title, value);
  if constexpr (sizeof...(more) > 0) visit_all(visit, more...);
}

template <class Row>
std::vector<std::string> titles_of() {
  std::vector<std::string> titles;
  Row row;
  Row::fields(row, [&](const char* title, const auto&) { titles.emplace_back(title); });
  return titles;
}

// With a line of titles.
template <class Row>
std::string csv_of(const std::vector<Row>& rows, Digits digits = Digits::SixSignificant) {
  std::string text = csv_line(titles_of<Row>());
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    Row::fields(row, [&](const char*, const auto& value) { cells.push_back(cell_of(value, digits)); });
    text += csv_line(cells);
  }
  return text;
}

// BadInput, with name and line, for what csv_of() has not written.
template <class Row>
Result<std::vector<Row>> read_csv(const std::string& name, const std::string& text) {
  std::size_t at = 0;
  const std::vector<std::string> titles = titles_of<Row>();
  if (next_csv_line(text, at) != titles)
    return bad_input(name + ": the titles are not those of an experiment of this version");
  std::vector<Row> rows;
  for (std::size_t line = 2; at < text.size(); ++line) {
    const auto cells = next_csv_line(text, at);
    bool is_good = cells.size() == titles.size();
    Row row;
    std::size_t column = 0;
    if (is_good) {
      Row::fields(row, [&](const char*, auto& value) { is_good = read_cell(cells[column++], value) && is_good; });
    }
    if (!is_good) return bad_input(name + ", line " + std::to_string(line) + ": cannot be read");
    rows.push_back(std::move(row));
  }
  return rows;
}

// A list of objects; what is not finite is null.
template <class Row>
nlohmann::ordered_json json_list(const std::vector<Row>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    auto& object = list.emplace_back(nlohmann::ordered_json::object());
    Row::fields(row, [&](const char* title, const auto& value) { object[title] = value; });
  }
  return list;
}

// Of a list of objects with the same keys.
std::string csv_of(const nlohmann::ordered_json& rows, Digits digits = Digits::SixSignificant);

// As --json prints it and files hold it.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace ontime::lab

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "lab/experiment/rows.h"
#include "lab/results/writing.h"

namespace ontime::lab::experiment {
namespace {

std::string text_of(const std::string& value) { return csv_field(value); }
std::string text_of(bool value) { return value ? "1" : "0"; }
std::string text_of(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 64> text{};
  const double rounded = std::round(value * 1e6) / 1e6;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), rounded).ptr};
}
template <class Whole>
requires std::is_integral_v<Whole> std::string text_of(Whole value) { return std::to_string(value); }

bool parse(const std::string& text, std::string& value) {
  value = text;
  return true;
}
bool parse(const std::string& text, bool& value) {
  value = text == "1";
  return text == "0" || text == "1";
}
bool parse(const std::string& text, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
template <class Whole>
requires std::is_integral_v<Whole>
bool parse(const std::string& text, Whole& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Row>
std::string write(std::vector<Row>& rows) {
  std::string text;
  Row{}.fields([&](const char* title, auto&) { text += (text.empty() ? "" : ",") + std::string(title); });
  text += "\n";
  for (Row& row : rows) {
    bool is_first = true;
    row.fields([&](const char*, auto& value) {
      if (!is_first) text += ",";
      is_first = false;
      text += text_of(value);
    });
    text += "\n";
  }
  return text;
}

// The fields of the line that begins at `at`, which is moved behind it. Quoted fields may hold line ends.
std::vector<std::string> next_line(const std::string& text, std::size_t& at) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is_quoted) {
      if (c != '"')
        fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

template <class Row>
Status read(const NamedTable& table, std::vector<Row>& rows) {
  std::size_t at = 0;
  std::vector<std::string> titles;
  Row{}.fields([&](const char* title, auto&) { titles.emplace_back(title); });
  if (next_line(table.text, at) != titles) return bad_input(table.name + ": the titles are not those of this version");
  for (std::size_t line = 2; at < table.text.size(); ++line) {
    const auto fields = next_line(table.text, at);
    const auto wrong = [&] { return bad_input(table.name + ", line " + std::to_string(line) + ": cannot be read"); };
    if (fields.size() != titles.size()) return wrong();
    Row row;
    std::size_t column = 0;
    bool is_good = true;
    row.fields([&](const char*, auto& value) { is_good = parse(fields[column++], value) && is_good; });
    if (!is_good) return wrong();
    rows.push_back(std::move(row));
  }
  return {};
}

}  // namespace

std::string csv_of(std::vector<JobRow> rows) { return write(rows); }
std::string csv_of(std::vector<TaskRow> rows) { return write(rows); }
std::string csv_of(std::vector<AttemptRow> rows) { return write(rows); }
std::string csv_of(std::vector<CopyRow> rows) { return write(rows); }
std::string csv_of(std::vector<ForecastRow> rows) { return write(rows); }

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names{"jobs.csv", "tasks.csv", "attempts.csv", "copies.csv", "forecasts.csv"};
  return names;
}

std::vector<NamedTable> tables_of(const Results& results) {
  const auto& names = table_names();
  return {{names[0], csv_of(results.jobs)},
          {names[1], csv_of(results.tasks)},
          {names[2], csv_of(results.attempts)},
          {names[3], csv_of(results.copies)},
          {names[4], csv_of(results.forecasts)}};
}

Result<Results> results_of(const std::vector<NamedTable>& tables) {
  Results results;
  const auto& names = table_names();
  for (const NamedTable& table : tables) {
    Status status;
    if (table.name == names[0]) status = read(table, results.jobs);
    if (table.name == names[1]) status = read(table, results.tasks);
    if (table.name == names[2]) status = read(table, results.attempts);
    if (table.name == names[3]) status = read(table, results.copies);
    if (table.name == names[4]) status = read(table, results.forecasts);
    if (!status) return status.error();
  }
  return results;
}

}  // namespace ontime::lab::experiment

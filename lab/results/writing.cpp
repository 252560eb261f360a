#include "lab/results/writing.h"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "common/base/units.h"
#include "lab/results/rows.h"

namespace ontime::lab {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string percent(double share, int digits) { return std::isnan(share) ? "-" : fixed(100 * share, digits) + " %"; }

std::string number(double value, int digits) {
  if (std::isnan(value)) return "";
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_field(cells[i]);
  return line + "\n";
}

std::vector<std::string> next_csv_line(const std::string& text, std::size_t& at) {
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

std::string cell_of(double value, Digits digits) {
  if (!std::isfinite(value)) return "";
  return digits == Digits::Millionths ? shortest(std::round(value * 1e6) / 1e6) : number(value);
}

std::string cell_of(const std::map<std::string, std::uint64_t>& counts) {
  std::string all;
  for (const auto& [name, count] : counts) all += (all.empty() ? "" : " ") + name + "=" + std::to_string(count);
  return all;
}

bool read_cell(const std::string& text, std::string& value) {
  value = text;
  return true;
}

bool read_cell(const std::string& text, bool& value) {
  value = text == "1";
  return text == "0" || text == "1";
}

bool read_cell(const std::string& text, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (text.empty()) return true;
  const auto number = number_in<double>(text);
  value = number.value_or(value);
  return number.has_value();
}

std::string csv_of(const nlohmann::ordered_json& rows, Digits digits) {
  std::string text;
  for (const auto& row : rows) {
    std::vector<std::string> titles;
    std::vector<std::string> cells;
    for (const auto& [title, value] : row.items()) {
      titles.push_back(title);
      const bool is_bool = value.is_boolean();
      cells.push_back(value.is_string()         ? value.get<std::string>()
                      : value.is_number_float() ? cell_of(value.get<double>(), digits)
                      : is_bool                 ? cell_of(value.get<bool>(), digits)
                                                : value.dump());
    }
    text += (text.empty() ? csv_line(titles) : "") + csv_line(cells);
  }
  return text;
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ontime::lab

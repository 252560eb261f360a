#include "apps/aggregate/fields.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace ontime::apps {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

char parse_separator(const std::string& text) {
  if (text == "\\t") return '\t';
  if (text.size() != 1 || text == "\n" || text == "\r" || text == "\"")
    throw std::invalid_argument("separator must be one byte, and neither a line end nor a quote, not \"" + text + "\"");
  return text[0];
}

bool is_number(std::string_view field, std::size_t& number) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size();
}

// The field that begins `rest`, without its quotes.
std::string_view take_field(std::string_view& rest, const FieldFormat& format, std::string& unquoted) {
  if (format.kind != FieldKind::Csv || !rest.starts_with('"')) {
    const std::string_view field = rest.substr(0, rest.find(format.separator));
    rest.remove_prefix(field.size());
    return field;
  }
  rest.remove_prefix(1);
  const std::size_t first = std::min(rest.find('"'), rest.size());
  if (first + 1 >= rest.size() || rest[first + 1] != '"') {
    const std::string_view field = rest.substr(0, first);
    rest.remove_prefix(std::min(rest.size(), first + 1));
    return field;
  }
  for (unquoted.clear();;) {
    const std::size_t quote = std::min(rest.find('"'), rest.size());
    unquoted += rest.substr(0, quote);
    rest.remove_prefix(std::min(rest.size(), quote + 1));
    if (!rest.starts_with('"')) return unquoted;
    unquoted += '"';
    rest.remove_prefix(1);
  }
}

// Calls visit(column, field) for each.
template <class Visit>
void for_each_field(std::string_view record, const FieldFormat& format, std::string& unquoted, Visit visit) {
  for (std::size_t column = 0;; ++column) {
    visit(column, take_field(record, format, unquoted));
    if (!record.starts_with(format.separator)) return;
    record.remove_prefix(1);
  }
}

}  // namespace

void check_field_format(const app::Parameters& parameters) {
  const std::string& format = parameters.get("format");
  if (!format.empty() && format != "separated" && format != "csv" && format != "json")
    throw std::invalid_argument("format must be separated, csv or json, not \"" + format + "\"");
  if (const std::string& separator = parameters.get("separator"); !separator.empty()) parse_separator(separator);
}

FieldFormat FieldFormat::find(const app::Parameters& parameters, const app::RecordFormat& records) {
  check_field_format(parameters);
  const std::string& format = parameters.get("format");
  const std::string& separator = parameters.get("separator");
  const app::RecordShape shape = records.shape();
  const bool are_csv = shape.kind == app::RecordShape::Kind::Csv;
  FieldFormat found;
  if (format == "json" || (format.empty() && shape.kind == app::RecordShape::Kind::Json))
    found.kind = FieldKind::Json;
  else if (format == "csv" || (format.empty() && are_csv))
    found.kind = FieldKind::Csv;
  if (found.kind == FieldKind::Csv) found.separator = are_csv ? shape.separator : ',';
  if (!separator.empty()) found.separator = parse_separator(separator);
  return found;
}

Columns find_columns(const std::vector<std::string>& fields, std::string_view header, char separator,
                     std::uint64_t offset) {
  std::vector<std::string> names;
  std::string unquoted;
  if (!header.empty()) {
    while (header.ends_with('\n') || header.ends_with('\r')) header.remove_suffix(1);
    for_each_field(header, {FieldKind::Csv, separator}, unquoted,
                   [&](std::size_t, std::string_view name) { names.emplace_back(name); });
  }
  Columns columns;
  for (std::uint32_t place = 0; place < fields.size(); ++place) {
    const std::string& field = fields[place];
    std::size_t column = static_cast<std::size_t>(std::find(names.begin(), names.end(), field) - names.begin());
    if (column == names.size()) {
      std::size_t number = 0;
      if (!is_number(field, number) && names.empty())
        throw app::BadRecord(offset, "has no field \"" + field + "\": only JSON and the records of " +
                                         "--records csv:header=yes have names; others have numbers, from 1");
      if (number == 0 || number > 100'000)
        throw app::BadRecord(
            offset, "has no field \"" + field + "\", which is neither in the header nor a number from 1 to 100000");
      column = number - 1;
    }
    if (columns.size() <= column) columns.resize(column + 1);
    if (columns[column] != 0)
      throw app::BadRecord(offset, "has one field for \"" + field + "\" and \"" + fields[columns[column] - 1] +
                                       "\"; use one name for it");
    columns[column] = place + 1;
  }
  return columns;
}

bool divide_row(std::string_view record, const FieldFormat& format, const Columns& columns,
                std::span<std::string_view> values, std::vector<std::string>& unquoted) {
  unquoted.resize(values.size() + 1);
  std::fill(values.begin(), values.end(), std::string_view());
  std::size_t next = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::string_view field = take_field(record, format, unquoted[next]);
    if (columns[column] > 0) {
      values[columns[column] - 1] = field;
      if (field.data() == unquoted[next].data()) ++next;
    }
    if (!record.starts_with(format.separator)) break;
    record.remove_prefix(1);
  }
  return next == 0;
}

}  // namespace ontime::apps

#include "apps/aggregate/json_fields.h"

#include <simdjson.h>

#include <algorithm>

namespace ontime::apps {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view without_blanks(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t\r\n") + 1); }

// The parser reads so many bytes behind the record, and one of them is what it takes for the next token of one that is
// not whole: a blank is none.
bool can_be_read_in_place(std::string_view record, const char* readable_end) {
  const char* const end = record.data() + record.size();
  const auto behind = static_cast<std::size_t>(readable_end - end);
  return behind >= simdjson::SIMDJSON_PADDING && (*end == '\n' || *end == '\r' || *end == ' ' || *end == '\t');
}

template <class Nested>
simdjson::error_code read_nested(simdjson::simdjson_result<Nested> found, std::string_view& text) {
  Nested nested;
  auto error = std::move(found).get(nested);
  if (!error) error = nested.raw_json().get(text);
  text = without_blanks(text);
  return error;
}

simdjson::error_code read_value(ondemand::value value, std::string_view& text) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::string:
      return value.get_string().get(text);
    case ondemand::json_type::object:
      return read_nested(value.get_object(), text);
    case ondemand::json_type::array:
      return read_nested(value.get_array(), text);
    case ondemand::json_type::null:
      return simdjson::SUCCESS;
    default:
      text = without_blanks(value.raw_json_token());
      return simdjson::SUCCESS;
  }
}

// Missing is no error.
simdjson::error_code find_value(ondemand::object& object, std::span<const std::string> path, std::string_view& text) {
  ondemand::value value;
  auto error = object.find_field_unordered(path[0]).get(value);
  for (const std::string& name : path.subspan(1)) {
    ondemand::object inner;
    if (!error) error = value.get_object().get(inner);
    if (!error) error = inner.find_field_unordered(name).get(value);
  }
  if (!error) error = read_value(value, text);
  return error == simdjson::NO_SUCH_FIELD || error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
}

}  // namespace

struct JsonFields::Parser {
  ondemand::parser parser;
  std::string padded;
};

JsonFields::JsonFields(const std::vector<std::string>& fields) : parser_(std::make_unique<Parser>()) {
  for (const std::string& field : fields) {
    std::vector<std::string>& path = paths_.emplace_back();
    for (std::size_t begin = 0; begin <= field.size();) {
      const std::size_t end = std::min(field.find('.', begin), field.size());
      path.push_back(field.substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

JsonFields::~JsonFields() = default;

std::string JsonFields::divide(std::string_view record, const char* readable_end, std::span<std::string_view> values) {
  std::fill(values.begin(), values.end(), std::string_view());
  const char* text = record.data();
  if (!can_be_read_in_place(record, readable_end)) {
    std::string& padded = parser_->padded;
    padded.assign(record);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    text = padded.data();
  }
  ondemand::document document;
  ondemand::object object;
  auto error = parser_->parser.iterate(text, record.size(), record.size() + simdjson::SIMDJSON_PADDING).get(document);
  if (!error) error = document.get_object().get(object);
  for (std::size_t i = 0; i < paths_.size() && !error; ++i) error = find_value(object, paths_[i], values[i]);
  return error ? simdjson::error_message(error) : std::string();
}

}  // namespace ontime::apps

#include "common/log/fields.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

#include "common/base/wording.h"

namespace ontime::log {
namespace {

void add(ParsedEvent& event, std::string_view key, std::string value) {
  const auto same = [&](const auto& field) { return field.first == key; };
  const auto known = std::find_if(event.fields.begin(), event.fields.end(), same);
  if (known == event.fields.end()) {
    event.fields.emplace_back(key, std::move(value));
  } else {
    known->second += "," + value;
  }
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

// Takes a value off the front of `text`; nothing if its quote does not end.
std::optional<std::string> take_value(std::string_view& text) {
  std::string value;
  if (text.empty() || text.front() != '"') {
    const std::size_t end = std::min(text.find(' '), text.size());
    value = text.substr(0, end);
    text.remove_prefix(end);
    return value;
  }
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return value;
    }
    const bool is_escaped = text[at] == '\\' && at + 1 < text.size();
    if (is_escaped) ++at;
    value += is_escaped && text[at] == 'n' ? '\n' : text[at];
  }
  return std::nullopt;
}

}  // namespace

std::string fields_of(JobId job) { return "job=" + to_string(job); }
std::string fields_of(TaskId task) { return fields_of(task.job) + " task=" + to_string(task); }
std::string fields_of(AttemptId attempt) { return fields_of(attempt.task) + " attempt=" + to_string(attempt); }
std::string fields_of(NodeId node) { return "node=" + to_string(node); }

std::string fields_of(Quoted quoted) { return ontime::quoted(quoted.text); }

ParsedEvent parse_event(std::string_view text) {
  ParsedEvent event;
  const std::size_t name_end = std::min(text.find(' '), text.size());
  event.name = text.substr(0, name_end);
  text.remove_prefix(name_end);
  while (!text.empty()) {
    std::string_view after = text.substr(text.front() == ' ' ? 1 : 0);
    const std::string_view whole = after;
    const std::size_t equals = after.find('=');
    const std::string_view key = after.substr(0, std::min(equals, after.size()));
    std::optional<std::string> value;
    if (equals != after.npos && is_key(key)) {
      after.remove_prefix(equals + 1);
      value = take_value(after);
    }
    if (!value || (!after.empty() && after.front() != ' ')) {
      event.rest = whole;
      return event;
    }
    add(event, key, std::move(*value));
    text = after;
  }
  return event;
}

}  // namespace ontime::log

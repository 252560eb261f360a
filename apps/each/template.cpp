#include "apps/each/template.h"

#include <stdexcept>
#include <utility>

#include "common/base/units.h"

namespace ontime::apps {
namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view directory_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view without_extension(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool is_in_name = dot != path.npos && (slash == path.npos || dot > slash);
  return is_in_name && dot + 1 < path.size() ? path.substr(0, dot) : path;
}

}  // namespace

std::optional<Template::Part> Template::part_in(std::string_view braces) {
  Part part;
  if (braces == "#") {
    part.is_number = true;
    return part;
  }
  const std::size_t form = braces.find_first_not_of("-0123456789");
  const std::string_view column = braces.substr(0, form);
  if (!column.empty()) {
    const auto number = number_in<int>(column);
    if (!number || *number == 0) return std::nullopt;
    part.column = *number;
  }
  const std::string_view how = braces.substr(column.size());
  part.no_extension = how == "." || how == "/.";
  part.no_directory = how == "/" || how == "/.";
  part.directory_only = how == "//";
  if (how.empty() || part.no_extension || part.no_directory || part.directory_only) return part;
  return std::nullopt;
}

Template::Template(std::string_view line, std::string column_separator) : separator_(std::move(column_separator)) {
  ShellReader reader;
  for (std::size_t at = 0; at < line.size();) {
    const bool is_of_shell = at > 0 && line[at - 1] == '$';  // ${1}
    const std::size_t end = line[at] == '{' && !is_of_shell ? line.find('}', at) : line.npos;
    std::optional<Part> part;
    if (end != line.npos) part = part_in(line.substr(at + 1, end - at - 1));
    if (part) {
      if (!reader.is_sound_here())
        throw std::invalid_argument(
            "command has a replacement string between backquotes or behind a backslash; write $(...) instead, or leave "
            "the backslash out");
      part->text = std::exchange(rest_, {});
      part->quotes = reader.quotes();
      parts_.push_back(std::move(*part));
      at = end + 1;
    } else {
      reader.read(line.substr(at, 1));
      rest_ += line[at++];
    }
  }
  if (!reader.is_closed()) throw std::invalid_argument("command has quotes or a $( that nothing closes");
  if (!parts_.empty() && line.find("<<") != line.npos && line.find('\n') != line.npos)
    throw std::invalid_argument("command has a here-document and replacement strings; write it to a script");
  if (!parts_.empty()) return;
  parts_.push_back({.text = std::exchange(rest_, {}) + " "});
}

std::vector<std::string_view> Template::columns_of(std::string_view argument) const {
  std::vector<std::string_view> columns;
  for (std::size_t end = 0; !separator_.empty() && (end = argument.find(separator_)) != argument.npos;) {
    columns.push_back(argument.substr(0, end));
    argument.remove_prefix(end + separator_.size());
  }
  columns.push_back(argument);
  return columns;
}

std::string Template::fill(std::string_view argument, std::uint64_t number) const {
  const std::vector<std::string_view> columns = columns_of(argument);
  const auto count = static_cast<int>(columns.size());
  std::string line;
  for (const Part& part : parts_) {
    line += part.text;
    if (part.is_number) {
      line += std::to_string(number);
      continue;
    }
    const int first = part.column == 0 ? 0 : part.column > 0 ? part.column - 1 : count + part.column;
    const int last = part.column == 0 ? count - 1 : first;
    for (int at = first; at <= last; ++at) {
      std::string_view value = at >= 0 && at < count ? columns[static_cast<std::size_t>(at)] : std::string_view();
      if (part.directory_only) value = directory_name(value);
      if (part.no_directory) value = base_name(value);
      if (part.no_extension) value = without_extension(value);
      if (at > first) line += ' ';
      line += quoted_for_shell(value, part.quotes);
    }
  }
  return line + rest_;
}

}  // namespace ontime::apps

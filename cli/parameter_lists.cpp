#include "cli/parameter_lists.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/base/wording.h"

namespace ontime::cli {
namespace {

bool is_mark(std::string_view word) { return word == ":::" || word == "::::" || word == ":::+" || word == "::::+"; }

Result<std::vector<std::string>> lines_in(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (const std::string& path : files) {
    std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    if (!file.eof()) return bad_input(":::: '" + path + "' cannot be read: " + std::strerror(errno));
  }
  return lines;
}

}  // namespace

std::vector<std::string> take_lists(std::vector<std::string>& arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(), is_mark);
  if (first == arguments.end()) return {};
  std::vector<std::string> lists(first, arguments.end());
  arguments.erase(first, arguments.end());
  arguments.emplace_back(kListsInput);
  return lists;
}

Result<ParameterLists> ParameterLists::read(const std::vector<std::string>& words) {
  ParameterLists lists;
  const bool has_columns = std::count_if(words.begin(), words.end(), is_mark) > 1;
  for (auto mark = words.begin(); mark != words.end();) {
    const auto end = std::find_if(mark + 1, words.end(), is_mark);
    std::vector<std::string> values(mark + 1, end);
    if (mark->starts_with("::::")) {
      auto lines = lines_in(values);
      if (!lines) return lines.error();
      values = std::move(*lines);
    }
    for (const std::string& value : values) {
      if (value.find('\n') == value.npos && (!has_columns || value.find('\t') == value.npos)) continue;
      return bad_input(*mark + ": the value " + ontime::quoted(value.substr(0, 80)) +
                       " has a line end, or a tab where there are several lists; write the records to a file");
    }
    if (Status added = lists.add(*mark, std::move(values)); !added) return added.error();
    mark = end;
  }
  return lists;
}

Status ParameterLists::add(std::string_view mark, std::vector<std::string> values) {
  const bool goes_along = mark.ends_with('+');
  if (goes_along && lists_.empty()) return bad_input(std::string(mark) + ": there is no list before it; write :::");
  ++columns_;
  if (!goes_along) {
    lists_.push_back(std::move(values));
    return {};
  }
  std::vector<std::string>& before = lists_.back();
  before.resize(std::min(before.size(), values.size()));
  for (std::size_t i = 0; i < before.size(); ++i) before[i] += '\t' + values[i];
  return {};
}

Status ParameterLists::for_each(const std::function<Status(std::string_view)>& take) const {
  return combine(0, "", take);
}

Status ParameterLists::combine(std::size_t list, const std::string& before,
                               const std::function<Status(std::string_view)>& take) const {
  for (const std::string& value : lists_[list]) {
    const std::string record = list == 0 ? value : before + '\t' + value;
    Status status = list + 1 < lists_.size() ? combine(list + 1, record, take) : take(record + '\n');
    if (!status) return status;
  }
  return {};
}

}  // namespace ontime::cli

// The text of --help in the width of a terminal.
#include <algorithm>
#include <sstream>

#include "common/flags/flags.h"

namespace ontime::flags {
namespace {

// What goes on below a description is indented as that is.
std::size_t description_at(const std::string& line) {
  const bool is_described = line.starts_with("  ") && line.size() > kHelpColumn && line[kHelpColumn - 1] == ' ';
  return is_described ? kHelpColumn : 0;
}

std::string broken(std::string line, std::size_t width) {
  const std::size_t indent = std::min(description_at(line), width / 2);
  std::string text;
  while (line.size() > width) {
    std::size_t gap = line.rfind(' ', width);
    if (gap == line.npos || gap <= std::max(indent, description_at(line))) gap = line.find(' ', width);
    if (gap == line.npos) break;
    text += line.substr(0, gap) + '\n';
    line = std::string(indent, ' ') + line.substr(gap + 1);
  }
  return text + line + '\n';
}

}  // namespace

std::string wrapped(const std::string& help, std::size_t width) {
  if (width == 0) return help;
  std::string text;
  bool is_example = false;  // a line that is typed stays whole
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line == "Examples:") is_example = true;
    text += is_example && line.starts_with(' ') ? line + '\n' : broken(line, width);
  }
  return text;
}

}  // namespace ontime::flags

#include "master/inputs/input_pattern.h"

#include <fnmatch.h>

#include <cstddef>

#include "master/base/text.h"

namespace ontime::master {
namespace {

constexpr std::string_view kWildcards = "*?[";
constexpr std::string_view kSpecial = "*?[{";
constexpr std::size_t kAlternativesMax = 256;

// The first of `characters` that no backslash takes as it is.
std::size_t find_special(std::string_view text, std::string_view characters, std::size_t from = 0) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (characters.find(text[i]) != characters.npos)
      return i;
  }
  return text.npos;
}

// The alternatives of the brace at `open`, and where it is closed. Fewer than two: it is a character like any other.
struct Brace {
  std::vector<std::string> alternatives;
  std::size_t close = 0;
};

Brace read_brace(std::string_view text, std::size_t open) {
  Brace brace;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open; at != text.npos; at = find_special(text, "{,}", at + 1)) {
    if (text[at] == '{') ++depth;
    const bool is_end = text[at] == '}' && --depth == 0;
    if (!is_end && (text[at] != ',' || depth != 1)) continue;
    brace.alternatives.emplace_back(text.substr(begin, at - begin));
    begin = at + 1;
    brace.close = at;
    if (is_end) return brace;
  }
  return {};
}

bool expand(const std::string& text, std::vector<std::string>& patterns) {
  for (std::size_t open = find_special(text, "{"); open != text.npos; open = find_special(text, "{", open + 1)) {
    const Brace brace = read_brace(text, open);
    if (brace.alternatives.size() < 2) continue;
    for (const std::string& alternative : brace.alternatives)
      if (!expand(text.substr(0, open) + alternative + text.substr(brace.close + 1), patterns)) return false;
    return true;
  }
  patterns.push_back(text);
  return patterns.size() <= kAlternativesMax;
}

}  // namespace

bool is_pattern(std::string_view text) { return text.find_first_of(kSpecial) != text.npos; }

std::string escaped_for_pattern(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '\\' || kSpecial.find(c) != kSpecial.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string fixed_part(const std::string& path) {
  const std::size_t special = path.find_first_of(kSpecial);
  return special == path.npos ? path : path.substr(0, path.rfind('/', special) + 1);
}

Result<std::vector<std::string>> without_braces(const std::string& pattern) {
  std::vector<std::string> patterns;
  if (expand(pattern, patterns)) return patterns;
  return bad_input("The input '" + readable(pattern) + "' stands for more than " + std::to_string(kAlternativesMax) +
                   " patterns; name fewer alternatives in braces.");
}

std::vector<std::string> names_of(std::string_view pattern) {
  std::vector<std::string> names;
  while (!pattern.empty()) {
    const std::size_t slash = pattern.find('/');
    if (slash != 0) names.emplace_back(pattern.substr(0, slash));
    if (slash == pattern.npos) break;
    pattern.remove_prefix(slash + 1);
  }
  return names;
}

std::string literal_name(std::string_view part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\' && i + 1 < part.size()) ++i;
    name += part[i];
  }
  return name;
}

bool is_wildcard(std::string_view part) { return find_special(part, kWildcards) != part.npos; }

bool matches(const std::string& part, const std::string& name) { return ::fnmatch(part.c_str(), name.c_str(), 0) == 0; }

PathPattern::PathPattern(std::string_view pattern, Hidden hidden) : parts_(names_of(pattern)), hidden_(hidden) {}

bool PathPattern::matches(const std::vector<std::string>& names) const {
  return reached(names).contains(parts_.size());
}

// Which of the pattern's parts may come next.
std::set<std::size_t> PathPattern::reached(const std::vector<std::string>& names) const {
  std::set<std::size_t> at = skipped({0});
  for (const std::string& name : names) {
    std::set<std::size_t> next;
    for (const std::size_t i : at) {
      if (i == parts_.size() || parts_[i] == "**") {
        if (takes(name)) next.insert(i);
      } else if (fits(parts_[i], name)) {
        next.insert(i + 1);
      }
    }
    at = skipped(next);
  }
  return at;
}

// "**" may stand for no name at all.
std::set<std::size_t> PathPattern::skipped(std::set<std::size_t> at) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (at.contains(i) && parts_[i] == "**") at.insert(i + 1);
  }
  return at;
}

bool PathPattern::fits(const std::string& part, const std::string& name) const {
  if (!is_wildcard(part)) return literal_name(part) == name;
  return master::matches(part, name) && (takes(name) || part.front() == name.front());
}

bool PathPattern::takes(const std::string& name) const { return hidden_ == Hidden::Matches || !is_hidden(name); }

bool is_hidden(std::string_view name) { return name.starts_with('.') || name.starts_with('_'); }

}  // namespace ontime::master

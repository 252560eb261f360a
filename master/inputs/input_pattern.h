#pragma once
// Patterns that name input files: `*`, `?` and `[...]` within a name, `**` for any number of directories, `{a,b}` for
// either text. A backslash takes the character behind it as it is. Pure.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::master {

// Whether the text has a wildcard or a brace. A file of that very name comes first all the same.
bool is_pattern(std::string_view text);
// The pattern that matches `path` and nothing else.
std::string escaped_for_pattern(std::string_view path);
// The directory that a pattern searches, up to its first wildcard. Any other path as it is.
std::string fixed_part(const std::string& path);

// The patterns that one with braces stands for; BadInput if they are too many.
Result<std::vector<std::string>> without_braces(const std::string& pattern);

// A pattern without braces, name by name: "/a/*.txt" is {"a", "*.txt"}.
std::vector<std::string> names_of(std::string_view pattern);
// The name that a part of a pattern means; only for one that is no wildcard.
std::string literal_name(std::string_view part);
bool is_wildcard(std::string_view part);
bool matches(const std::string& part, const std::string& name);

// A whole pattern without braces, for names that are not looked up one directory after another.
class PathPattern {
 public:
  // Whether wildcards match hidden names too.
  enum class Hidden { Matches, MatchesNot };
  explicit PathPattern(std::string_view pattern, Hidden hidden = Hidden::MatchesNot);

  // The names match up to some slash, and nothing hidden is behind it.
  bool matches(const std::vector<std::string>& names) const;
  bool may_match_below(const std::vector<std::string>& directory) const { return !reached(directory).empty(); }

 private:
  std::set<std::size_t> reached(const std::vector<std::string>& names) const;
  std::set<std::size_t> skipped(std::set<std::size_t> at) const;
  bool fits(const std::string& part, const std::string& name) const;
  bool takes(const std::string& name) const;

  std::vector<std::string> parts_;
  Hidden hidden_;
};

// As Hadoop leaves them out of what it reads: names that begin with '.' or '_'.
bool is_hidden(std::string_view name);

}  // namespace ontime::master

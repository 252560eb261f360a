#include "apps/grep/pattern.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "apps/text/switch.h"

namespace ontime::apps {

PatternOptions PatternOptions::parse(const app::Parameters& parameters) {
  return {parse_switch(parameters, "fixed"), parse_switch(parameters, "ignore-case"), parse_switch(parameters, "word"),
          parse_switch(parameters, "bytes")};
}

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kPatternBytes = 16u << 20;  // of a file

re2::RE2::Options options_of(const PatternOptions& options, Pattern::Kind kind) {
  re2::RE2::Options chosen;
  chosen.set_log_errors(false);
  chosen.set_never_nl(kind == Pattern::Kind::Lines);
  chosen.set_case_sensitive(!options.ignores_case);
  chosen.set_max_mem(256 << 20);
  const bool is_text = options.is_fixed && !options.ignores_case;  // any bytes, as they stand
  if (options.are_bytes || is_text) chosen.set_encoding(re2::RE2::Options::EncodingLatin1);
  return chosen;
}

std::string source_of(const std::string& pattern, const PatternOptions& options) {
  return options.is_fixed ? re2::RE2::QuoteMeta(pattern) : pattern;
}

void check(const std::string& pattern, const PatternOptions& options, const std::string& name, bool is_shown) {
  const re2::RE2 expression(source_of(pattern, options), options_of(options, Pattern::Kind::Others));
  if (expression.ok()) return;
  const std::string& error = expression.error();
  throw std::invalid_argument(name +
                              " is none that RE2 knows: " + (is_shown ? error : error.substr(0, error.find(':'))));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const app::Line line : app::Lines(text, 0)) lines.emplace_back(line.text);
  return lines;
}

std::string read_whole(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))  // and not a device or a pipe that never ends
    throw std::invalid_argument("the file of patterns '" + path + "' is not there, or is no file");
  if (std::filesystem::file_size(path) > kPatternBytes)
    throw std::invalid_argument("the file of patterns '" + path + "' has more than 16 MiB");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::invalid_argument("the file of patterns '" + path + "' cannot be read");
  return text;
}

// Whether it means the same in a line and in a stretch of many: nothing in it asks for begin or end of all the text,
// changes what `^` and `$` are, or takes any byte.
bool means_lines(std::string_view pattern) {
  for (const std::string_view text : {"\\A", "\\z", "\\C"}) {
    if (pattern.find(text) != kNone) return false;
  }
  for (std::size_t at = pattern.find("(?"); at != kNone; at = pattern.find("(?", at + 1)) {
    const std::string_view flags = pattern.substr(at + 2, pattern.find_first_of(":)", at) - at - 2);
    if (flags.find_first_of("m-") != kNone) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> read_patterns(const app::Parameters& parameters) {
  const std::string& given = parameters.get("pattern");
  const std::string& path = parameters.get("patterns");
  if (given.empty() && path.empty())
    throw std::invalid_argument("what to look for is needed: --set pattern=PATTERN, or --set patterns=FILE");
  const PatternOptions options = PatternOptions::parse(parameters);
  std::vector<std::string> patterns = lines_of(given);
  for (const std::string& pattern : patterns) check(pattern, options, "the pattern \"" + pattern + "\"", true);
  if (path.empty()) return patterns;
  // What the file says is kept to itself: a job can name any file of the worker's user.
  std::uint64_t number = 0;
  for (std::string& line : lines_of(read_whole(path))) {
    check(line, options, "line " + std::to_string(++number) + " of the file of patterns '" + path + "'", false);
    patterns.push_back(std::move(line));
  }
  if (patterns.empty()) throw std::invalid_argument("the file of patterns '" + path + "' has none");
  return patterns;
}

Pattern::Pattern(const std::vector<std::string>& patterns, const PatternOptions& options, Kind kind)
    : are_words_(options.are_words) {
  std::string all;
  for (const std::string& pattern : patterns) {
    if (!options.is_fixed && !means_lines(pattern)) is_local_ = false;
    all += (all.empty() ? "(?:" : "|(?:") + source_of(pattern, options) + ")";
  }
  // A word ends where no letter, digit or underscore follows, also if it is none itself, as in GNU grep.
  if (are_words_) all = "(?:^|\\W)(" + all + ")(?:\\W|$)";
  if (kind == Kind::Lines) all.insert(0, "(?m)");
  expression_.emplace(all, options_of(options, kind));
  if (!expression_->ok())
    throw std::invalid_argument("the patterns together are none that RE2 knows: " +
                                expression_->error().substr(0, 200));
  if (patterns.size() != 1 || options.ignores_case) return;
  std::string required = options.is_fixed ? patterns.front() : required_literal(patterns.front());
  is_literal_ = required == patterns.front() && !are_words_;
  if (required.size() > 1) literal_.emplace(std::move(required));
  is_literal_ = is_literal_ && literal_;
}

bool Pattern::matches(std::string_view text) const {
  return is_literal_ ? literal_->find(text, 0) != kNone : re2::RE2::PartialMatch(text, *expression_);
}

Pattern::Match Pattern::find(std::string_view text, std::size_t from) const {
  if (is_literal_) {
    const std::size_t at = literal_->find(text, from);
    return at == kNone ? Match{} : Match{at, at + literal_->text().size()};
  }
  re2::StringPiece found[2];
  const int groups = are_words_ ? 2 : 1;
  if (!expression_->Match(text, from, text.size(), re2::RE2::UNANCHORED, found, groups)) return {};
  const re2::StringPiece& match = found[groups - 1];
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return {begin, begin + match.size()};
}

std::size_t Pattern::find_line(std::string_view lines, std::size_t from) const {
  if (!literal_ || is_literal_) {
    const std::size_t at = find(lines, from).begin;
    return at == lines.size() && lines.ends_with('\n') ? kNone : at;  // behind the last line is no empty one
  }
  while (true) {
    const std::size_t at = literal_->find(lines, from);
    if (at == kNone) return kNone;
    const std::size_t feed = at == 0 ? kNone : lines.rfind('\n', at - 1);
    const std::size_t begin = feed == kNone ? 0 : feed + 1;
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (matches(lines.substr(begin, end - begin))) return at;
    from = end;
  }
}

bool Pattern::is_nowhere_in(std::string_view records) const { return literal_ && literal_->find(records, 0) == kNone; }

}  // namespace ontime::apps

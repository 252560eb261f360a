#include "apps/each/shell_words.h"

#include <algorithm>

namespace ontime::apps {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_plain(char c) {
  return is_letter_or_digit(c) || std::string_view("_-+,./:@%").find(c) != std::string_view::npos;
}

// Commands and keywords of POSIX shells that are something else, or nothing, as programs. `true` and `false` are the
// same as both.
bool is_of_shell(std::string_view word) {
  constexpr std::string_view kWords[] = {
      ".",        ":",     "alias",   "bg",    "break",  "builtin",  "case",    "cd",       "chdir",  "command",
      "continue", "do",    "done",    "echo",  "elif",   "else",     "esac",    "eval",     "exec",   "exit",
      "export",   "fc",    "fg",      "fi",    "for",    "function", "getopts", "hash",     "if",     "in",
      "jobs",     "kill",  "let",     "local", "printf", "pwd",      "read",    "readonly", "return", "select",
      "set",      "shift", "source",  "test",  "then",   "time",     "times",   "trap",     "type",   "typeset",
      "ulimit",   "umask", "unalias", "unset", "until",  "wait",     "while"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string with_backslashes(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (std::string_view("\\\"$`").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace

std::string quoted_for_shell(std::string_view text, Quotes around) {
  if (around == Quotes::Double) return with_backslashes(text);
  if (around == Quotes::None && !text.empty() && std::all_of(text.begin(), text.end(), is_plain))
    return std::string(text);
  std::string quoted;
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return around == Quotes::Single ? quoted : "'" + quoted + "'";
}

std::optional<std::vector<std::string>> plain_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  for (const char c : line) {
    const bool is_blank = c == ' ' || c == '\t';
    // What a word of a program is assigned to is an assignment in front of one.
    if (!is_blank && !is_plain(c) && !(c == '=' && words.size() > 1)) return std::nullopt;
    if (!is_blank && !is_in_word) words.emplace_back();
    if (!is_blank) words.back() += c;
    is_in_word = !is_blank;
  }
  if (words.empty() || is_of_shell(words.front())) return std::nullopt;
  return words;
}

void ShellReader::read(std::string_view text) {
  for (const char next : text) {
    const bool was_escaped = is_escaped_;
    take(next);
    last_ = was_escaped || is_escaped_ ? '\0' : next;
  }
}

void ShellReader::take(char next) {
  const Quotes now = quotes();
  if (now == Quotes::Single) {
    if (next == '\'') open_.pop_back();
    return;
  }
  if (is_escaped_) {
    is_escaped_ = false;
    return;
  }
  if (next == '\\') {
    is_escaped_ = true;
  } else if (next == '`') {
    in_backquotes_ = !in_backquotes_;
  } else if (next == '"') {
    if (now == Quotes::Double)
      open_.pop_back();
    else
      open_.push_back(Quotes::Double);
  } else if (next == '(' && last_ == '$') {
    open_.push_back(Quotes::None);
    parentheses_.push_back(0);
  } else if (now == Quotes::None && next == '\'') {
    open_.push_back(Quotes::Single);
  } else if (now == Quotes::None && next == '(') {
    ++parentheses_.back();
  } else if (now == Quotes::None && next == ')' && !open_.empty()) {
    if (parentheses_.back()-- > 0) return;
    parentheses_.pop_back();
    open_.pop_back();
  }
}

}  // namespace ontime::apps

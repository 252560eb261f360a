#pragma once
// What /bin/sh makes of a text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ontime::apps {

// Where a text is put into a command line.
enum class Quotes { None, Single, Double };

// So that the shell reads exactly `text` there, whatever it holds but NUL bytes. Plain words stay as they are.
std::string quoted_for_shell(std::string_view text, Quotes around = Quotes::None);

// The words of a command line in which there is nothing for a shell to do; nothing if a shell has to read it, because
// there are quotes or other characters that mean something to it, or its own command or keyword is called.
std::optional<std::vector<std::string>> plain_words(std::string_view line);

// Follows a command line from its begin and knows which quotes are open.
class ShellReader {
 public:
  void read(std::string_view text);
  Quotes quotes() const { return open_.empty() ? Quotes::None : open_.back(); }
  // What is put here would be read twice, between backquotes, or its first character with the one before.
  bool is_sound_here() const { return !in_backquotes_ && !is_escaped_; }
  bool is_closed() const { return open_.empty() && !in_backquotes_; }

 private:
  void take(char next);

  std::vector<Quotes> open_;            // of $( within quotes, None
  std::vector<int> parentheses_ = {0};  // open ones of each $(
  bool in_backquotes_ = false;
  bool is_escaped_ = false;
  char last_ = '\0';
};

}  // namespace ontime::apps

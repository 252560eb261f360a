#pragma once
// Turns of phrase that all messages share, so that every program of Ontime speaks with one voice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ontime {

// "1 task", "2 tasks"; an irregular plural is given: "2 copies".
std::string counted(std::uint64_t count, std::string_view one, std::string_view more = {});

// The name of an enumerator. `names` are in the order of the values from 0, `last` is the greatest; what is no
// enumerator has the last name.
template <auto last, class... Names>
constexpr const char* name_at(decltype(last) value, Names... names) {
  static_assert(sizeof...(names) == static_cast<std::size_t>(last) + 1, "each enumerator has a name");
  const char* const all[] = {names...};
  const auto place = static_cast<std::size_t>(value);
  return all[place < sizeof...(names) ? place : sizeof...(names) - 1];
}

// "a, b, c"
std::string listed(const std::vector<std::string>& words);

// The names of things that have one, for listed() and advice().
template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.emplace_back(thing.name);
  return names;
}

// The known word that `word` was probably meant to be: a slip or two away, or begun alike. Empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// What to do about a word that is none of the known ones: "did you mean 'run'?" or "choose one of: run, plan".
std::string advice(std::string_view word, const std::vector<std::string>& known);

// "line 3: this is not valid YAML; ...": `line` is where the parser stopped, counted from 0; negative: not known.
std::string not_yaml(int line);

// A path or a word of the user's as messages show it: 'in quotes'.
std::string in_quotes(std::string_view text);

// In quotes, with \", \\ and \n, and '?' for what a terminal acts on; any bytes.
std::string quoted(std::string_view text);

// What a server says, to be shown within a sentence: its begin, in one line of printable ASCII, without the full stop.
std::string words_of(std::string_view said);

// Two lower-case hexadecimal digits for each byte.
std::string hex_digits(std::string_view bytes);

// Without the blanks around it: spaces, tabs and carriage returns.
std::string_view trimmed(std::string_view text);

// A word of a command line that is printed to be pasted: in quotes if the shell would read more into it.
std::string shell_word(std::string_view text);

inline bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

// An error as a terminal may show it: the program, one sentence with a capital and a full stop, the end of the line.
std::string complaint(std::string_view program, std::string message);

}  // namespace ontime

#include "common/base/wording.h"

#include <algorithm>
#include <cctype>

#include "common/base/utf8.h"

namespace ontime {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Slips between two words: letters that are wrong, missing, too many, or swapped with their neighbour.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      const bool is_same = lower(a[i - 1]) == lower(b[j - 1]);
      least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + (is_same ? 0 : 1)});
      const bool is_swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (is_swapped) least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
    }
  }
  return least[a.size()][b.size()];
}

bool begin_alike(std::string_view a, std::string_view b) {
  constexpr std::size_t kLettersMin = 3;
  return std::min(a.size(), b.size()) >= kLettersMin && (a.starts_with(b) || b.starts_with(a));
}

// A plain word such as "input", not a name such as "job-7", "t00001" or "counts.tsv", whose case is part of it.
bool begins_with_plain_word(std::string_view text) {
  const std::size_t size = std::min(text.find(' '), text.size());
  return size < text.size() && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size),
                                           [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view more) {
  const std::string noun = count == 1 ? std::string(one) : more.empty() ? std::string(one) + "s" : std::string(more);
  return std::to_string(count) + " " + noun;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kBytesMax = 64;  // no name is longer, and the table grows with the square
  if (word.size() < 2 || word.size() > kBytesMax) return {};
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t count = slips(word, candidate);
    if (count >= fewest) continue;
    fewest = count;
    best = candidate;
  }
  if (!best.empty()) return best;
  const auto alike =
      std::find_if(known.begin(), known.end(), [&](const std::string& name) { return begin_alike(word, name); });
  return alike == known.end() ? std::string() : *alike;
}

std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "choose one of: " + listed(known) : "did you mean '" + near + "'?";
}

std::string not_yaml(int line) {
  return (line < 0 ? "" : "line " + std::to_string(line + 1) + ": ") +
         std::string("this is not valid YAML; check brackets, quotes and indentation");
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : without_controls(text, "\n\t")) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result += '"';
}

std::string words_of(std::string_view said) {
  constexpr std::size_t kWordsMax = 500;
  std::string words(said.substr(0, said.find('\n')).substr(0, kWordsMax));
  while (words.ends_with('.') || words.ends_with(' ')) words.pop_back();
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return words;
}

std::string hex_digits(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char byte : bytes) {
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-:@%=,";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  const bool has_control = std::any_of(text.begin(), text.end(), is_control);
  std::string quoted = has_control ? "$'" : "'";
  for (const char c : text) {
    if (is_control(c)) {
      quoted += {'\\', static_cast<char>('0' + (c >> 6 & 3)), static_cast<char>('0' + (c >> 3 & 7)),
                 static_cast<char>('0' + (c & 7))};
    } else if (has_control && (c == '\'' || c == '\\')) {
      quoted += {'\\', c};
    } else {
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return quoted + "'";
}

std::string complaint(std::string_view program, std::string message) {
  message = without_controls(message, "\n\t");
  if (begins_with_plain_word(message)) message[0] = static_cast<char>(message[0] - 'a' + 'A');
  const bool has_lines = message.find('\n') != std::string::npos;  // it ends with what another program wrote
  if (!has_lines && !message.ends_with('.') && !message.ends_with('?') && !message.ends_with('!')) message += '.';
  return std::string(program) + ": " + message + "\n";
}

}  // namespace ontime

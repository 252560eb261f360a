#include "common/net/token.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/net/secret_file.h"

namespace ontime::net {
namespace {

constexpr std::size_t kFileBytesMax = 64u << 10;
constexpr std::size_t kTokenBytesMax = 4096;  // fits into a hello

struct Line {
  std::size_t number = 0;  // from 1
  std::string_view text;   // without spaces around it
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// Those that count.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') lines.push_back({number, line});
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

// "submit:abc" is {"submit", "abc"}; "abc" is {"", "abc"}.
Result<std::pair<std::string, std::string>> parse_line(const Line& line) {
  const std::string where = "line " + std::to_string(line.number);
  const std::size_t colon = line.text.find(':');
  const std::string role(colon == line.text.npos ? "" : trimmed(line.text.substr(0, colon)));
  const std::string token(colon == line.text.npos ? line.text : trimmed(line.text.substr(colon + 1)));
  if (colon != line.text.npos && !rights_of_role(role)) {
    return bad_input(where + " begins with '" + role + ":', which is no role; there is " + role_names());
  }
  if (token.empty()) return bad_input(where + " names the role " + role + " but no token");
  if (token.size() > kTokenBytesMax) return bad_input(where + " is longer than a token may be");
  return std::pair(role, token);
}

Result<std::string> read_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return bad_input("the token file '" + file + "' cannot be read: " + std::strerror(errno));
  if (Status status = check_secret(file, "token file"); !status) return status.error();
  std::string text(kFileBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kFileBytesMax) return bad_input("the token file '" + file + "' is larger than 64 KiB");
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The file that was asked for; else, where no variable holds a token, the one beside our certificate; else "".
std::string file_to_read(const std::string& asked, const char* beside_certificate) {
  const std::string directory = variable("ONTIME_TLS_DIR");
  if (!asked.empty() || !variable("ONTIME_TOKEN").empty() || directory.empty()) return asked;
  std::string file = directory + "/" + beside_certificate;
  return ::access(file.c_str(), F_OK) == 0 ? file : "";
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  // Up to 256 bytes getrandom() neither fails nor gives less than was asked for.
  ONTIME_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
               "the kernel gives random bytes");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool is_same_token(std::string_view expected, std::string_view given) {
  volatile unsigned difference = expected.size() == given.size() ? 0 : 1;  // volatile: no early exit
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    difference = difference | (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other));
  }
  return difference == 0;
}

Rights Token::rights() const { return role.empty() ? Rights::all() : rights_of_role(role).value_or(Rights()); }

std::string Token::describe() const { return "token of " + (role.empty() ? "every role" : role); }

Tokens Tokens::single(std::string token) {
  Tokens tokens;
  if (!token.empty()) tokens.accepted_.push_back({"", std::move(token)});
  return tokens;
}

Result<Tokens> Tokens::parse(std::string_view text) {
  Tokens tokens;
  for (const Line& line : lines_of(text)) {
    auto entry = parse_line(line);
    if (!entry) return entry.error();
    tokens.accepted_.push_back({std::move(entry->first), std::move(entry->second)});
    const bool opens_everything = tokens.accepted_.front().role.empty() || tokens.accepted_.back().role.empty();
    if (opens_everything && tokens.accepted_.size() > 1) {
      return bad_input("line " + std::to_string(line.number) +
                       ": a token without a role opens everything and must be the only one; write ROLE:TOKEN");
    }
  }
  if (tokens.is_empty()) return bad_input("it holds no token");
  return tokens;
}

Result<Tokens> read_accepted_tokens(const std::string& asked) {
  const std::string file = file_to_read(asked, "tokens");
  if (file.empty()) return Tokens::single(variable("ONTIME_TOKEN"));
  const auto text = read_text(file);
  if (!text) return text.error();
  auto tokens = Tokens::parse(*text);
  if (!tokens) return bad_input("the token file '" + file + "' cannot be used: " + tokens.error().message);
  return tokens;
}

Result<std::string> read_own_token(const std::string& asked) {
  const std::string file = file_to_read(asked, "token");
  if (file.empty()) return variable("ONTIME_TOKEN");
  const auto text = read_text(file);
  if (!text) return text.error();
  const std::vector<Line> lines = lines_of(*text);
  if (lines.size() != 1) {
    return bad_input("the token file '" + file + "' holds " + (lines.empty() ? "no token" : "several tokens") +
                     "; write the one to be shown into it");
  }
  auto entry = parse_line(lines.front());
  if (!entry) return bad_input("the token file '" + file + "' cannot be used: " + entry.error().message);
  return std::move(entry->second);
}

}  // namespace ontime::net

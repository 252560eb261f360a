#include "common/net/token.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "common/base/check.h"
#include "common/base/environment.h"
#include "common/base/wording.h"

namespace ontime::net {
namespace {

constexpr std::size_t kFileBytesMax = 64u << 10;
constexpr std::size_t kTokenBytesMax = 4096;
constexpr std::size_t kTokenNameBytesMax = 31;  // fewer than make_token() gives: names are shown, tokens never

struct Line {
  std::size_t number = 0;  // from 1
  std::string_view text;   // without spaces around it
};

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

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t colon = line.find(':');
    fields.emplace_back(trimmed(line.substr(0, colon)));
    if (colon == line.npos) return fields;
    line.remove_prefix(colon + 1);
  }
}

bool is_token_name(std::string_view name) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.size() <= kTokenNameBytesMax && name.find_first_not_of(kPlain) == name.npos;
}

// TOKEN, ROLE:TOKEN or ROLE:NAME:TOKEN. A sentence repeats only what cannot be a part of the token.
Result<Token> parse_line(const Line& line) {
  const std::string where = "line " + std::to_string(line.number);
  const std::vector<std::string> fields = fields_of(line.text);
  if (fields.back().size() > kTokenBytesMax) return bad_input(where + " is longer than a token may be");
  if (fields.size() == 1) return Token{"", "", fields[0]};
  if (!rights_of_role(fields[0])) {
    return bad_input(where + " does not begin with a role; there is " + role_names());
  }
  if (fields.size() > 3) return bad_input(where + " has too many colons; write ROLE:NAME:TOKEN, a token without ':'");
  if (fields.back().empty()) return bad_input(where + " names the role " + fields[0] + " but no token");
  const Token token{fields[0], fields.size() == 3 ? fields[1] : fields[0], fields.back()};
  if (!is_token_name(token.name)) {
    return bad_input(where + " has a name other than 1 to 31 letters, digits, '.', '_' and '-'; write ROLE:NAME:TOKEN");
  }
  return token;
}

// Whether the token on line `at` may stand in one file with the one on line `before`.
Status check_pair(const Token& first, std::size_t before, const Token& second, std::size_t at) {
  const std::string where = "line " + std::to_string(at);
  if (first.role.empty() || second.role.empty()) {
    return bad_input(where + ": a token without a role opens everything and must be the only one; write ROLE:TOKEN");
  }
  if (first.secret == second.secret) {
    return bad_input(where + " has the same token as line " + std::to_string(before) + "; give each its own");
  }
  if (first.name == second.name) {
    return bad_input(where + " has the same name as line " + std::to_string(before) +
                     "; give each its own: ROLE:NAME:TOKEN");
  }
  return {};
}

// The file that was asked for; else, where no variable holds a token, the one beside our certificate; else "".
std::string file_to_read(const std::string& asked, const char* beside_certificate) {
  const std::string directory = environment_variable("ONTIME_TLS_DIR");
  if (!asked.empty() || !environment_variable("ONTIME_TOKEN").empty() || directory.empty()) return asked;
  std::string file = directory + "/" + beside_certificate;
  return ::access(file.c_str(), F_OK) == 0 ? file : "";
}

}  // namespace

Status check_secret(const std::string& path, const char* what) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IRWXO) == 0) return {};
  return bad_input(std::string("everybody on this machine can read the ") + what + " '" + path + "'; run 'chmod 600 " +
                   path + "'");
}

Result<std::string> read_secret(const std::string& file, const char* what) {
  std::ifstream stream(file, std::ios::binary);
  const std::string named = std::string("the ") + what + " '" + file + "'";
  if (!stream) return bad_input(named + " cannot be read: " + std::strerror(errno));
  if (Status status = check_secret(file, what); !status) return status.error();
  std::string text(kFileBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return bad_input(named + " cannot be read: " + std::strerror(errno));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kFileBytesMax) return bad_input(named + " is larger than 64 KiB");
  return text;
}

std::string make_token() { return hex_digits(random_bytes(16)); }

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  ONTIME_CHECK(count <= 256 && getrandom(bytes.data(), count, 0) == static_cast<ssize_t>(count),
               "the kernel gives up to 256 random bytes at once");
  return bytes;
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

std::string Token::describe() const {
  if (role.empty()) return "token of every role";
  return "token of " + name + (name == role ? "" : " (" + role + ")");
}

Tokens::Tokens(std::vector<Token> accepted)
    : accepted_(std::make_shared<const std::vector<Token>>(std::move(accepted))) {}

Tokens Tokens::single(std::string token) {
  return token.empty() ? Tokens() : Tokens({Token{"", "", std::move(token)}});
}

Result<Tokens> Tokens::parse(std::string_view text) {
  std::vector<Token> tokens;
  const std::vector<Line> lines = lines_of(text);
  for (const Line& line : lines) {
    auto token = parse_line(line);
    if (!token) return token.error();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Status fits = check_pair(tokens[i], lines[i].number, *token, line.number);
      if (!fits) return fits.error();
    }
    tokens.push_back(std::move(*token));
  }
  if (tokens.empty()) return bad_input("it holds no token");
  return Tokens(std::move(tokens));
}

bool Tokens::accept(const std::optional<Token>& token) const {
  if (!token) return is_empty();
  return std::find(all().begin(), all().end(), *token) != all().end();
}

Result<Tokens> read_accepted_tokens(const std::string& asked) {
  const std::string file = file_to_read(asked, "tokens");
  if (file.empty()) return Tokens::single(environment_variable("ONTIME_TOKEN"));
  const auto text = read_secret(file, "token file");
  if (!text) return text.error();
  auto tokens = Tokens::parse(*text);
  if (!tokens) return bad_input("the token file '" + file + "' cannot be used: " + tokens.error().message);
  return tokens;
}

Result<std::string> read_own_token(const std::string& asked) {
  const std::string file = file_to_read(asked, "token");
  if (file.empty()) return environment_variable("ONTIME_TOKEN");
  const auto text = read_secret(file, "token file");
  if (!text) return text.error();
  const std::vector<Line> lines = lines_of(*text);
  if (lines.size() != 1) {
    return bad_input("the token file '" + file + "' holds " + (lines.empty() ? "no token" : "several tokens") +
                     "; write the one to be shown into it");
  }
  auto entry = parse_line(lines.front());
  if (!entry) return bad_input("the token file '" + file + "' cannot be used: " + entry.error().message);
  return std::move(entry->secret);
}

}  // namespace ontime::net

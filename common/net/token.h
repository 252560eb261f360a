#pragma once
// Tokens: what a worker or client has to know to be let in by the master; neither sends it (proof.h). Also good for ids
// that must never repeat by chance.
//
// A token file of the master holds one token that opens everything, or lines `ROLE:TOKEN` (then the role is its name) or
// `ROLE:NAME:TOKEN` (roles.h); empty lines and lines that begin with # do not count. No two have the same token or name.
// A token file of a worker or client holds its one token, alone or as such a line.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/net/roles.h"

namespace ontime::net {

// BadInput if everybody on this machine may read the file, which the sentence calls `what`: "key", "token file". A file
// that is missing passes.
Status check_secret(const std::string& path, const char* what);

// 128 random bits from the kernel, as 32 hexadecimal digits.
std::string make_token();

// As many, at most 256, from the kernel.
std::string random_bytes(std::size_t count);

// Takes the same time wherever the two differ, so that a token cannot be guessed byte by byte.
bool is_same_token(std::string_view expected, std::string_view given);

// One that a master accepts.
struct Token {
  std::string role;  // empty: it opens everything
  std::string name;  // empty if the role is
  std::string secret;
  Rights rights() const;
  std::string describe() const;  // without the secret: "token of submit", "token of alice (submit)"
  bool operator==(const Token&) const = default;
};

// The tokens that a master accepts. None: it asks for none, and everybody who can connect may do everything.
class Tokens {
 public:
  Tokens() : Tokens(std::vector<Token>()) {}
  // One that opens everything; empty: none is asked for.
  static Tokens single(std::string token);
  // The text of a token file. BadInput names the line.
  static Result<Tokens> parse(std::string_view text);

  bool is_empty() const { return accepted_->empty(); }
  const std::vector<Token>& all() const { return *accepted_; }
  // Whether they let in whom that token has let in; nothing: whom nobody had asked for one.
  bool accept(const std::optional<Token>& token) const;

 private:
  explicit Tokens(std::vector<Token> accepted);
  std::shared_ptr<const std::vector<Token>> accepted_;  // shared by copies: each connection has one
};

// From the file; if `file` is empty, $ONTIME_TOKEN, a plain token; without that, `tokens` and `token` of
// $ONTIME_TLS_DIR if they are there. BadInput if a file cannot be read or understood, or if
// everybody on the machine can read it.
Result<Tokens> read_accepted_tokens(const std::string& file);
Result<std::string> read_own_token(const std::string& file);

}  // namespace ontime::net

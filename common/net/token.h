#pragma once
// Tokens: what a worker or client has to know to be let in by the master; neither sends it. Also good for ids
// that must never repeat by chance.
//
// A token file of the master holds one token that opens everything, or lines `ROLE:TOKEN` (then the role is its name)
// or `ROLE:NAME:TOKEN` (see Right); empty lines and lines that begin with # do not count. No two have the same token or
// name. A token file of a worker or client holds its one token, alone or as such a line.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::net {

// What a peer may ask of the master. A token or a certificate has a role; a role has rights; a request needs one.
//
//   role        reads  submits, kills its own  kills others' and drains  registers as a worker
//   read-only   yes
//   submit      yes    yes
//   admin       yes    yes                     yes
//   worker      yes                                                      yes
enum class Right : std::uint8_t { Read = 1, Submit = 2, Control = 4, Register = 8 };

// A set of rights. Pure value.
class Rights {
 public:
  constexpr Rights() = default;
  constexpr Rights(Right right) : bits_(static_cast<std::uint8_t>(right)) {}  // NOLINT: implicit by intent
  static constexpr Rights all() { return Rights(std::uint8_t{15}); }

  constexpr bool has(Right right) const { return (bits_ & static_cast<std::uint8_t>(right)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  // Either's, and only those of both.
  constexpr Rights operator|(Rights other) const { return Rights(static_cast<std::uint8_t>(bits_ | other.bits_)); }
  constexpr Rights operator&(Rights other) const { return Rights(static_cast<std::uint8_t>(bits_ & other.bits_)); }
  constexpr bool operator==(const Rights&) const = default;

 private:
  explicit constexpr Rights(std::uint8_t bits) : bits_(bits) {}
  std::uint8_t bits_ = 0;
};

// The rights of the role of that name; nothing if there is no such role.
std::optional<Rights> rights_of_role(std::string_view role);
std::string role_names();  // "read-only, submit, admin, worker", for messages

// Why a request is refused: "Draining a node needs the role admin, but this connection has only: token of submit."
std::string describe_refusal(Right needed, std::string_view credentials);
// The same where the need is more particular: "job-1 belongs to bob; killing it needs the role admin".
std::string describe_refusal(std::string_view need, std::string_view credentials);

// BadInput if everybody on this machine may read the file, which the sentence calls `what`: "key", "token file". A file
// that is missing passes.
Status check_secret(const std::string& path, const char* what);

// The text of a small file that passes check_secret(). BadInput otherwise, and if it cannot be read.
Result<std::string> read_secret(const std::string& path, const char* what);

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

// How two who share a token show each other that they know it without sending it. Each sends an HMAC-SHA256, keyed by
// the token, over what both have said in this conversation and over its own side of it. Both have said 32 fresh random
// bytes, so a proof is of no use in any other conversation or in the other direction, and says nothing about the token
// to peers that cannot guess it: tokens have to be random. Pure.

inline constexpr std::size_t kNonceBytes = 32;  // of random_bytes()

enum class Side : std::uint8_t { Guest, Host };

// What was said before any proof. `challenge` has kNonceBytes.
struct Greeting {
  std::string hello;      // the guest's, as it was sent, with its nonce in it
  std::string challenge;  // the host's nonce
};

inline constexpr std::size_t kProofBytes = 32;
std::string make_proof(Side side, std::string_view token, const Greeting& greeting);
// Whether `proof` is that one. Takes the same time wherever it differs.
bool is_proof(std::string_view proof, Side side, std::string_view token, const Greeting& greeting);

}  // namespace ontime::net

#pragma once
// SHA-256, with and without a key. What answers has 32 bytes, none of them text.

#include <openssl/sha.h>

#include <string>
#include <string_view>

namespace ontime::hash {

// Of a text that comes in pieces.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view piece);
  std::string digest();  // once, at the end

 private:
  SHA256_CTX state_;
};

std::string sha256(std::string_view text);
// SHA-1, for what others have named by it; it protects nothing.
std::string sha1(std::string_view text);
// HMAC-SHA256 (RFC 2104): only who has the key can tell it.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace ontime::hash

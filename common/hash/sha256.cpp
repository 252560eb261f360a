// OpenSSL's newer way to the same instructions looks its algorithms up by name, and prepares all of them when the first
// is asked for: 1 ms, in each of the programs that greet each other before a job can start.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "common/hash/sha256.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"

namespace ontime::hash {

Sha256::Sha256() { ONTIME_CHECK(SHA256_Init(&state_) == 1, "OpenSSL has SHA-256"); }

void Sha256::add(std::string_view piece) { SHA256_Update(&state_, piece.data(), piece.size()); }

std::string Sha256::digest() {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_);
  return digest;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.digest();
}

std::string sha1(std::string_view text) {
  std::string digest(SHA_DIGEST_LENGTH, '\0');
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  const std::string short_key = key.size() > SHA256_CBLOCK ? sha256(key) : std::string(key);
  const auto keyed = [&](char pad, std::string_view content) {
    std::array<char, SHA256_CBLOCK> block;
    block.fill(pad);
    std::transform(short_key.begin(), short_key.end(), block.begin(), [&](char byte) { return char(byte ^ pad); });
    Sha256 hash;
    hash.add({block.data(), block.size()});
    hash.add(content);
    return hash.digest();
  };
  return keyed(0x5c, keyed(0x36, text));
}

}  // namespace ontime::hash

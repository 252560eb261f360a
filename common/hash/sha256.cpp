#include "common/hash/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "common/base/check.h"

namespace ontime::hash {

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  ONTIME_CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
               "OpenSSL has SHA-256");
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> code;
  unsigned size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  ONTIME_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), code.data(), &size),
               "OpenSSL has HMAC-SHA256");
  return {reinterpret_cast<const char*>(code.data()), size};
}

}  // namespace ontime::hash

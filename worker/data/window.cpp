#include "worker/data/window.h"

#include <openssl/evp.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "common/base/check.h"

namespace ontime::worker {

WindowHash hash_of_window(std::string_view window) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  ONTIME_CHECK(EVP_Digest(window.data(), window.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1,
               "SHA-256 is there");
  WindowHash hash{};
  std::copy_n(digest.begin(), hash.size(), hash.begin());
  return hash;
}

std::string pack_window(std::string_view window) {
  std::string packed(ZSTD_compressBound(window.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), window.data(), window.size(), 1));
  return packed;
}

std::optional<std::string> unpack_window(std::string_view packed, const WindowHash& hash) {
  std::string window(kWindowBytes, '\0');
  const std::size_t size = ZSTD_decompress(window.data(), window.size(), packed.data(), packed.size());
  if (ZSTD_isError(size)) return std::nullopt;
  window.resize(size);
  return hash_of_window(window) == hash ? std::optional(std::move(window)) : std::nullopt;
}

}  // namespace ontime::worker

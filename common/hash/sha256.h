#pragma once
// SHA-256 of texts that are in memory, with and without a key. What answers has 32 bytes, none of them text.

#include <string>
#include <string_view>

namespace ontime::hash {

std::string sha256(std::string_view text);
// HMAC-SHA256: only who has the key can tell it.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace ontime::hash

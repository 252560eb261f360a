#pragma once
// Base64 with padding (RFC 4648, section 4), in one line.

#include <optional>
#include <string>
#include <string_view>

namespace ontime::hash {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // nothing for what is not base64

}  // namespace ontime::hash

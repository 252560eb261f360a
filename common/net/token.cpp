#include "common/net/token.h"

#include <sys/random.h>

#include <array>
#include <cstddef>

#include "common/base/check.h"

namespace ontime::net {

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

}  // namespace ontime::net

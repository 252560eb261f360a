#pragma once
// Tokens: what a worker or client shows the master to be let in. Also good for ids that must never repeat by chance.

#include <string>
#include <string_view>

namespace ontime::net {

// 128 random bits from the kernel, as 32 hexadecimal digits.
std::string make_token();

// Takes the same time wherever the two differ, so that a token cannot be guessed byte by byte.
bool is_same_token(std::string_view expected, std::string_view given);

}  // namespace ontime::net

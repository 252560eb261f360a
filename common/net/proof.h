#pragma once
// How two who share a token show each other that they know it without sending it. Each sends an HMAC-SHA256, keyed by
// the token, over what both have said in this conversation and over its own side of it. Both have said 32 fresh random
// bytes, so a proof is of no use in any other conversation or in the other direction, and says nothing about the token
// to peers that cannot guess it: tokens have to be random. Pure, but for the randomness.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::net {

inline constexpr std::size_t kNonceBytes = 32;

std::string make_nonce();  // from the kernel

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

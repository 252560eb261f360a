#include "common/hash/sha256.h"
#include "common/net/token.h"

namespace ontime::net {
namespace {

// Neither is the beginning of the other, and what follows has a fixed length or is the last.
std::string_view label_of(Side side) {
  return side == Side::Guest ? "ontime guest knows the token" : "ontime host knows the token";
}

}  // namespace

std::string make_proof(Side side, std::string_view token, const Greeting& greeting) {
  std::string text(label_of(side));
  text += greeting.challenge;
  text += greeting.hello;
  return hash::hmac_sha256(token, text);
}

bool is_proof(std::string_view proof, Side side, std::string_view token, const Greeting& greeting) {
  return proof.size() == kProofBytes && is_same_token(make_proof(side, token, greeting), proof);
}

}  // namespace ontime::net

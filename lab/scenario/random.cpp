#include "lab/scenario/random.h"

#include <bit>

namespace ontime::lab {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

}  // namespace

Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b, std::uint64_t c) : state_{} {
  std::uint64_t name = mix(seed + kStep);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(purpose), a, b, c})
    name = mix((name ^ mix(part + kStep)) + kStep);
  for (std::uint64_t& word : state_) word = mix(name += kStep);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  const auto drawn = static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
  return drawn < bound ? drawn : bound - 1;
}

}  // namespace ontime::lab

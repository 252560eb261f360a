#include "lab/scenario/random.h"

#include <bit>

#include "common/base/random.h"

namespace ontime::lab {

Random::Random(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b, std::uint64_t c) : state_{} {
  std::uint64_t name = mixed(seed + kGoldenGamma);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(purpose), a, b, c})
    name = mixed((name ^ mixed(part + kGoldenGamma)) + kGoldenGamma);
  SplitMix64 words(name);
  for (std::uint64_t& word : state_) word = words.next();
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

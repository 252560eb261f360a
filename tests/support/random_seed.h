#pragma once
// The seed of a test that draws at random each time: printed, so that a failure can be repeated as far as the machine's
// own timing allows. Tests of RapidCheck print theirs, and take it from RC_PARAMS="seed=N".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace ontime::test {

inline std::uint32_t random_seed() {
  const char* const given = std::getenv("ONTIME_TEST_SEED");
  const std::uint32_t seed =
      given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  std::printf("seed %u; ONTIME_TEST_SEED=%u repeats it\n", seed, seed);
  return seed;
}

}  // namespace ontime::test

#pragma once
// Reproducible chance: hashes of keys instead of a generator's stream, so that a value depends on its key alone and not
// on how many were drawn before; and distributions by their inverse, because those of the standard library differ from
// one implementation to the next.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "common/injection/injection.h"

namespace ontime::injection {

// 64 well mixed bits of a sequence of words.
std::uint64_t hash(std::initializer_list<std::uint64_t> words);
std::uint64_t hash(std::string_view text);

// Uniform in [0, 1), with 53 bits.
double uniform(std::uint64_t hash);

// The value below which the share `u` of the draws lies, 0 <= u < 1. Within [smallest, largest], and rounded to a
// millionth: what machines disagree about in a logarithm's last bit does not show.
double quantile(const Distribution& distribution, double u);

// The standard normal's; 0 < u < 1.
double normal_quantile(double u);

// The place of `index` in a random order of 0 ... count-1 that `key` stands for. REQUIRES: index < count.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t key);

}  // namespace ontime::injection

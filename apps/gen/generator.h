#pragma once
// Data made up on purpose: the same bytes for the same amount, seed and settings on every machine. Only whole numbers
// are used, because machines disagree about the last bits of others. Pure: where the bytes go is the caller's business.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"
#include "common/base/random.h"

namespace ontime::apps {

// Only for generated data, whose bytes are the same in all versions: SplitMix64, with which it began. Everything else
// draws from Random.
class DataRandom {
 public:
  explicit DataRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mixed(state_ += kGoldenGamma); }
  // From 0 to count - 1. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count) { return scaled(next(), count); }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  explicit Generator(std::uint64_t amount) : amount_(amount) {}
  virtual ~Generator() = default;
  // Writes the next piece, some 64 KiB; false when there is no more.
  virtual bool write_some(app::Output& out) = 0;
  // Between 0 and 1.
  double share_done() const { return amount_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(amount_); }
  // What there is to say at the end, in one line; empty: nothing.
  virtual std::string summary() const { return {}; }

 protected:
  const std::uint64_t amount_;  // in the kind's unit
  std::uint64_t done_ = 0;      // of it
};

struct Recipe {
  std::uint64_t amount = 0;  // in the kind's unit
  std::uint64_t seed = 1;
  const app::Parameters& settings;  // has every parameter of the kind
};

struct GeneratorKind {
  enum class Unit { Bytes, Rows };
  std::string_view name;
  std::string_view summary;  // one line
  Unit unit;                 // what the amount counts
  std::vector<app::Parameter> parameters;
  // Throws std::invalid_argument with one sentence for settings that cannot be used.
  std::unique_ptr<Generator> (*make)(const Recipe& recipe);
};

// All there are, by name.
const std::vector<GeneratorKind>& generator_kinds();
// Lines that say what they make, with their settings.
std::string help_of(const std::vector<GeneratorKind>& kinds);

// TeraSort's is in teragen.h.
// Temperatures of stations, `station;temperature`, for `aggregate`.
GeneratorKind weather_kind();

// Pairs of whole numbers, `left<TAB>right`, for `secondarysort`.
GeneratorKind pairs_kind();

// Movies and who has rated them how, `movie:user_rating,user_rating,...`, for `kmeans` and `classification`. Movies are
// of a genre and users like some genres better than others, so there is something to find.
GeneratorKind ratings_kind();

// Text of made-up words, of which the r-th occurs 1/r times as often as the first (Zipf), for demonstrations.
GeneratorKind words_kind();

// A whole number within a range; throws std::invalid_argument that names the setting.
std::uint64_t whole_number(const app::Parameters& settings, std::string_view name, std::uint64_t least,
                           std::uint64_t most);

inline constexpr std::size_t kPieceBytes = 64u << 10;

}  // namespace ontime::apps

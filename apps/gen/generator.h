#pragma once
// Data made up on purpose: the same bytes for the same amount, seed and settings on every machine. Only whole numbers
// are used, because machines disagree about the last bits of others. Pure: where the bytes go is the caller's business.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"

namespace ontime::apps {

class Generator {
 public:
  virtual ~Generator() = default;
  // Writes the next piece, some 64 KiB; false when there is no more.
  virtual bool write_some(app::Output& out) = 0;
  // Between 0 and 1.
  virtual double share_done() const = 0;
  // What there is to say at the end, in one line; empty: nothing.
  virtual std::string summary() const { return {}; }
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

// A whole number within a range; throws std::invalid_argument that names the setting.
std::uint64_t whole_number(const app::Parameters& settings, std::string_view name, std::uint64_t least,
                           std::uint64_t most);

inline constexpr std::size_t kPieceBytes = 64u << 10;

}  // namespace ontime::apps

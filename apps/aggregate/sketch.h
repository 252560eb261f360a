#pragma once
// How many different texts there are, in bounded memory: HyperLogLog (Flajolet and others, 2007), read as Ertl's "New
// cardinality estimation algorithms for HyperLogLog sketches" (2017) says: a standard error of 0.8 %. Up to kExact
// texts are counted exactly. What is held depends on the texts only, not on their order or how they are divided.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ontime::apps {

class DistinctSketch {
 public:
  static constexpr std::size_t kExact = 256;
  static constexpr unsigned kIndexBits = 14;

  // Returns by how many bytes it has grown.
  std::size_t add(std::string_view text);
  void add(const DistinctSketch& other);
  std::uint64_t estimate() const;

  // Without blanks, tabs and line ends.
  void write(std::string& to) const;
  // Nothing if it was not written so.
  static std::optional<DistinctSketch> parse(std::string_view text);

 private:
  bool is_exact() const { return registers_.empty(); }
  std::size_t add_hash(std::uint64_t hash);
  void set(std::uint64_t hash);

  std::vector<std::uint64_t> hashes_;  // ascending, while they are few
  std::vector<std::uint8_t> registers_;
};

}  // namespace ontime::apps

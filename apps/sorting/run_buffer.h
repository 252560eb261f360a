#pragma once
// Records in bounded memory that become sorted runs of output: one run if they fit, more if they do not. The answer is
// merged from the runs of all part files. And ranks of what is sorted often.

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "common/app/application.h"

namespace ontime::apps {

// The rank of a byte string: its first eight bytes as a number, so that numbers compare as the strings do. A string
// that ends early counts as if zeros followed: it has the rank of some longer ones, never a higher one.
inline std::uint64_t rank_of_bytes(std::string_view bytes) {
  std::uint64_t word = 0;
  if (bytes.size() >= 8) {
    std::memcpy(&word, bytes.data(), 8);
  } else if (!bytes.empty()) {
    std::memcpy(&word, bytes.data(), bytes.size());
  }
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

// The place of a signed number among all of them.
inline std::uint64_t rank_of_number(std::int64_t number) {
  return static_cast<std::uint64_t>(number) ^ (std::uint64_t{1} << 63);
}

class RunBuffer {
 public:
  static constexpr std::size_t kMemoryBytes = 48u << 20;

  // `order` must outlive this. `memory_bytes` is smaller in tests only.
  explicit RunBuffer(const app::Order& order, std::size_t memory_bytes = kMemoryBytes);

  // `record` without its line feed. Writes a run first when there is no room for it.
  void add(std::string_view record, app::Output& out);
  // Writes what is held as one run; holds nothing afterwards.
  void flush(app::Output& out);

 private:
  struct Entry {
    std::uint64_t rank;
    std::uint32_t begin;  // in bytes_
    std::uint32_t size;
  };
  bool has_room_for(std::size_t size) const;
  void write(std::string_view record, app::Output& out) const;
  std::string_view record_of(const Entry& entry) const { return {bytes_.get() + entry.begin, entry.size}; }
  void sort();
  void radix_sort();
  void sort_ties(Entry* begin, Entry* end) const;

  const app::Order& order_;
  std::size_t memory_bytes_;
  bool are_lines_;
  std::unique_ptr<char[]> bytes_;
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::vector<Entry> scratch_;
};

}  // namespace ontime::apps

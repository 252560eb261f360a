#pragma once
// The input of the TeraSort benchmark, record for record as Hadoop's TeraGen and `gensort` make it, and its checksum.
//
//   record := key (10 bytes) 00 11, number of the record (32 hexadecimal digits) 88 99 AA BB,
//             12 digits (each four times) CC DD EE FF
//
// Key and digits are the highest 80 and the lowest 48 bits of the record's random number.

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/gen/generator.h"

namespace ontime::apps {

__extension__ using Uint128 = unsigned __int128;

// x' = a x + c modulo 2^128, from x = 0; the constants are published with gensort, the multiplier is L'Ecuyer's.
class TeraRandom {
 public:
  // The numbers behind the first `skipped`.
  explicit TeraRandom(Uint128 skipped = 0);
  Uint128 next();

 private:
  Uint128 state_ = 0;
};

inline constexpr std::size_t kTeraRecordBytes = 100;
inline constexpr std::size_t kTeraKeyBytes = 10;

// Writes kTeraRecordBytes to `to`.
void write_tera_record(char* to, Uint128 random, Uint128 number);

// What can be said of records without keeping them: how many, the sum of their CRC-32, and whether they ascend.
class TeraSummary {
 public:
  // Some more records, whole ones.
  void add(std::string_view records);

  std::uint64_t records() const { return records_; }
  std::string checksum() const;                                       // hexadecimal, as TeraValidate prints it
  std::uint64_t duplicate_keys() const { return duplicate_keys_; }    // keys equal to the one before
  std::uint64_t misplaced() const { return misplaced_; }              // keys lower than the one before
  std::uint64_t first_misplaced() const { return first_misplaced_; }  // its number, from 0; if there is one

 private:
  std::uint64_t records_ = 0;
  Uint128 checksum_ = 0;
  std::uint64_t duplicate_keys_ = 0;
  std::uint64_t misplaced_ = 0;
  std::uint64_t first_misplaced_ = 0;
  std::string last_key_;
};

GeneratorKind teragen_kind();

}  // namespace ontime::apps

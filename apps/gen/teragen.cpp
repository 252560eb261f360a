#include "apps/gen/teragen.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace ontime::apps {
namespace {

constexpr Uint128 make128(std::uint64_t high, std::uint64_t low) { return Uint128{high} << 64 | low; }

constexpr Uint128 kMultiplier = make128(0x2360ed051fc65da4, 0x4385df649fccf645);
constexpr Uint128 kIncrement = make128(0x4a696d4772617952, 0x4950202020202001);

char hex_digit(Uint128 number, unsigned from_the_right) {
  return "0123456789ABCDEF"[static_cast<unsigned>(number >> 4 * from_the_right) & 15];
}

class TeraGenerator final : public Generator {
 public:
  TeraGenerator(std::uint64_t first, std::uint64_t rows) : Generator(rows), random_(first), first_(first) {}

  bool write_some(app::Output& out) override {
    const std::uint64_t most = std::min<std::uint64_t>(amount_ - done_, kPieceBytes / kTeraRecordBytes);
    const std::size_t size = most * kTeraRecordBytes;
    char* const to = out.reserve(size);
    for (std::size_t at = 0; at < size; at += kTeraRecordBytes)
      write_tera_record(to + at, random_.next(), Uint128{first_} + done_++);
    summary_.add({to, size});
    out.commit(size);
    return done_ < amount_;
  }
  std::string summary() const override { return "checksum " + summary_.checksum(); }

 private:
  TeraRandom random_;
  std::uint64_t first_;
  TeraSummary summary_;
};

}  // namespace

// n steps are one step with another multiplier and increment: those of 2^k steps follow from those of 2^(k-1).
TeraRandom::TeraRandom(Uint128 skipped) {
  Uint128 multiplier = kMultiplier;
  Uint128 increment = kIncrement;
  for (; skipped != 0; skipped >>= 1) {
    if ((skipped & 1) != 0) state_ = multiplier * state_ + increment;
    increment = multiplier * increment + increment;
    multiplier = multiplier * multiplier;
  }
}

Uint128 TeraRandom::next() { return state_ = kMultiplier * state_ + kIncrement; }

void write_tera_record(char* to, Uint128 random, Uint128 number) {
  for (unsigned i = 0; i < kTeraKeyBytes; ++i) to[i] = static_cast<char>(random >> (120 - 8 * i));
  std::memcpy(to + 10, "\x00\x11", 2);
  for (unsigned i = 0; i < 32; ++i) to[12 + i] = hex_digit(number, 31 - i);
  std::memcpy(to + 44, "\x88\x99\xAA\xBB", 4);
  for (unsigned i = 0; i < 12; ++i) std::memset(to + 48 + 4 * i, hex_digit(random, 11 - i), 4);
  std::memcpy(to + 96, "\xCC\xDD\xEE\xFF", 4);
}

void TeraSummary::add(std::string_view records) {
  for (; records.size() >= kTeraRecordBytes; records.remove_prefix(kTeraRecordBytes)) {
    checksum_ += crc32(0, reinterpret_cast<const Bytef*>(records.data()), kTeraRecordBytes);
    const std::string_view key = records.substr(0, kTeraKeyBytes);
    if (records_ > 0) {
      const int order = key.compare(last_key_);
      if (order == 0) ++duplicate_keys_;
      if (order < 0 && misplaced_++ == 0) first_misplaced_ = records_;
    }
    last_key_ = key;
    ++records_;
  }
}

std::string TeraSummary::checksum() const {
  std::string text;
  for (Uint128 left = checksum_; left != 0; left >>= 4) text += "0123456789abcdef"[static_cast<unsigned>(left) & 15];
  if (text.empty()) return "0";
  std::reverse(text.begin(), text.end());
  return text;
}

GeneratorKind teragen_kind() {
  return {"teragen",
          "100-byte records of the TeraSort benchmark, as Hadoop's TeraGen makes them; the seed changes nothing",
          GeneratorKind::Unit::Rows,
          {{"first", "0", "number of the first record: files that follow each other make one set"}},
          [](const Recipe& recipe) -> std::unique_ptr<Generator> {
            return std::make_unique<TeraGenerator>(whole_number(recipe.settings, "first", 0, UINT64_MAX),
                                                   recipe.amount);
          }};
}

}  // namespace ontime::apps

#include "apps/aggregate/sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "apps/text/counted_word.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kRegisters = std::size_t{1} << DistinctSketch::kIndexBits;
constexpr unsigned kRanksMost = 64 - DistinctSketch::kIndexBits + 1;
constexpr std::size_t kHashDigits = 16;
constexpr char kExactMark = 'x', kRegistersMark = 'r', kZero = '0';

// The same on every machine: sketches meet in the merge.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t state = fold_product(text.size() ^ kFirstKey, kSecondKey);
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(8, text.size());
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), size);
    state = fold_product(state ^ kFirstKey, word ^ kSecondKey) + word;
    text.remove_prefix(size);
  }
  // The last steps of SplitMix64, so that every bit reaches every other.
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return state ^ state >> 31;
}

double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x, before = -1;
  for (double weight = 1; sum != before; weight += weight) {
    before = sum;
    x *= x;
    sum += x * weight;
  }
  return sum;
}

double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x, before = -1;
  for (double weight = 0.5; sum != before; weight *= 0.5) {
    before = sum;
    x = std::sqrt(x);
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

std::size_t DistinctSketch::add(std::string_view text) { return add_hash(hash_of(text)); }

std::size_t DistinctSketch::add_hash(std::uint64_t hash) {
  if (!is_exact()) return set(hash), 0;
  const auto place = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  if (place != hashes_.end() && *place == hash) return 0;
  hashes_.insert(place, hash);
  if (hashes_.size() <= kExact) return sizeof hash;
  registers_.resize(kRegisters);
  for (const std::uint64_t one : hashes_) set(one);
  hashes_ = {};
  return kRegisters;
}

void DistinctSketch::set(std::uint64_t hash) {
  const std::uint64_t others = hash << kIndexBits | std::uint64_t{1} << (kIndexBits - 1);
  auto& highest = registers_[hash >> (64 - kIndexBits)];
  highest = std::max(highest, static_cast<std::uint8_t>(std::countl_zero(others) + 1));
}

void DistinctSketch::add(const DistinctSketch& other) {
  if (other.is_exact()) {
    for (const std::uint64_t hash : other.hashes_) add_hash(hash);
    return;
  }
  const std::vector<std::uint64_t> own = std::exchange(hashes_, {});
  registers_.resize(kRegisters);
  for (std::size_t i = 0; i < kRegisters; ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
  for (const std::uint64_t hash : own) set(hash);
}

std::uint64_t DistinctSketch::estimate() const {
  if (is_exact()) return hashes_.size();
  std::array<double, kRanksMost + 1> counts{};
  for (const std::uint8_t rank : registers_) ++counts[rank];
  constexpr auto all = static_cast<double>(kRegisters);
  double sum = all * tau(1 - counts[kRanksMost] / all);
  for (unsigned rank = kRanksMost - 1; rank > 0; --rank) sum = 0.5 * (sum + counts[rank]);
  sum += all * sigma(counts[0] / all);
  return static_cast<std::uint64_t>(std::llround(all * all / (2 * std::log(2.0) * sum)));
}

void DistinctSketch::write(std::string& to) const {
  to += is_exact() ? kExactMark : kRegistersMark;
  for (const std::uint64_t hash : hashes_) {
    for (int shift = 60; shift >= 0; shift -= 4) to += "0123456789abcdef"[hash >> shift & 15];
  }
  for (const std::uint8_t rank : registers_) to += static_cast<char>(kZero + rank);
}

std::optional<DistinctSketch> DistinctSketch::parse(std::string_view text) {
  DistinctSketch sketch;
  if (text.empty()) return std::nullopt;
  const char mark = text[0];
  text.remove_prefix(1);
  if (mark == kRegistersMark && text.size() == kRegisters) {
    for (const char byte : text) {
      if (byte < kZero || byte > static_cast<char>(kZero + kRanksMost)) return std::nullopt;
      sketch.registers_.push_back(static_cast<std::uint8_t>(byte - kZero));
    }
    return sketch;
  }
  if (mark != kExactMark || text.size() % kHashDigits != 0 || text.size() > kExact * kHashDigits) return std::nullopt;
  for (; !text.empty(); text.remove_prefix(kHashDigits)) {
    std::uint64_t hash = 0;
    if (std::from_chars(text.data(), text.data() + kHashDigits, hash, 16).ptr != text.data() + kHashDigits)
      return std::nullopt;
    sketch.add_hash(hash);
  }
  return sketch;
}

}  // namespace ontime::apps

#include "apps/termvector/term_vector.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "apps/text/counts.h"
#include "apps/text/text_output.h"

namespace ontime::apps {
namespace {

using FourLanes = std::int64_t __attribute__((vector_size(32)));
using EightLanes = std::int64_t __attribute__((vector_size(64)));

template <class Lanes>
[[gnu::always_inline]] inline void order(std::span<const std::int64_t> keys, std::span<std::uint32_t> order) {
  constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(std::int64_t);
  alignas(Lanes) std::int64_t padded[kMaxKeys];
  for (std::size_t i = 0; i < keys.size(); ++i) padded[i] = keys[i];
  for (std::size_t i = keys.size(); i % kLanes != 0; ++i) padded[i] = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < keys.size(); i += kLanes) {
    const Lanes mine = *reinterpret_cast<const Lanes*>(padded + i);
    Lanes smaller = {};
    for (const std::int64_t key : keys) smaller -= mine > key;  // a comparison that holds gives -1
    for (std::size_t lane = 0; lane < kLanes && i + lane < keys.size(); ++lane) {
      order[static_cast<std::size_t>(smaller[lane])] = static_cast<std::uint32_t>(i + lane);
    }
  }
}

void order_portable(std::span<const std::int64_t> keys, std::span<std::uint32_t> result) {
  order<FourLanes>(keys, result);
}

#ifdef __x86_64__
ONTIME_TARGET_AVX2 void order_avx2(std::span<const std::int64_t> keys, std::span<std::uint32_t> result) {
  order<FourLanes>(keys, result);
}
ONTIME_TARGET_AVX512 void order_avx512(std::span<const std::int64_t> keys, std::span<std::uint32_t> result) {
  order<EightLanes>(keys, result);
}
#else
constexpr auto order_avx2 = order_portable;
constexpr auto order_avx512 = order_portable;
#endif

}  // namespace

void order_keys(std::span<const std::int64_t> keys, std::span<std::uint32_t> result, InstructionSet set) {
  if (set == InstructionSet::Avx512) return order_avx512(keys, result);
  set == InstructionSet::Avx2 ? order_avx2(keys, result) : order_portable(keys, result);
}

namespace {

constexpr unsigned kIndexBits = 8;  // the lowest bits of a key are free for the index of its term
static_assert(kMaxKeys <= 1 << kIndexBits);

bool before(const Term& a, const Term& b) { return a.count != b.count ? a.count > b.count : a.text < b.text; }

std::uint64_t first_bytes_of(std::string_view term) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, term.data(), std::min<std::size_t>(term.size(), sizeof bytes));
  return bytes;
}

// Terms whose keys do not tell them apart stand in a row: puts each such row in order.
void order_alike(std::span<const Term> terms, std::span<const std::int64_t> keys, std::span<std::uint32_t> order) {
  const auto alike = [&](std::size_t i) { return keys[order[i - 1]] >> kIndexBits == keys[order[i]] >> kIndexBits; };
  for (std::size_t begin = 0, end = 1; end < order.size(); begin = end++) {
    if (!alike(end)) continue;
    while (end < order.size() && alike(end)) ++end;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end),
              [&](std::uint32_t a, std::uint32_t b) { return before(terms[a], terms[b]); });
  }
}

}  // namespace

// Large counts first, then the first six bytes as in a dictionary. Counts that are too large for their bits get one
// key.
std::int64_t order_key(std::uint64_t first_bytes, std::uint64_t count) {
  constexpr std::uint64_t most = 0xff;
  const std::uint64_t dictionary = __builtin_bswap64(first_bytes) >> 16;
  const std::uint64_t key = count >= most ? 0 : (most - count) << 56 | dictionary << kIndexBits;
  return static_cast<std::int64_t>(key ^ 1ULL << 63);  // compared as a signed number
}

void order_terms(std::span<const Term> terms, std::span<std::int64_t> keys, std::span<std::uint32_t> order) {
  if (terms.size() <= kMaxKeys) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] += static_cast<std::int64_t>(i);
    order_keys(keys, order);
  } else {
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  }
  order_alike(terms, keys, order);
}

void write_terms(std::span<const Term> terms, std::span<const std::uint32_t> order, Padding padding, app::Output& out) {
  constexpr std::size_t at_once = 16;
  constexpr std::size_t many = 64;  // terms for which room is made together
  for (std::size_t first = 0; first < order.size(); first += many) {
    const auto some = order.subspan(first, std::min(many, order.size() - first));
    std::size_t room = at_once;
    for (const std::uint32_t term : some) room += terms[term].text.size() + kMaxDecimal + 2;
    char* const begin = out.reserve(room);
    char* to = begin;
    for (const std::uint32_t term : some) {
      const auto& [text, count] = terms[term];
      if (text.size() <= at_once && padding == Padding::SixteenBytes)
        std::memcpy(to, text.data(), at_once);
      else
        std::memcpy(to, text.data(), text.size());
      to += text.size();
      *to++ = ':';
      to = write_decimal(to, count);
      *to++ = ' ';
    }
    const bool is_last = first + some.size() == order.size();
    out.commit(static_cast<std::size_t>(to - begin) - (is_last ? 1 : 0));
  }
}

namespace {

// Takes the first `term:count` from `rest`.
std::pair<std::string_view, std::uint64_t> take_term(std::string_view key, std::string_view& rest) {
  const std::string_view pair = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  const std::size_t colon = pair.rfind(':');
  if (colon == std::string_view::npos) {
    throw std::runtime_error("the terms of \"" + std::string(key) + "\" hold \"" + std::string(pair.substr(0, 40)) +
                             "\", which has no count; the part files were not written by this application");
  }
  return {pair.substr(0, colon), parse_count(key, pair.substr(colon + 1))};
}

}  // namespace

std::uint64_t parse_cutoff(const std::string& text) {
  std::uint64_t cutoff = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cutoff);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument("cutoff must be a whole number, not \"" + text + "\"");
  }
  return cutoff;
}

void TermVectorMerger::merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) {
  for (std::string_view rest : values) {
    while (!rest.empty()) {
      const auto [term, count] = take_term(key, rest);
      std::uint64_t& sum = counts_[term];
      if (__builtin_add_overflow(sum, count, &sum)) throw_sum_overflow(key);
    }
  }
  terms_.clear();
  for (const auto& [term, count] : counts_) terms_.add(term, count);
  TextOutput out(merged);
  terms_.write(out);
  out.finish();
  counts_.clear();
}

void TermVectorMerger::finish(std::string_view key, std::string_view value, app::Output& answer) {
  std::size_t kept = value.size();
  if (cutoff_ > 1) {  // most frequent first: everything behind the first rare term is rare
    for (std::string_view rest = value; !rest.empty();) {
      const auto at = static_cast<std::size_t>(rest.data() - value.data());
      if (take_term(key, rest).second >= cutoff_) continue;
      kept = at == 0 ? 0 : at - 1;  // and the blank before it
      break;
    }
  }
  if (kept > 0) answer.record(key, value.substr(0, kept));
}

void TermVector::clear() {
  terms_.clear();
  keys_.clear();
}

void TermVector::add(std::string_view term, std::uint64_t count) {
  terms_.push_back({term, count});
  keys_.push_back(order_key(first_bytes_of(term), count));
}

void TermVector::write(app::Output& out) {
  order_.resize(terms_.size());
  order_terms(terms_, keys_, order_);
  write_terms(terms_, order_, Padding::None, out);
}

}  // namespace ontime::apps

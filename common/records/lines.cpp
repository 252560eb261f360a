// Lines, each with its line feed; the last may lack it.
#include <algorithm>
#include <cstring>

#include "common/records/formats.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ontime::records {
namespace {

#if defined(__x86_64__)
// Each byte lane counts for at most 255 steps, then the lanes are summed.
__attribute__((target("avx2"))) std::uint64_t count_feeds_avx2(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const last = at + bytes.size();
  const __m256i feed = _mm256_set1_epi8('\n');
  __m256i total = _mm256_setzero_si256();
  while (last - at >= 32) {
    __m256i lanes = _mm256_setzero_si256();
    for (int step = 0; step < 255 && last - at >= 32; ++step, at += 32) {
      const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      lanes = _mm256_sub_epi8(lanes, _mm256_cmpeq_epi8(block, feed));
    }
    total = _mm256_add_epi64(total, _mm256_sad_epu8(lanes, _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t sums[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(sums), total);
  const std::string_view rest(at, static_cast<std::size_t>(last - at));
  return sums[0] + sums[1] + sums[2] + sums[3] + count_feeds_portable(rest);
}

const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
#endif

std::uint64_t count_feeds(std::string_view bytes) {
#if defined(__x86_64__)
  if (has_avx2) return count_feeds_avx2(bytes);
#endif
  return count_feeds_portable(bytes);
}

class Lines final : public app::RecordFormat {
 public:
  std::size_t look_back() const override { return 1; }

  Search find_begin(const Window& window, std::uint64_t from) const override {
    if (from == 0) return Search::found(0);
    if (from == window.offset) return Search::needs_before();
    const std::size_t feed = window.bytes.find('\n', static_cast<std::size_t>(from - 1 - window.offset));
    if (feed != std::string_view::npos) return Search::found(window.offset + feed + 1);
    return window.is_end ? Search::found(window.offset + window.bytes.size()) : Search::needs_behind();
  }

  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::size_t feed = window.bytes.find('\n');
    if (feed != std::string_view::npos) return feed + 1;
    return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
  }

  WholeRecords take(const Window& window, std::size_t limit) const override {
    const std::size_t size = whole(window, limit);
    return {size, count_lines(window.bytes.substr(0, size))};
  }

  app::RecordShape shape() const override { return {app::RecordShape::Kind::Lines}; }

  // Without the line feed, and a carriage return directly before it.
  std::string_view text(std::string_view record) const override {
    if (!record.ends_with('\n')) return record;
    record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    return record;
  }

 private:
  static std::size_t whole(const Window& window, std::size_t limit) {
    const std::string_view bytes = window.bytes;
    if (limit <= bytes.size()) {  // the line of the last byte before the limit is the last one
      const std::size_t feed = bytes.find('\n', limit - 1);
      if (feed != bytes.npos) return feed + 1;
      if (window.is_end) return bytes.size();
    }
    const std::size_t claimable = std::min(limit, bytes.size());
    const void* const feed = ::memrchr(bytes.data(), '\n', claimable);
    if (feed != nullptr) return static_cast<std::size_t>(static_cast<const char*>(feed) - bytes.data()) + 1;
    return window.is_end ? bytes.size() : 0;
  }
};

}  // namespace

const app::RecordFormat& lines() {
  static const Lines format;
  return format;
}

Made make_lines(std::string_view argument) {
  if (!argument.empty()) return bad_input("lines takes no argument; delimiter:TEXT is for other ends");
  return make<Lines>();
}

std::uint64_t count_feeds_portable(std::string_view bytes) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

std::uint64_t count_lines(std::string_view bytes) {
  if (bytes.empty()) return 0;
  return count_feeds(bytes) + (bytes.back() == '\n' ? 0 : 1);
}

}  // namespace ontime::records

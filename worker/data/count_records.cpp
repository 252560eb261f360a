#include <algorithm>

#include "worker/data/record_reader.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ontime::worker {
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

}  // namespace

std::uint64_t count_feeds_portable(std::string_view bytes) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

std::uint64_t count_lines(std::string_view bytes) {
  if (bytes.empty()) return 0;
  return count_feeds(bytes) + (bytes.back() == '\n' ? 0 : 1);
}

}  // namespace ontime::worker

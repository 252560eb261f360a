#include "apps/termvector/key_order.h"

#include <cstring>
#include <limits>

namespace ontime::apps {
namespace {

using Lanes = std::int64_t __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4;

[[gnu::always_inline]] inline void order(std::span<const std::int64_t> keys, std::span<std::uint32_t> order) {
  alignas(32) std::int64_t padded[kMaxKeys];
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

void order_portable(std::span<const std::int64_t> keys, std::span<std::uint32_t> result) { order(keys, result); }

#ifdef __x86_64__
__attribute__((target("avx2"))) void order_avx2(std::span<const std::int64_t> keys, std::span<std::uint32_t> result) {
  order(keys, result);
}
#else
constexpr auto order_avx2 = order_portable;
#endif

}  // namespace

void order_keys(std::span<const std::int64_t> keys, std::span<std::uint32_t> result, InstructionSet set) {
  set == InstructionSet::Avx2 ? order_avx2(keys, result) : order_portable(keys, result);
}

}  // namespace ontime::apps

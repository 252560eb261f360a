#include "scheduler/policy/hopper_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ontime::scheduler {
namespace {

constexpr double kRounding = 1e-9;  // products that are whole numbers but for rounding

std::vector<std::uint32_t> in_proportion(std::span<const std::uint32_t> sizes, std::uint32_t slots, std::uint64_t sum) {
  std::vector<std::uint32_t> shares;
  for (const std::uint64_t size : sizes) shares.push_back(static_cast<std::uint32_t>(slots * size / sum));
  return shares;
}

}  // namespace

std::uint32_t hopper_virtual_size(double beta, std::uint32_t unfinished) {
  const double factor = std::clamp(2 / beta, 1.0, 2.0);
  return static_cast<std::uint32_t>(std::ceil(factor * unfinished - kRounding));
}

std::vector<std::uint32_t> hopper_shares(std::span<const std::uint32_t> sizes, std::uint32_t slots, double epsilon) {
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (sum == 0) return std::vector<std::uint32_t>(sizes.size(), 0);
  if (sum <= slots) return in_proportion(sizes, slots, sum);
  const auto floor = static_cast<std::uint32_t>((1 - epsilon) * slots / static_cast<double>(sizes.size()) + kRounding);
  std::vector<std::uint32_t> shares;
  std::uint32_t left = slots;
  for (const std::uint32_t size : sizes) {
    shares.push_back(std::min(size, floor));
    left -= shares.back();
  }
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  for (const std::size_t job : order) {
    const std::uint32_t more = std::min(left, sizes[job] - shares[job]);
    shares[job] += more;
    left -= more;
  }
  return shares;
}

}  // namespace ontime::scheduler

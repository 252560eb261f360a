#pragma once
// Quantiles of a distribution, looked up instead of computed: a forecast asks for a hundred thousand of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace ontime::scheduler {

class Quantiles {
 public:
  // exact(q) for 0 < q < 1, rising. It is asked again where a straight line between neighbours would not do: far out.
  explicit Quantiles(std::function<double(double)> exact) : exact_(std::move(exact)) {
    at_.reserve(kCells + 1);
    for (std::size_t i = 0; i <= kCells; ++i) {
      const double root = static_cast<double>(i) / kPerUnit;
      at_.push_back(exact_at(root));
    }
  }

  // The quantile at which P(greater) is e^-hazard, hazard > 0.
  double at_hazard(double hazard) const {
    const double root = std::sqrt(hazard);  // both ends are stretched by it
    const double place = root * kPerUnit;
    const auto cell = static_cast<std::size_t>(place);
    if (cell < kEdge || cell >= kCells) return exact_at(root);
    const double share = place - static_cast<double>(cell);
    return at_[cell] + share * (at_[cell + 1] - at_[cell]);
  }
  double operator()(double q) const { return at_hazard(-std::log1p(-q)); }

 private:
  static constexpr double kPerUnit = 256;
  static constexpr std::size_t kCells = 1024;
  static constexpr std::size_t kEdge = 16;
  static constexpr double kOutermost = 1e-12;

  double exact_at(double root) const {
    return exact_(std::clamp(-std::expm1(-root * root), kOutermost, 1 - kOutermost));
  }

  std::function<double(double)> exact_;
  std::vector<double> at_;
};

}  // namespace ontime::scheduler

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/results/interval.h"

namespace ontime::lab {
namespace {

double ratio(double sum, std::uint64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void Calibration::add(double forecast, bool happened) {
  if (std::isnan(forecast)) {
    ++silent_;
    return;
  }
  const double kept = std::clamp(forecast, 0.0, 1.0);
  Bin& bin = bins_[std::min(kBins - 1, static_cast<std::size_t>(kept * kBins))];
  ++bin.count;
  bin.forecasts += kept;
  bin.happened += happened ? 1 : 0;
  ++count_;
  happened_ += happened ? 1 : 0;
  forecasts_ += kept;
  const double error = kept - (happened ? 1 : 0);
  squares_ += error * error;
}

void Calibration::add(const Calibration& other) {
  for (std::size_t i = 0; i < kBins; ++i) {
    bins_[i].count += other.bins_[i].count;
    bins_[i].forecasts += other.bins_[i].forecasts;
    bins_[i].happened += other.bins_[i].happened;
  }
  count_ += other.count_;
  silent_ += other.silent_;
  happened_ += other.happened_;
  forecasts_ += other.forecasts_;
  squares_ += other.squares_;
}

double Calibration::brier() const { return ratio(squares_, count_); }

double Calibration::base_rate() const { return ratio(static_cast<double>(happened_), count_); }

double Calibration::uncertainty() const { return base_rate() * (1 - base_rate()); }

double Calibration::reliability() const {
  double sum = 0;
  for (const Bin& bin : bins_) {
    const double distance = bin.mean_forecast() - bin.share();
    sum += static_cast<double>(bin.count) * distance * distance;
  }
  return ratio(sum, count_);
}

double Calibration::resolution() const {
  double sum = 0;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    const double distance = bin.share() - base_rate();
    sum += static_cast<double>(bin.count) * distance * distance;
  }
  return ratio(sum, count_);
}

double Calibration::skill() const {
  return uncertainty() > 0 ? 1 - brier() / uncertainty() : std::numeric_limits<double>::quiet_NaN();
}

double Calibration::bias() const { return ratio(forecasts_ - static_cast<double>(happened_), count_); }

}  // namespace ontime::lab

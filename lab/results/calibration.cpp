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

double Calibration::brier() const { return ratio(squares_, count_); }

double Calibration::base_rate() const { return ratio(static_cast<double>(happened_), count_); }

double Calibration::uncertainty() const { return base_rate() * (1 - base_rate()); }

double Calibration::bias() const { return ratio(forecasts_ - static_cast<double>(happened_), count_); }

}  // namespace ontime::lab

#pragma once
// The distribution of an attempt's execution time, as the formulas need it. The papers assume Pareto; real clusters are
// often lognormal or follow nothing with a name. All implementations are immutable values without clock or randomness.

namespace ontime::scheduler::pocd {

// Times are in any one unit; survival is P(T > t).
class Tail {
 public:
  virtual ~Tail() = default;

  virtual double ln_survival(double t) const = 0;
  // The time that T does not exceed with probability q, 0 <= q < 1.
  virtual double quantile(double q) const = 0;
  // E[T]; may be infinite.
  virtual double mean() const = 0;
  // E[min(T, x)]: what an attempt costs that is killed at x.
  virtual double mean_capped(double x) const = 0;
};

}  // namespace ontime::scheduler::pocd

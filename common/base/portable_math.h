#pragma once
// Functions that give the same bits on every machine, which those of the C library need not: they are made of
// additions, multiplications, divisions and square roots only, all of which IEEE 754 rounds in one way. Accurate to
// about 1e-15 (normal_score: 1e-9), relatively.

namespace ontime {

double natural_log(double x);  // x > 0, normal
double exponential(double x);  // 0 below -700, infinite above 709

// P(Z > z) of the standard normal distribution.
double normal_survival(double z);
// The z with P(Z > z) = s, 0 < s < 1.
double normal_score(double s);

}  // namespace ontime

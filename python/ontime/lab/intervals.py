"""Means and shares with 95 % intervals, by the formulas that the numbers in reproduction/ were made with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scipy.optimize import brentq

Z95 = 1.959963984540054  # the 97.5 % quantile of the standard normal
_FEW = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139)


class Estimate(NamedTuple):
    """low and high are NaN where nothing can be said of how far the value may be off."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    runs: int = 0

    def has_interval(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))

    def drawn(self) -> tuple[float, float]:
        """The interval, or the value twice."""
        return (self.low, self.high) if self.has_interval() else (self.value, self.value)


def student_t(degrees: int) -> float:
    """The 97.5 % quantile: from a table, then an expansion about the normal one that is right to four digits."""
    if degrees <= len(_FEW):
        return _FEW[degrees - 1]
    z, n = Z95, float(degrees)
    z2 = z * z
    return (
        z
        + z * (z2 + 1) / (4 * n)
        + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n)
        + z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n)
    )


def added(values: Iterable[float]) -> float:
    """One after another: sum() rounds in other ways in other versions of Python."""
    total = 0.0
    for value in values:
        total += value
    return total


def mean(values: Iterable[float]) -> Estimate:
    """By Student's t. NaN does not count; one value has no interval."""
    kept = [value for value in values if not math.isnan(value)]
    if not kept:
        return Estimate()
    n = len(kept)
    middle = added(kept) / n
    if n == 1 or not math.isfinite(middle):
        return Estimate(middle, runs=n)
    margin = student_t(n - 1) * math.sqrt(added((value - middle) * (value - middle) for value in kept) / (n - 1) / n)
    return Estimate(middle, middle - margin, middle + margin, n)


def share(successes: int, trials: int) -> Estimate:
    """With Wilson's score interval."""
    if trials == 0:
        return Estimate()
    n, of_all, square = float(trials), successes / trials, Z95 * Z95
    middle = (of_all + square / (2 * n)) / (1 + square / n)
    half = Z95 / (1 + square / n) * math.sqrt(of_all * (1 - of_all) / n + square / (4 * n * n))
    return Estimate(of_all, max(0.0, middle - half), min(1.0, middle + half), trials)


def _paired_score(gained: int, lost: int, n: int, difference: float) -> float:
    """How many standard errors the difference that was seen lies above `difference`, if that were the true one."""
    spread = difference * (1 - difference)
    b = -gained - lost + (2 * n - gained + lost) * difference
    lost_share = (math.sqrt(max(0.0, b * b + 8 * n * lost * spread)) - b) / (4 * n)
    variance = n * (2 * lost_share + spread)
    excess = gained - lost - n * difference
    return excess / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, excess)


def paired_difference(gained: int, lost: int, trials: int) -> Estimate:
    """Of two shares over the same trials: `gained` have it only in the second, `lost` only in the first. With Tango's
    score interval (Statistics in Medicine 17, 1998, pages 891 to 908), which has a width where all agree, too."""
    if trials == 0:
        return Estimate()
    seen = (gained - lost) / trials

    def limit(outside: float) -> float:
        def excess(difference: float) -> float:
            score = abs(_paired_score(gained, lost, trials, difference)) if difference != seen else 0.0
            return min(score, 2 * Z95) - Z95

        return float(brentq(excess, seen, outside, xtol=1e-13)) if seen != outside and excess(outside) > 0 else outside

    return Estimate(seen, limit(-1.0), limit(1.0), trials)


def quantile(ascending: Sequence[float], q: float) -> float:
    """Linear between neighbours; NaN of nothing."""
    if len(ascending) == 0:
        return math.nan
    place = q * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])

"""Two results side by side, with 95 % intervals of the differences: of shares by Newcombe's hybrid of two Wilson
intervals, of means by Welch's t. Jobs of both sides are taken as independent of each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from . import intervals
from .experiment import counted, json_text, read_rows
from .intervals import Estimate
from .texts import Grid, fixed, with_sign

_MEASURES = {"pocd": ("PoCD", 3), "time_s": ("time s", 2), "machine_s": ("machine s", 1)}


class Difference(NamedTuple):
    before: Estimate
    after: Estimate
    change: Estimate

    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.change.has_interval() and (self.change.low > 0 or self.change.high < 0)

    def row(self) -> dict[str, Any]:
        change = self.change
        return {
            "before": self.before.value,
            "after": self.after.value,
            "change": change.value,
            "change_low": change.low,
            "change_high": change.high,
            "is_clear": self.is_clear(),
        }


def of_shares(met_before: int, jobs_before: int, met_after: int, jobs_after: int) -> Difference:
    a, b = intervals.share(met_before, jobs_before), intervals.share(met_after, jobs_after)
    if not jobs_before or not jobs_after:
        return Difference(a, b, Estimate())
    change = b.value - a.value
    down, up = math.hypot(b.value - b.low, a.high - a.value), math.hypot(b.high - b.value, a.value - a.low)
    return Difference(a, b, Estimate(change, change - down, change + up, jobs_before + jobs_after))


def of_means(before: Iterable[float], after: Iterable[float]) -> Difference:
    sides = [list(before), list(after)]
    a, b = map(intervals.mean, sides)
    change = b.value - a.value
    if min(map(len, sides)) < 2:
        return Difference(a, b, Estimate(change, runs=len(sides[0]) + len(sides[1])))
    errors = [
        intervals.added((value - of.value) ** 2 for value in side) / (len(side) - 1) / len(side)
        for side, of in zip(sides, (a, b))
    ]
    error, margin = sum(errors), 0.0
    if error > 0:
        degrees = error**2 / sum(one**2 / (len(side) - 1) for one, side in zip(errors, sides))
        margin = intervals.student_t(max(1, int(degrees))) * math.sqrt(error)
    return Difference(a, b, Estimate(change, change - margin, change + margin, len(sides[0]) + len(sides[1])))


def compare(before: Any, after: Any) -> dict[str, dict[str, Difference]]:
    """Of two tables of jobs: by policy that both have, in the order of `before`, and measure."""
    before, after = counted(before), counted(after)
    found = {}
    for policy in dict.fromkeys(before["policy"]):
        sides = [rows[rows["policy"] == policy] for rows in (before, after)]
        if not len(sides[1]):
            continue
        ended = [rows[rows["state"] != "unfinished"] for rows in sides]
        shares = [count for rows in sides for count in (int((rows["met"] == 1).sum()), len(rows))]
        found[policy] = {
            "pocd": of_shares(*shares),
            **{name: of_means(ended[0][name], ended[1][name]) for name in ("time_s", "machine_s")},
        }
    return found


def grid_of(found: dict[str, dict[str, Difference]]) -> Grid:
    grid = Grid(["policy", "", "before", "after", "change", "95 %", "clear"], 2)
    for policy, of_policy in found.items():
        for name, difference in of_policy.items():
            title, digits = _MEASURES[name]
            change = difference.change
            between = (
                f"{with_sign(change.low, digits)} to {with_sign(change.high, digits)}" if change.has_interval() else "-"
            )
            grid.lines.append(
                [
                    policy if name == "pocd" else "",
                    title,
                    fixed(difference.before.value, digits),
                    fixed(difference.after.value, digits),
                    with_sign(change.value, digits),
                    between,
                    "yes" if difference.is_clear() else "",
                ]
            )
    return grid


def run(before: Path, after: Path, is_json: bool) -> str:
    """What `ontime compare` prints of two files of jobs."""
    found = compare(read_rows(before), read_rows(after))
    if not found:
        raise ValueError("the two results have no policy in common")
    if is_json:
        return json_text(
            [{"policy": policy, **{name: one.row() for name, one in of.items()}} for policy, of in found.items()]
        )
    return (
        grid_of(found).terminal()
        + "\nIntervals of the change: PoCD by Newcombe, means by Welch's t. Clear: the interval leaves out 0.\n"
    )

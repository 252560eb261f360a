"""The results of a study: a row for each place, by the axes' labels, and policy."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from . import intervals
from .intervals import Estimate
from .measures import MEASURES
from .rows import read
from .study import Study
from .texts import csv_text, number

_CURVE_POINTS = 200  # of a distribution or of use over time, in files and figures


def read_csv(study: Study, path: Path) -> pd.DataFrame:
    """Labels are texts."""
    return read(path, [*study.all_axes, "group", "policy", "what", "where"])


@dataclass
class Row:
    labels: dict[str, str]  # by axis, and of the policy, which is the last one
    seeds: int
    values: dict[str, Estimate]  # by measure
    printed: dict[str, tuple[float, float] | None]
    unfinished: int = 0  # jobs that had not ended at the horizon

    def differs(self, measure: str) -> bool:
        """Whether our interval does not hold what is printed; without one, whether it is another number."""
        ours, printed = self.values[measure], self.printed[measure]
        assert printed is not None
        half_digit = 0.5 * 10.0 ** -MEASURES[measure].digits
        low, high = ours.drawn()
        return math.isnan(ours.value) or high < printed[0] - half_digit or low > printed[1] + half_digit


def _estimate(measure: str, values: Iterable[float], met: int, jobs: int) -> Estimate:
    """The mean over the seeds; a share of jobs that is the same in all runs has Wilson's interval over all jobs."""
    found = intervals.mean(values)
    if measure == "pocd" and jobs > 0 and (found.runs < 2 or found.low == found.high):
        return found._replace(low=intervals.share(met, jobs).low, high=intervals.share(met, jobs).high)
    if MEASURES[measure].is_share and found.has_interval():
        return found._replace(low=max(0.0, found.low), high=min(1.0, found.high))
    return found


@dataclass
class Table:
    study: Study
    axes: list[str]
    rows: list[Row]
    measured: list[dict[str, Any]] = field(default_factory=list)  # settings that were measured first

    def csv(self) -> str:
        titles = [*self.axes, "policy", "seeds"]
        for measure in self.study.measures:
            titles += [measure + part for part in ("", "_low", "_high", "_printed_low", "_printed_high")]
        lines: list[list[object]] = [list(titles)]
        for row in self.rows:
            cells: list[object] = [*row.labels.values(), row.seeds]
            for measure in self.study.measures:
                limits = row.printed[measure] or (math.nan, math.nan)
                cells += [number(value) for value in (*row.values[measure][:3], *limits)]
            lines.append(cells)
        return csv_text(lines)

    def agreement(self) -> tuple[int, int]:
        """The number of printed values that there are, and of those that our intervals hold."""
        printed = [row.differs(measure) for row in self.rows for measure in self.study.measures if row.printed[measure]]
        return len(printed), printed.count(False)


def _row(study: Study, labels: dict[str, str], seeds: int, values: dict[str, Estimate], unfinished: int) -> Row:
    return Row(
        labels, seeds, values, {measure: study.printed_of(labels, measure) for measure in study.measures}, unfinished
    )


def _in_order(study: Study, runs: pd.DataFrame, axes: list[str]) -> list[tuple[dict[str, str], pd.DataFrame]]:
    """Rows that differ in seeds and pooled axes alone, together: places as they come, at each the policies as the study
    names them, of each its groups as they come."""
    places = [axis for axis in axes if axis != "group"]
    keys = [
        tuple(key) for key in runs[[*places, "policy", *(["group"] if "group" in axes else [])]].itertuples(index=False)
    ]
    order = {place: i for i, place in enumerate(dict.fromkeys(key[: len(places)] for key in keys))}
    found: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    ordered = sorted(found, key=lambda key: (order[key[: len(places)]], study.policies.index(key[len(places)])))
    result = []
    for key in ordered:
        place, policy, group = key[: len(places)], key[len(places)], key[len(places) + 1 :]
        labels = dict(zip(places, place)) | ({"group": group[0]} if group else {}) | {"policy": policy}
        result.append((labels, runs.iloc[found[key]]))
    return result


def table_of(study: Study, runs: pd.DataFrame, measured: list[dict[str, Any]]) -> Table:
    """Of one row for each run, policy and place (and group of jobs). Groups that count once each have a row each;
    mean_over_groups() makes one of them."""
    axes = [*study.axes, *(["group"] if study.by_group == "mean" else [])]
    point = runs.iloc[0]
    same = [*study.all_axes, "policy"]
    seeds = int(runs[(runs[same] == point[same]).all(axis=1)]["seed"].nunique())
    rows = []
    for labels, some in _in_order(study, runs, axes):
        met, jobs = int(some["counted_met"].sum()), int(some["counted_jobs"].sum())
        values = {measure: _estimate(measure, some[measure], met, jobs) for measure in study.measures}
        rows.append(_row(study, labels, seeds, values, int(some["unfinished"].sum())))
    return Table(study, axes, rows, measured)


def mean_over_groups(table: Table) -> Table:
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in table.rows:
        found.setdefault(tuple(label for axis, label in row.labels.items() if axis != "group"), []).append(row)
    rows = []
    for some in found.values():
        labels = {axis: label for axis, label in some[0].labels.items() if axis != "group"}
        values = {
            measure: intervals.mean(row.values[measure].value for row in some) for measure in table.study.measures
        }
        rows.append(_row(table.study, labels, some[0].seeds, values, some[0].unfinished))
    return Table(table.study, table.axes[:-1], rows, table.measured)


def curves_csv(study: Study, points: pd.DataFrame) -> str:
    """Times by quantile for a distribution, of the rows of all jobs; samples of the first run over time for the use."""
    is_cdf = study.figure["kind"] == "cdf"
    lines: list[list[object]] = [
        [*study.axes, "policy", *(("flow_time", "share") if is_cdf else ("time", "busy", "jobs"))]
    ]
    for labels, some in _in_order(study, points, study.axes):
        if is_cdf:
            times, shares = sorted(some["time_s"]), [i / _CURVE_POINTS for i in range(_CURVE_POINTS + 1)]
            lines += [[*labels.values(), number(intervals.quantile(times, share)), number(share)] for share in shares]
        else:
            some = some[some["seed"] == some["seed"].iloc[0]].iloc[:: max(1, len(some) // _CURVE_POINTS)]
            lines += [
                [*labels.values(), number(at), number(busy / slots), jobs]
                for at, busy, jobs, slots in zip(some["at_s"], some["busy"], some["jobs"], some["slots"])
            ]
    return csv_text(lines)

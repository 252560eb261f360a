"""The figures of an experiment's report: those for which there is something to draw, in the order of the report."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import intervals, style, timeline
from .experiment import Results, Span, Summary, counted, runs_of, use_over_time
from .intervals import Estimate

_WIDTH, _HEIGHT = 900, 380
_BINS = 10  # of forecasts


class Figure(NamedTuple):
    title: str
    caption: str  # how to read it
    draw: Callable[[Path], None]


def _errors(values: list[Estimate]) -> list[list[float]]:
    return [
        [max(0.0, value.value - value.drawn()[0]) for value in values],
        [max(0.0, value.drawn()[1] - value.value) for value in values],
    ]


def _axes(**settings: Any) -> tuple[Any, Any]:
    made = style.figure(_WIDTH, _HEIGHT)
    axes = made.add_subplot()
    axes.set(**settings)
    return made, axes


def _name_policies(axes: Any, names: list[str]) -> None:
    axes.set_xticks(range(len(names)))
    axes.set_xticklabels(names, **({"rotation": 20, "ha": "right"} if sum(map(len, names)) > 90 else {}))
    axes.set_xlim(-0.6, len(names) - 0.4)


def pocd_figure(summaries: list[Summary], printed: dict[str, tuple[float, float]]) -> Figure | None:
    if all(math.isnan(summary.pocd.value) for summary in summaries):
        return None
    marks = [sum(printed[s.policy]) / 2 if s.policy in printed else math.nan for s in summaries]
    has_marks = not all(map(math.isnan, marks))

    def draw(path: Path) -> None:
        made, axes = _axes(ylabel="share of the jobs in time", ylim=(0, 1.03))
        values = [summary.pocd for summary in summaries]
        heights = [value.value for value in values]
        axes.bar(range(len(values)), heights, 0.6, color=style.COLOURS[0], alpha=0.85)
        axes.errorbar(
            range(len(values)), heights, _errors(values), fmt="none", ecolor="#222222", elinewidth=1.5, capsize=4
        )
        axes.plot(
            range(len(values)),
            marks,
            "o",
            markersize=9,
            markerfacecolor="none",
            color=style.COLOURS[4],
            markeredgewidth=2,
        )
        _name_policies(axes, [summary.policy for summary in summaries])
        style.save(made, path)

    return Figure(
        "Jobs in time (PoCD)",
        "Share of the jobs that met their deadline, with Wilson's 95 % interval."
        + (" Circles: the number that was printed." if has_marks else ""),
        draw,
    )


def cost_figure(summaries: list[Summary]) -> Figure | None:
    """What in-time jobs cost under each policy."""
    shown = [(i, s) for i, s in enumerate(summaries) if s.machine.runs and not math.isnan(s.pocd.value)]
    if len(summaries) < 2 or not shown:
        return None

    def draw(path: Path) -> None:
        made, axes = _axes(
            xlabel="machine time of a job (slot-seconds)", ylabel="share of the jobs in time", ylim=(0, 1.03)
        )
        for i, s in shown:
            axes.errorbar(
                [s.machine.value],
                [s.pocd.value],
                _errors([s.pocd]),
                _errors([s.machine]),
                linestyle="",
                elinewidth=1.5,
                label=s.policy,
                **style.points(i) | {"markersize": 7},
            )
        axes.margins(x=0.1)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        style.save(made, path)

    return Figure(
        "PoCD against machine time",
        "Share of the jobs that met their deadline, with Wilson's 95 % interval, against "
        "the mean slot-seconds of a job, with Student's. Up and to the left is better.",
        draw,
    )


def differences_of(
    jobs: pd.DataFrame, base: str, policy: str, value: Callable[[pd.DataFrame], pd.Series[float]]
) -> list[float]:
    """A policy's jobs less the same jobs under the first one. NaN where one of a pair has no value."""
    jobs = counted(jobs)
    jobs = jobs.assign(value=value(jobs)).set_index(["repetition", "job"])
    sides = [jobs[jobs["policy"] == name]["value"].rename(name) for name in (base, policy)]
    pairs = pd.concat(sides, axis=1, join="inner", keys=["base", "other"])
    return list(pairs["other"] - pairs["base"])


def in_time(jobs: pd.DataFrame) -> pd.Series[float]:
    return jobs["met"].astype(float).where(jobs["deadline_s"] > 0)


def machine_time(jobs: pd.DataFrame) -> pd.Series[float]:
    return jobs["machine_s"].astype(float).where(jobs["state"] != "unfinished")


def mean_of_shares(differences: list[float]) -> Estimate:
    """Each is 1, 0, -1 or NaN."""
    return intervals.paired_difference(
        sum(d > 0 for d in differences), sum(d < 0 for d in differences), len(differences)
    )


class Paired(NamedTuple):
    title: str
    unit: str  # of the axis
    which: str  # jobs count; starts with a comma unless all do
    interval: str  # its name
    of: Callable[[pd.DataFrame], pd.Series[float]]
    estimate: Callable[[list[float]], Estimate]


PAIRED = (
    Paired("Paired differences of PoCD", "share in time", "", "Tango's score interval", in_time, mean_of_shares),
    Paired(
        "Paired differences of machine time",
        "slot-seconds of a job",
        ", if both have ended",
        "Student's t over jobs",
        machine_time,
        intervals.mean,
    ),
)


def paired_estimates(jobs: pd.DataFrame, policies: list[str], what: Paired) -> list[Estimate]:
    return [what.estimate(differences_of(jobs, policies[0], policy, what.of)) for policy in policies[1:]]


def paired_figure(results: Results, policies: list[str], what: Paired) -> Figure | None:
    values = paired_estimates(results.jobs, policies, what) if len(policies) > 1 else []
    if not any(value.runs for value in values):
        return None

    def draw(path: Path) -> None:
        made, axes = _axes(ylabel=f"{what.unit} less the one of {policies[0]}")
        axes.axhline(0, color="#888888", linewidth=1.4)
        axes.errorbar(
            range(len(values)),
            [value.value for value in values],
            _errors(values),
            linestyle="",
            elinewidth=1.5,
            **style.points(0) | {"markersize": 7},
        )
        axes.margins(y=0.12)
        _name_policies(axes, policies[1:])
        style.save(made, path)

    return Figure(
        what.title,
        f"Each job less the same job, with the same stragglers, under '{policies[0]}'{what.which}: the mean with "
        f"its 95 % interval ({what.interval}). An interval that leaves out 0 is clear.",
        draw,
    )


def times_of(jobs: pd.DataFrame, policy: str) -> tuple[list[float], list[float]]:
    """Times of the jobs that succeeded, and the share of all that was done by then."""
    jobs = counted(jobs)
    jobs = jobs[jobs["policy"] == policy]
    times = sorted(jobs[jobs["state"] == "succeeded"]["time_s"])
    return times[:1] + times, [i / len(jobs) for i in range(len(times) + 1)] if times else []


def times_figure(results: Results, policies: list[str]) -> Figure | None:
    curves = {policy: times_of(results.jobs, policy) for policy in policies}
    times = [time for curve, _ in curves.values() for time in curve]
    if not times:
        return None

    def draw(path: Path) -> None:
        made, axes = _axes(xlabel="time of a job (s)", ylabel="share of the jobs", ylim=(0, 1.03))
        for i, (policy, curve) in enumerate(curves.items()):
            if curve[0]:
                axes.step(*curve, where="post", label=policy, **style.curve(i))
        if max(times) > 8 * min(times):
            style.logarithmic(axes, "x")
        jobs = counted(results.jobs)
        deadlines = jobs[jobs["deadline_s"] > 0]["deadline_s"].unique()
        for deadline in deadlines if len(deadlines) <= 6 else ():
            axes.axvline(deadline, color="#888888", linewidth=1)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        style.save(made, path)

    return Figure(
        "Times of the jobs",
        "Share of the jobs that were done after so many seconds: with a deadline of so many seconds, "
        "their PoCD. A curve ends at the share that succeeded. Grey lines: the deadlines that they had.",
        draw,
    )


def use_figure(results: Results, first: dict[str, tuple[pd.DataFrame, pd.DataFrame]]) -> Figure:
    def draw(path: Path) -> None:
        made, axes = _axes(xlabel="time (s)", ylabel="share of the slots", ylim=(0, 1.03))
        for i, (policy, (jobs, attempts)) in enumerate(first.items()):
            span = Span.of(jobs)
            use = use_over_time(attempts, span)
            axes.plot(
                [at - span.begin for at, _ in use],
                [busy / results.slots for _, busy in use],
                label=policy,
                **style.curve(i),
            )
        axes.set_xlim(left=0)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        style.save(made, path)

    return Figure("Slots in use", "Share of the slots that attempts occupied, in the first repetition.", draw)


def bins_of(said: np.ndarray[Any, Any], met: np.ndarray[Any, Any]) -> list[tuple[float, Estimate]]:
    """For each tenth of what was said: its mean, and the share that came true."""
    place = np.minimum(_BINS - 1, (said * _BINS).astype(int))
    return [
        (float(said[place == i].mean()), intervals.share(int(met[place == i].sum()), int((place == i).sum())))
        for i in range(_BINS)
        if (place == i).any()
    ]


def calibration_figure(results: Results) -> Figure | None:
    """Predictions of all policies that said something, pooled."""
    rows = results.forecasts[results.forecasts["predicted_pocd"].notna()]
    if rows.empty:
        return None
    said, met = rows["predicted_pocd"].clip(0, 1).to_numpy(float), rows["met"].to_numpy(float)

    def draw(path: Path) -> None:
        made = style.figure(480, 420)
        axes = made.add_subplot()
        axes.set(xlabel="predicted", ylabel="came true", xlim=(-0.03, 1.03), ylim=(0, 1.15))
        axes.plot([0, 1], [0, 1], color="#888888", linewidth=1)
        places, shares = zip(*bins_of(said, met))
        axes.errorbar(
            places, [s.value for s in shares], _errors(list(shares)), linestyle="", elinewidth=1.5, **style.points(0)
        )
        for i, (place, value) in enumerate(zip(places, shares)):  # above all intervals, neighbours at two heights
            axes.annotate(str(value.runs), (place, (1.04, 1.1)[i % 2]), ha="center", fontsize=8)
        style.save(made, path)

    return Figure(
        "Were the predictions right?",
        "Predicted PoCD of running jobs, in tenths, against the share that met the deadline, "
        "with Wilson's 95 % interval and the number of predictions; on the diagonal they were right. "
        f"{len(rows)} predictions, Brier score {float(((said - met) ** 2).mean()):.6g}.",
        draw,
    )


def figures_of(results: Results, summaries: list[Summary]) -> list[Figure]:
    policies = [summary.policy for summary in summaries]
    first: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = {}  # run of each policy, in the order of the summaries
    runs = sorted(runs_of(results), key=lambda run: run[1])
    for policy in policies:
        first[policy] = next((jobs, attempts) for name, _, jobs, attempts in runs if name == policy)
    job = timeline.interesting([jobs for jobs, _ in first.values()]) if first else None
    panels = [
        timeline.Panel(policy, dict(row), attempts)
        for policy, (jobs, attempts) in first.items()
        for _, row in jobs[(jobs["job"] == job) & (jobs["state"] != "unfinished")].iterrows()
    ]
    figures = [
        pocd_figure(summaries, results.printed),
        cost_figure(summaries),
        *(paired_figure(results, policies, what) for what in PAIRED),
        times_figure(results, policies),
        use_figure(results, first) if first else None,
        Figure(timeline.TITLE, timeline.CAPTION, lambda path: timeline.draw(panels, path)) if panels else None,
        calibration_figure(results),
    ]
    return [figure for figure in figures if figure]

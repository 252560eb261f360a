"""What an experiment has measured (rows: lab/experiment/rows.h), and its policies in a few numbers. Only counted
jobs count."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from . import intervals
from .intervals import Estimate
from .rows import read
from .study import reading
from .texts import csv_text

_TEXTS = ("policy", "group", "kind", "state", "node", "reason")
_KEYS = {"policy", "repetition", "job"}
_POINTS = 200  # of the use of the slots over time


def read_rows(path: Path) -> pd.DataFrame:
    table = read(path, _TEXTS)
    if missing := _KEYS - set(table):
        raise ValueError(f"{path} has no column '{min(missing)}'; make the experiment again with this version")
    return table


def counted(jobs: pd.DataFrame) -> pd.DataFrame:
    return jobs[jobs["kind"] == "counted"]


@dataclass
class Results:
    jobs: pd.DataFrame
    attempts: pd.DataFrame
    copies: pd.DataFrame
    forecasts: pd.DataFrame
    slots: int
    title: str = "Experiment"
    printed: dict[str, tuple[float, float]] = field(default_factory=dict)
    scenario: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, directory: Path, slots: int) -> Results:
        jobs, attempts, copies, forecasts = (
            read_rows(directory / f"{name}.csv") for name in ("jobs", "attempts", "copies", "forecasts")
        )
        text = (directory / "scenario.yaml").read_text()
        document = yaml.load(text, yaml.BaseLoader)
        printed = {name: reading(value) for name, value in document.get("printed", {}).items()}
        facts = json.loads((directory / "experiment.json").read_text())
        return cls(jobs, attempts, copies, forecasts, slots, document.get("title", "Experiment"), printed, text, facts)

    def policies(self) -> list[str]:
        return list(dict.fromkeys(counted(self.jobs)["policy"]))


@dataclass
class Span:
    """From the first submission of a counted job of a run to the end of the last one."""

    begin: float
    end: float

    @classmethod
    def of(cls, jobs: pd.DataFrame) -> Span:
        jobs = counted(jobs)
        return cls(float(jobs["submitted_s"].min()), float(jobs[jobs["state"] != "unfinished"]["ended_s"].max()))


def use_over_time(attempts: pd.DataFrame, span: Span, points: int = _POINTS) -> list[tuple[float, float]]:
    """Busy slots of one run at equal distances."""
    if not span.end > span.begin:
        return []
    step = (span.end - span.begin) / points
    launched, ended = attempts["launched_s"].to_numpy(float), attempts["ended_s"].fillna(span.end).to_numpy(float)
    use = []
    for i in range(points):
        at = span.begin + step * i
        part = np.minimum(ended, at + step) - np.maximum(launched, at)
        use.append((at, float(np.clip(part, 0, None).sum() / step)))
    return use


def runs_of(results: Results) -> Iterator[tuple[str, int, pd.DataFrame, pd.DataFrame]]:
    """Policy, repetition, jobs and attempts, in the order of the jobs."""
    attempts = dict(list(results.attempts.groupby(["policy", "repetition"])))
    for (policy, repetition), jobs in results.jobs.groupby(["policy", "repetition"], sort=False):
        yield policy, repetition, jobs, attempts.get((policy, repetition), results.attempts.iloc[:0])


def utilisation_csv(results: Results) -> str:
    lines: list[list[object]] = [["policy", "repetition", "at_s", "busy_slots", "slots"]]
    for policy, repetition, jobs, attempts in runs_of(results):
        lines += [[policy, repetition, at, busy, results.slots] for at, busy in use_over_time(attempts, Span.of(jobs))]
    return csv_text(lines)


@dataclass
class Summary:
    policy: str
    group: str  # empty: all
    repetitions: int
    jobs: int
    met: int
    unfinished: int
    pocd: Estimate  # of the jobs with a deadline, Wilson
    time: Estimate  # of jobs that have ended, Student
    p50: float
    p90: float
    p99: float
    machine: Estimate
    utilisation: float
    attempts: float  # per task
    duplicated: float  # bytes that were mapped and are not in the answer, per byte of input
    resumed: float
    copies: dict[str, int]  # by reason

    def row(self) -> dict[str, Any]:
        """As summary.csv and summary.json have it."""
        row: dict[str, Any] = {
            key: getattr(self, key) for key in ("policy", "group", "repetitions", "jobs", "met", "unfinished")
        }
        row |= {"pocd": self.pocd.value, "pocd_low": self.pocd.low, "pocd_high": self.pocd.high}
        row |= {"time_mean_s": self.time.value, "time_low_s": self.time.low, "time_high_s": self.time.high}
        row |= {"time_p50_s": self.p50, "time_p90_s": self.p90, "time_p99_s": self.p99}
        row |= {
            "machine_mean_s": self.machine.value,
            "machine_low_s": self.machine.low,
            "machine_high_s": self.machine.high,
        }
        row |= {
            "utilisation": self.utilisation,
            "attempts_per_task": self.attempts,
            "duplicated_share": self.duplicated,
        }
        return row | {"resumed_share": self.resumed, "copies_by_reason": self.copies}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _copies_of(results: Results, policy: str, jobs: pd.DataFrame) -> dict[str, int]:
    chosen = set(zip(jobs["repetition"], jobs["job"]))
    copies: dict[str, int] = {}
    for row in results.copies[results.copies["policy"] == policy].to_dict("records"):
        if (row["repetition"], row["job"]) in chosen:
            copies[row["reason"]] = copies.get(row["reason"], 0) + int(row["attempts"])
    return dict(sorted(copies.items()))


def _summary_of(results: Results, policy: str, group: str, utilisation: float) -> Summary:
    jobs = counted(results.jobs)
    jobs = jobs[(jobs["policy"] == policy) & ((jobs["group"] == group) | (group == ""))]
    ended = jobs[jobs["state"] != "unfinished"]
    with_deadline = jobs[jobs["deadline_s"] > 0]
    times = sorted(ended["time_s"])
    p50, p90, p99 = (intervals.quantile(times, q) for q in (0.5, 0.9, 0.99))
    met = int((with_deadline["met"] == 1).sum())
    return Summary(
        policy,
        group,
        jobs["repetition"].nunique(),
        len(jobs),
        met,
        len(jobs) - len(ended),
        intervals.share(met, len(with_deadline)),
        intervals.mean(ended["time_s"]),
        p50,
        p90,
        p99,
        intervals.mean(ended["machine_s"]),
        utilisation,
        _ratio(ended["attempts"].sum(), ended["tasks"].sum()),
        _ratio(ended["duplicated_bytes"].sum() + ended["dropped_bytes"].sum(), ended["input_bytes"].sum()),
        _ratio(ended["resumed_bytes"].sum(), ended["input_bytes"].sum()),
        _copies_of(results, policy, jobs),
    )


def _utilisation(results: Results, policy: str) -> float:
    busy = whole = 0.0
    for name, _, jobs, attempts in runs_of(results):
        span = Span.of(jobs)
        if name == policy and span.end > span.begin:
            busy += use_over_time(attempts, span, 1)[0][1] * (span.end - span.begin)
            whole += results.slots * (span.end - span.begin)
    return _ratio(busy, whole)


def summarise(results: Results) -> list[Summary]:
    """In the order of the rows."""
    return [_summary_of(results, policy, "", _utilisation(results, policy)) for policy in results.policies()]


def summarise_groups(results: Results, policies: list[Summary]) -> list[Summary]:
    """The same for each group of jobs, if there are several."""
    groups = list(dict.fromkeys(counted(results.jobs)["group"]))
    if len(groups) < 2:
        return []
    return [_summary_of(results, of.policy, group, of.utilisation) for of in policies for group in groups]


def summary_csv(summaries: list[Summary]) -> str:
    lines = [summary.row() for summary in summaries]
    for row in lines:
        row["copies_by_reason"] = " ".join(f"{reason}={count}" for reason, count in row["copies_by_reason"].items())
    return csv_text([list(lines[0]), *(row.values() for row in lines)]) if lines else ""


def json_text(policies: list[dict[str, Any]]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items()}
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps({"policies": [plain(row) for row in policies]}, indent=2, ensure_ascii=False) + "\n"

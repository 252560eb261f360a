"""The league: policies over the rows of several studies, on the same jobs, and where the first of them loses.

The studies are run again with the league's policies in place of theirs. A difference between two policies is paired by
job, as both have run the same jobs; its interval is a bootstrap over seeds, whose jobs are not independent of each
other.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from .. import programs
from . import style
from .intervals import Estimate, quantile
from .page import short_path
from .rows import read
from .study import Study
from .texts import Grid, csv_text, fixed, with_sign, write

POLICIES = "auto,split-resume,shed+,ese,mantri,hadoop,spark,flink,grass,skewtune,dataflow,ytsaurus"
LIMITS = {"bound": "bound", "clairvoyant": "bound:clairvoyant=yes", "ideal": "ideal:launches=yes"}
_MEASURES = ["pocd", "machine_time", "flow_time"]
_SAME = {"auto", "split-resume"}  # one chooses the other, so neither is ahead of it
_RESAMPLES = 2000
_NEAR = 0.03  # PoCD; a smaller distance to the bound is none
_QUICK_ROWS = 6  # of each study at most
_QUICK_SEEDS = 3


class Row(NamedTuple):
    """One point of a study. Its cells have a line per seed: jobs, met, pocd, machine_time, flow_time."""

    study: str
    where: str
    cells: dict[str, pd.DataFrame]

    def value(self, policy: str, measure: str) -> float:
        """Over all jobs of all seeds."""
        cell = self.cells[policy]
        if measure == "pocd":
            return float(cell["counted_met"].sum() / cell["counted_jobs"].sum())
        return float((cell[measure] * cell["counted_jobs"]).sum() / cell["counted_jobs"].sum())

    def measure(self, policies: Sequence[str]) -> str:
        """What is compared: PoCD, or the mean time where nobody is late."""
        return "flow_time" if all(self.value(policy, "pocd") == 1 for policy in policies) else "pocd"

    def advantage(self, policy: str, other: str, measure: str) -> Estimate:
        """By how much `policy` is better: in PoCD, or as a share of the other's mean time."""
        ours, theirs = (self.cells[name].set_index("seed") for name in (policy, other))
        jobs = ours["counted_jobs"]
        column = "counted_met" if measure == "pocd" else measure
        gains = ours[column] - theirs[column] if measure == "pocd" else (theirs[column] - ours[column]) * jobs
        base = jobs if measure == "pocd" else theirs[column] * jobs
        of_seeds = list(zip(map(float, gains), map(float, base)))
        chance = random.Random(1)
        drawn = []
        for _ in range(_RESAMPLES if len(of_seeds) > 1 else 0):
            resample = chance.choices(of_seeds, k=len(of_seeds))
            drawn.append(sum(gain for gain, _ in resample) / sum(share for _, share in resample))
        drawn.sort()
        low, high = (quantile(drawn, 0.025), quantile(drawn, 0.975)) if drawn else (math.nan, math.nan)
        return Estimate(float(gains.sum() / base.sum()), low, high, len(of_seeds))


class Verdict(NamedTuple):
    row: Row
    measure: str
    best: str  # of the others
    ahead: Estimate
    best_for_less: str  # of those that take no more machine time; empty: none
    ahead_for_less: Estimate


def _league_study(path: Path, policies: Sequence[str], quick: bool) -> dict[str, Any]:
    """The study with the league's policies, and the files that it names where they are."""
    whole: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)
    study = whole["study"]
    hinted = any("$hints" in str(text) for text in study["policies"].values())
    own = {"auto", "split-resume", "shed+", "mantri"}  # take part with what the study has them know
    study["policies"] = {
        name: next((text for text in study["policies"].values() if hinted and text == f"{name}:$hints"), name)
        if name in own
        else name
        for name in policies
    }
    study["policies"] |= LIMITS
    study["measures"] = _MEASURES
    for key in ("figure", "printed", "utility", "findings", "forecasts", "every"):
        study.pop(key, None)
    if quick:
        axes = study.get("vary", [])
        while math.prod(len(axis["values"]) for axis in axes) > _QUICK_ROWS:
            longest = max(axes, key=lambda axis: len(axis["values"]))
            longest["values"] = longest["values"][::2]
        study["seeds"] = str(_QUICK_SEEDS)

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(one) for one in value]
        if not isinstance(value, dict):
            return value
        made = {key: placed(one) for key, one in value.items()}
        if isinstance(made.get("file"), str):
            made["file"] = str((path.parent / made["file"]).resolve())
        return made

    made: dict[str, Any] = placed(copy.deepcopy(whole))
    return made


def _rows(study: Study, runs: Path) -> list[Row]:
    table = read(runs, [*study.all_axes, "policy"])
    rows = []
    table["where"] = table[study.axes].agg(", ".join, axis=1) if study.axes else study.title
    for where, of_point in table.groupby("where", sort=False):
        cells = {str(name): cell for name, cell in of_point.groupby("policy", sort=False)}
        rows.append(Row(study.path.stem, str(where), cells))
    return rows


def run_studies(paths: Sequence[Path], policies: Sequence[str], out: Path, quick: bool) -> list[Row]:
    rows = []
    for path in paths:
        made = out / "studies" / path.name
        write(made, yaml.safe_dump(_league_study(path, policies, quick), sort_keys=False, allow_unicode=True))
        command = [programs.program("ontime"), "simulate", str(made), "--output", str(out / "studies")]
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode != 0:
            raise ValueError(f"{path} could not be run")
        rows += _rows(Study(made), out / "studies" / "rows" / f"{path.stem}-runs.csv")
    return rows


def _rivals(first: str, others: Sequence[str]) -> list[str]:
    return [name for name in others if {first, name} != _SAME]


def judge(row: Row, first: str, others: Sequence[str]) -> Verdict:
    measure = row.measure([first, *others])
    others = _rivals(first, others)
    sign = 1 if measure == "pocd" else -1

    def best_of(names: Sequence[str]) -> str:
        return max(names, key=lambda name: (sign * row.value(name, measure), -row.value(name, "machine_time")))

    best = best_of(others)
    limit = row.value(first, "machine_time")
    cheaper = [name for name in others if row.value(name, "machine_time") <= limit]
    for_less = best_of(cheaper) if cheaper else ""
    return Verdict(
        row,
        measure,
        best,
        row.advantage(first, best, measure),
        for_less,
        row.advantage(first, for_less, measure) if for_less else Estimate(),
    )


def _change(ahead: Estimate, measure: str) -> str:
    scale, digits, unit = (1, 3, "") if measure == "pocd" else (100, 0, " %")
    text = with_sign(scale * ahead.value, digits) + unit
    if not ahead.has_interval():
        return text
    return f"{text} ({with_sign(scale * ahead.low, digits)} to {with_sign(scale * ahead.high, digits)})"


def _cell(row: Row, policy: str, measure: str) -> str:
    shown = fixed(row.value(policy, measure), 3 if measure == "pocd" else 1) + ("" if measure == "pocd" else " s")
    return f"{shown} / {fixed(row.value(policy, 'machine_time'), 0)}"


def _losses(verdicts: Sequence[Verdict], first: str) -> str:
    behind = sorted((one for one in verdicts if one.ahead.value < 0), key=lambda one: (one.measure, one.ahead.value))
    if not behind:
        return f"`{first}` is first, or level, in every row.\n"
    grid = Grid(["row", "better", f"`{first}` is ahead by", f"`{first}`", "the other", "the bound"], 2)
    for one in behind:
        cells = [_cell(one.row, name, one.measure) for name in (first, one.best, "bound")]
        grid.lines.append([one.row.where, f"`{one.best}`", _change(one.ahead, one.measure), *cells])
    return grid.markdown()


def _room(verdicts: Sequence[Verdict], first: str) -> str:
    """Where no other is better, and one might be."""
    gaps = [(one.row.value("bound", "pocd") - one.row.value(first, "pocd"), one) for one in verdicts]
    far = [(gap, one) for gap, one in gaps if gap > _NEAR and one.measure == "pocd" and one.ahead.value >= 0]
    if not far:
        return f"Where it is not behind, it is nowhere more than {_NEAR} below the bound.\n"
    far.sort(key=lambda gap: -gap[0])
    grid = Grid(["row", "the bound is higher by", f"`{first}`", "the bound", "the clairvoyant one"], 1)
    for gap, one in far:
        cells = [_cell(one.row, name, one.measure) for name in (first, *list(LIMITS)[:2])]
        grid.lines.append([one.row.where, fixed(gap, 3), *cells])
    return grid.markdown()


def _all_rows(verdicts: Sequence[Verdict], first: str, others: Sequence[str]) -> str:
    grid = Grid(["row", *(f"`{name}`" for name in (first, *others)), *LIMITS], 1)
    for one in verdicts:
        cells = [_cell(one.row, name, one.measure) for name in (first, *others)]
        grid.lines.append([one.row.where, *cells, *(_cell(one.row, name, one.measure) for name in LIMITS)])
    return grid.markdown()


def _comparisons(verdicts: Sequence[Verdict], first: str) -> str:
    grid = Grid(["row", "best other", f"`{first}` is ahead by", "best other for no more machine time", "ahead by"], 1)
    for one in verdicts:
        grid.lines.append(
            [
                one.row.where,
                f"`{one.best}`",
                _change(one.ahead, one.measure),
                f"`{one.best_for_less}`" if one.best_for_less else "-",
                _change(one.ahead_for_less, one.measure) if one.best_for_less else "-",
            ]
        )
    return grid.markdown()


def _stem(name: str) -> str:
    return f"league-{name}" if name else "league"


def page_of(verdicts: Sequence[Verdict], first: str, others: Sequence[str], again: str, name: str = "") -> str:
    seeds = verdicts[0].ahead.runs
    rivals = _rivals(first, others)
    kin = "".join(f" `{name}` is no rival: one chooses the other." for name in others if name not in rivals)
    won = sum(one.ahead.value > 0 for one in verdicts)
    level = sum(one.ahead.value == 0 for one in verdicts)
    return (
        f"# The league{name and ': ' + name}\n\n"
        f"`{first}` beside {len(rivals)} rivals in {len(verdicts)} rows: ahead of each in {won}, level "
        f"with the best in {level}, behind in {len(verdicts) - won - level}.{kin}\n\n    {again}\n\n"
        "Cells are PoCD, or the mean time of a job where nobody is late, / slot-seconds a job. Differences are paired by\n"
        f"job, over {seeds} seeds, with 95 % intervals by the bootstrap over seeds; of times, as shares of the other's "
        "time.\n"
        "Where a study tells policies what durations are like, those here that take it know it too.\n"
        + ("Three seeds have ten resamples that differ: such an interval says little.\n" if seeds <= 3 else "")
        + f"\n## Where `{first}` loses\n\n{_losses(verdicts, first)}\n{_room(verdicts, first)}"
        + (f"\n![PoCD by row and policy]({_stem(name)}.svg)\n" if any(v.measure == "pocd" for v in verdicts) else "")
        + f"\n## By row\n\n{_comparisons(verdicts, first)}"
        f"\n## All\n\n`bound` is what no policy can exceed, `clairvoyant` the looser one; `ideal` shares all work at mean "
        f"speed, and a\npolicy can exceed it.\n\n{_all_rows(verdicts, first, others)}\n"
        f"The same as a table for programs: [{_stem(name)}.csv]({_stem(name)}.csv).\n"
    )


def table_of(verdicts: Sequence[Verdict], names: Sequence[str]) -> str:
    lines: list[list[object]] = [["study", "row", "compared", "policy", *_MEASURES, "jobs", "seeds"]]
    for one in verdicts:
        for name in (*names, *LIMITS):
            values: list[object] = [one.row.value(name, measure) for measure in _MEASURES]
            cell = one.row.cells[name]
            counts: list[object] = [int(cell["counted_jobs"].sum()), len(cell)]
            lines.append([one.row.study, one.row.where, one.measure, name, *values, *counts])
    return csv_text(lines)


def draw(verdicts: Sequence[Verdict], names: Sequence[str], path: Path) -> None:
    """PoCD of the rows where it is compared; the bound as a line."""
    shown = [one for one in verdicts if one.measure == "pocd"]
    if not shown:
        return
    made = style.figure(760, 90 + 26 * len(shown), above=60)
    axes = made.subplots()
    for number, name in enumerate(names):
        values = [one.row.value(name, "pocd") for one in shown]
        looks = style.points(number) | {"linestyle": "none"}
        looks.pop("capsize")
        axes.plot(values, range(len(shown)), label=name, **looks)
    bounds = [one.row.value("bound", "pocd") for one in shown]
    axes.plot(bounds, range(len(shown)), "|", color="black", markersize=14, markeredgewidth=2, label="bound")
    axes.set_yticks(range(len(shown)), [one.row.where for one in shown])
    axes.invert_yaxis()
    axes.set_xlabel("PoCD")
    axes.grid(axis="x")
    made.legend(loc="upper center", ncols=7, fontsize=8)
    style.save(made, path)


def run(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser("ontime.lab league", description="The league of policies, as a page.")
    parser.add_argument("studies", nargs="+", type=Path, help="whose rows are run; their own policies are not")
    parser.add_argument("--output", "-o", type=Path, required=True, help="a directory for page, table and figure")
    parser.add_argument("--policies", default=POLICIES, help="the first is the one that is judged")
    parser.add_argument("--name", default="", help="of the page, where a directory has several")
    parser.add_argument("--quick", action="store_true", help="six rows of each study at most, three seeds")
    given = parser.parse_args(arguments)
    names = given.policies.split(",")
    first, *others = names
    rows = run_studies(given.studies, names, given.output, given.quick)
    verdicts = [judge(row, first, others) for row in rows]
    flags = (" --quick" if given.quick else "") + (
        f" --policies {given.policies}" if given.policies != POLICIES else ""
    )
    flags += f" --name {given.name}" if given.name else ""
    again = f"python3 -m ontime.lab league {' '.join(map(short_path, given.studies))} --output DIR{flags}"
    page = given.output / f"{_stem(given.name)}.md"
    write(page, page_of(verdicts, first, others, again, given.name))
    write(page.with_suffix(".csv"), table_of(verdicts, names))
    draw(verdicts, names, page.with_suffix(".svg"))
    return _losses(verdicts, first) + f"{page}\n"

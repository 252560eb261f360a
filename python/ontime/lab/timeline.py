"""The attempts of one job of each policy: which began where, at which offset, and which are in the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.patches import Patch

from . import style
from .experiment import counted

TITLE = "Attempts of one job"
CAPTION = (
    "The job with most copies, or else the longest, under each policy that ended it: a line for each of its nodes, a bar "
    "for each attempt with the number of its task and, behind @, the offset in the split that it began at. Dashed: the "
    "deadline."
)
_NODES_MOST = 60
_LINE, _PANEL, _BELOW, _WIDTH = 22, 46, 60, 900
# Colour, hatching and colour of the text for what becomes of an attempt, in the order of the key.
_FATES = {
    "original, in the answer": ("#0072B2", "", "#ffffff"),
    "copy, in the answer": ("#E69F00", "//", "#000000"),
    "wasted": ("#bbbbbb", "\\\\", "#000000"),
    "other jobs": ("#eeeeee", "", ""),
}


def interesting(runs: list[pd.DataFrame]) -> Any:
    """The job that all policies are compared by: the one with most copies in these runs together, or else the longest.
    None if none has ended."""
    jobs = pd.concat([counted(run) for run in runs])
    ended = jobs[jobs["state"] != "unfinished"].groupby("job")[["copies", "time_s"]].sum()
    ranked = ended.sort_values(["copies", "time_s"], ascending=False, kind="stable")
    return None if ranked.empty else ranked.index[0]


def fate_of(attempt: dict[str, Any], job: dict[str, Any]) -> str:
    if attempt["job"] != job["job"]:
        return "other jobs"
    if attempt["sealed_bytes"] == 0:
        return "wasted"
    return "copy, in the answer" if attempt["speculative"] else "original, in the answer"


class Panel:
    """The job of one policy."""

    def __init__(self, policy: str, job: dict[str, Any], attempts: pd.DataFrame):
        self.job = job
        # "worker-10" stands behind "worker-9".
        names = sorted(set(attempts[attempts["job"] == job["job"]]["node"]), key=lambda name: (len(name), name))
        self.nodes = names[:_NODES_MOST]
        self.bars = []  # fate, line, begin, end, label
        for row in attempts.to_dict("records"):
            begin = row["launched_s"] - job["submitted_s"]
            end = (row["ended_s"] if row["ended_s"] == row["ended_s"] else job["ended_s"]) - job["submitted_s"]
            if row["node"] in self.nodes and end >= 0 and begin <= job["time_s"]:
                label = f"t{row['task']}" + (
                    f"@{row['from_offset_bytes'] // 1024}k" if row["from_offset_bytes"] else ""
                )
                self.bars.append(
                    (fate_of(row, job), self.nodes.index(row["node"]), max(0.0, begin), min(job["time_s"], end), label)
                )
        limit = f", deadline {job['deadline_s']:.6g} s" if job["deadline_s"] > 0 else ""
        self.title = f"{policy}: done after {round(job['time_s'], 2):.6g} s{limit}"

    def height(self) -> int:
        return _PANEL + _LINE * len(self.nodes)

    def draw(self, axes: Any, until: float) -> None:
        axes.grid(False)
        for fate, line, begin, end, label in self.bars:
            colour, hatch, ink = _FATES[fate]
            axes.barh(line, end - begin, 0.8, begin, color=colour, hatch=hatch, edgecolor="white", linewidth=0.8)
            if ink:
                box = {"facecolor": colour, "edgecolor": "none", "pad": 0.8} if hatch else None
                axes.text(
                    begin + 0.006 * until, line, label, va="center", fontsize=8, color=ink, clip_on=True, bbox=box
                )
        if 0 < self.job["deadline_s"] <= until:
            axes.axvline(self.job["deadline_s"], color="#000000", linestyle=(0, (4, 3)), linewidth=1.4)
        axes.set_yticks(range(len(self.nodes)))
        axes.set_yticklabels(self.nodes, fontsize=8)
        axes.set(xlim=(0, until * 1.01), ylim=(len(self.nodes) - 0.4, -0.6), title=self.title)


def draw(panels: list[Panel], path: Path) -> None:
    until = max(panel.job["time_s"] for panel in panels)
    heights = [panel.height() for panel in panels]
    made = style.figure(_WIDTH, sum(heights) + _BELOW, below=34)
    axes = made.subplots(len(panels), 1, squeeze=False, sharex=True, gridspec_kw={"height_ratios": heights})[:, 0]
    for panel, place in zip(panels, axes):
        panel.draw(place, until)
    axes[-1].set_xlabel("seconds after the submission of the job")
    there = {bar[0] for panel in panels for bar in panel.bars}
    keys = [
        (Patch(facecolor=colour, hatch=hatch, edgecolor="white"), fate)
        for fate, (colour, hatch, _) in _FATES.items()
        if fate in there
    ]
    made.legend(*zip(*keys), loc="lower center", ncol=len(keys))
    style.save(made, path)

"""A study's figure: a panel for each place that is not on the x axis, a line or a row of bars for each policy. The
paper's numbers are hollow marks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from . import style
from .measures import MEASURES
from .study import Study, is_yes

_PANEL_WIDTH, _PANEL_HEIGHT, _KEY_LINE, _COLUMNS = 400, 300, 24, 3
_LETTERS_BELOW_A_PANEL = 34


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9.e-]+", text) is not None


class StudyFigure:
    def __init__(self, study: Study, table: pd.DataFrame, curves: pd.DataFrame | None):
        self.study, self.kind = study, study.figure["kind"]
        self.y = study.figure.get("y", "")
        self.x = study.figure.get("x", "")
        self.is_curve = self.kind in ("cdf", "over_time")
        self.rows = curves if self.is_curve else table
        assert self.rows is not None
        self.rows = self.rows.assign(panel=[self._panel_of(row) for row in self.rows.to_dict("records")])
        self.policies = list(dict.fromkeys(self.rows["policy"]))
        self.panels = list(dict.fromkeys(self.rows["panel"]))
        self.ticks = list(dict.fromkeys(self.rows[self.x])) if self.x else []
        self.in_places = self.kind == "bars" or not all(_is_number(tick) for tick in self.ticks)
        self.log_x = is_yes(study.figure.get("log_x"))
        self.log_y = is_yes(study.figure.get("log_y"))

    def _panel_of(self, row: dict[str, Any]) -> str:
        """Curves over time would hide each other: each policy its own."""
        name = ", ".join(f"{axis} {row[axis]}" for axis in self.study.axes if axis != self.x)
        return name + (": " if name else "") + row["policy"] if self.kind == "over_time" else name

    def _place(self, label: str) -> float:
        return self.ticks.index(label) if self.in_places else float(label)

    def _aside(self, policy: int) -> float:
        """How far a line is moved, so that the intervals of several do not hide each other."""
        if self.log_x or len(self.ticks) < 2:
            return 0
        places = [self._place(tick) for tick in self.ticks]
        return (max(places) - min(places)) * 0.008 * (policy - (len(self.policies) - 1) / 2)

    def _of(self, panel: str, policy: str) -> pd.DataFrame:
        assert self.rows is not None
        return self.rows[(self.rows["panel"] == panel) & (self.rows["policy"] == policy)]

    def _draw_values(self, axes: Any, panel: str) -> None:
        width = 0.8 / len(self.policies)
        for i, policy in enumerate(self.policies):
            rows = self._of(panel, policy)
            rows = rows[rows[self.y].map(math.isfinite)]
            if rows.empty:
                continue
            value = rows[self.y]
            errors = [
                (value - rows[self.y + "_low"].fillna(value)).clip(lower=0),
                (rows[self.y + "_high"].fillna(value) - value).clip(lower=0),
            ]
            printed = (rows[self.y + "_printed_low"] + rows[self.y + "_printed_high"]) / 2
            colour = style.of(style.COLOURS, i)
            if self.kind == "bars":
                at = rows[self.x].map(self._place) - 0.4 + width * (i + 0.5)
                axes.bar(
                    at, value, width, color=colour, edgecolor="white", hatch=style.of(style.HATCHES, i), linewidth=0.5
                )
                axes.errorbar(at, value, errors, fmt="none", ecolor="#222222", elinewidth=1, capsize=2)
                colour = "#000000"
            else:
                at = rows[self.x].map(self._place) + self._aside(i)
                axes.errorbar(at, value, errors, elinewidth=1, **style.curve(i) | style.points(i))
            axes.plot(
                at, printed, "o", markersize=8, markerfacecolor="none", markeredgecolor=colour, markeredgewidth=1.4
            )

    def _draw_curves(self, axes: Any, panel: str) -> None:
        for i, policy in enumerate(self.policies):
            rows = self._of(panel, policy)
            if self.kind == "cdf":
                axes.plot(
                    rows["flow_time"],
                    rows["share"],
                    marker=style.of(style.MARKS, i),
                    markersize=4,
                    markevery=(0.04 + 0.02 * i, 0.2),
                    **style.curve(i),
                )
            elif not rows.empty:
                axes.plot(rows["time"], rows[self.y], **style.curve(i) | {"linestyle": "-", "linewidth": 1.1})

    def _set_curve_axes(self, axes: Any, panel: str) -> None:
        assert self.rows is not None
        if self.kind == "cdf":
            axes.set(xlabel="time of a job (s)", ylabel="share of the jobs", ylim=(0, 1.02))
            times = self.rows[self.rows["panel"] == panel]["flow_time"]
            if self.log_x or 0 < 10 * times.min() < times.max():
                style.logarithmic(axes, "x")
            return
        # All panels show the same time: until well after most policies are done, as one straggler may never end.
        end = 1.25 * self.rows.groupby("panel")["time"].max().median()
        shown = self.rows[self.rows["time"] <= end]
        is_busy = self.y == "busy"
        axes.set(
            xlabel="time (s)",
            xlim=(0, end),
            ylim=(0, 1.02 if is_busy else 1.05 * shown[self.y].max()),
            ylabel="share of the slots that are busy" if is_busy else "jobs in the cluster",
        )

    def _set_value_axes(self, axes: Any) -> None:
        measure = MEASURES[self.y]
        axes.set(xlabel=self.x, ylabel=measure.title)
        if self.log_y:
            style.logarithmic(axes, "y")
        elif measure.is_share:
            axes.set_ylim(0, 1.05)
        elif self.kind == "bars":
            axes.axhline(0, color="#444444", linewidth=0.8)
        if self.log_x:
            axes.set_xscale("log")
        turned = {"rotation": 20, "ha": "right"} if sum(map(len, self.ticks)) > _LETTERS_BELOW_A_PANEL else {}
        axes.set_xticks([self._place(tick) for tick in self.ticks])
        axes.set_xticklabels(self._tick_labels(), **turned)
        axes.minorticks_off()
        if self.in_places:
            axes.set_xlim(-0.55, len(self.ticks) - 0.45)

    def _tick_labels(self) -> list[str]:
        """Numbers that would touch the one before them are left out."""
        if self.in_places or self.log_x:
            return self.ticks
        near = 0.07 * (max(map(float, self.ticks)) - min(map(float, self.ticks)))
        labels, last = [], -math.inf
        for tick in self.ticks:
            has_room = abs(float(tick) - last) >= near
            labels.append(tick if has_room else "")
            last = float(tick) if has_room else last
        return labels

    def _key(self) -> Iterator[tuple[Any, str]]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        for i, policy in enumerate(self.policies):
            if self.kind == "bars":
                yield Patch(
                    facecolor=style.of(style.COLOURS, i), edgecolor="white", hatch=style.of(style.HATCHES, i)
                ), policy
            else:
                mark = {"marker": style.of(style.MARKS, i), "markersize": 5}
                yield Line2D([], [], **style.curve(i) | mark), policy
        assert self.rows is not None
        if not self.is_curve and self.rows[self.y + "_printed_low"].notna().any():
            yield Line2D(
                [], [], linestyle="", marker="o", markersize=8, markerfacecolor="none", color="#000000"
            ), "printed in the paper"

    def draw(self, path: Path) -> None:
        columns = min(_COLUMNS, len(self.panels))
        lines = math.ceil(len(self.panels) / columns)
        names = [] if self.kind == "over_time" else list(self._key())
        across = 3 if columns < 2 else 4
        key = _KEY_LINE * math.ceil(len(names) / across) + 8 if names else 0
        # A single panel still leaves room for three names in a line.
        made = style.figure(max(_PANEL_WIDTH * columns, 640), key + _PANEL_HEIGHT * lines, key)
        for i, panel in enumerate(self.panels):
            axes = made.add_subplot(lines, columns, i + 1)
            axes.set_title(panel)
            if self.is_curve:
                self._draw_curves(axes, panel)
                self._set_curve_axes(axes, panel)
            else:
                self._draw_values(axes, panel)
                self._set_value_axes(axes)
        if names:
            made.legend(*zip(*names), loc="upper center", ncol=across)
        style.save(made, path)


def draw(study: Study, table: pd.DataFrame, curves: pd.DataFrame | None, path: Path) -> bool:
    """Whether the study has a figure."""
    if not study.figure or table.empty:
        return False
    StudyFigure(study, table, curves).draw(path)
    return True

"""A study's file, as far as its results depend on it; lab/study reads what is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .measures import MEASURES

_FIGURE_KEYS = {"kind", "x", "y", "log_x", "log_y"}


def is_yes(value: Any) -> bool:
    return value in ("yes", "true")


def reading(value: str | list[str]) -> tuple[float, float]:
    """A number that a paper has printed, or its limits."""
    low, high = (value, value) if isinstance(value, str) else value
    if float(low) > float(high):
        raise ValueError(f"[{low}, {high}] is no range; write [least, greatest]")
    return float(low), float(high)


class Study:
    """ValueError with one sentence where something is wrong."""

    def __init__(self, path: Path):
        self.path = path
        # Every value is a text: a label stays what it is in the file.
        whole: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)
        document = self.document = whole["study"]
        self.title: str = document.get("title", "")
        self.policies: list[str] = list(document["policies"])
        self.measures: list[str] = document["measures"]
        self.by_group = "yes" if is_yes(document.get("by_group")) else document.get("by_group", "no")
        vary = document.get("vary", [])
        self.all_axes: list[str] = [axis["name"] for axis in vary]
        self.axes: list[str] = [axis["name"] for axis in vary if not is_yes(axis.get("pooled"))]
        self.labels = {
            axis["name"]: [value["label"] for value in axis["values"]] for axis in vary if axis["name"] in self.axes
        }
        self.labels["policy"] = self.policies
        if self.by_group == "yes":
            self.axes.append("group")
        self.figure: dict[str, str] = document.get("figure", {})
        self.printed: list[tuple[dict[str, str], dict[str, tuple[float, float]]]] = []
        try:
            self._check()
        except ValueError as error:
            raise ValueError(f"study {path}: {error}") from None

    def _check(self) -> None:
        if not self.title:
            raise ValueError("a study has a title")
        for axis in set(self.all_axes) & {*self.measures, "seed", "seeds"}:
            raise ValueError(f"an axis cannot be called '{axis}', which is a column of the results already")
        for line in self.document.get("printed", []):
            labels = {key: value for key, value in line.items() if key not in self.measures}
            for key, label in labels.items():
                if key not in self.labels and not (key == "group" and self.by_group == "yes"):
                    raise ValueError(f"printed: '{key}' is no measure and no axis of this study")
                if label not in self.labels.get(key, [label]):
                    raise ValueError(f"printed: '{key}: {label}' is no label of this study")
            self.printed.append((labels, {key: reading(line[key]) for key in line if key not in labels}))
        if self.figure:
            self._check_figure()

    def _check_figure(self) -> None:
        kind, x, y = (self.figure.get(key, "") for key in ("kind", "x", "y"))
        for key in set(self.figure) - _FIGURE_KEYS:
            raise ValueError(f"figure: there is no key '{key}'; there are {', '.join(sorted(_FIGURE_KEYS))}")
        if kind not in ("lines", "bars", "cdf", "over_time"):
            raise ValueError(f"figure: there is no kind '{kind}'; there are lines, bars, cdf, over_time")
        if kind in ("lines", "bars") and x not in self.axes:
            raise ValueError(f"figure: there is no axis '{x}'")
        if kind in ("lines", "bars") and (y not in self.measures or y not in MEASURES):
            raise ValueError("figure: y is none of the measures")
        if kind == "over_time" and y not in ("busy", "jobs"):
            raise ValueError("figure: over time y is busy or jobs")

    def printed_of(self, labels: dict[str, str], measure: str) -> tuple[float, float] | None:
        """What the paper says of a row; later lines are the more special ones."""
        found = None
        for where, values in self.printed:
            if measure in values and all(labels.get(key) == label for key, label in where.items()):
                found = values[measure]
        return found

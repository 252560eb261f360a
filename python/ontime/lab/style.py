"""How all figures look: told apart by colour and, without it, by dashes, marks or hatching. The same bytes each
time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

matplotlib.use("svg")
plt.rcParams.update(
    {
        "svg.hashsalt": "ontime",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.size": 10,
        "font.family": "sans-serif",
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10,
        "grid.color": "#dddddd",
        "hatch.linewidth": 0.6,
        "legend.frameon": False,
        "legend.handlelength": 3,
    }
)

# Okabe and Ito's, with grey for their yellow, which is too pale for lines.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#777777")
# Of other lengths, so that the ninth does not look like the first.
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (9, 3)), (0, (2, 2)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "p")
HATCHES = ("", "//", "\\\\", "xx", "--", "||", "++", "////", "\\\\\\\\")
PIXEL = 1 / 96  # in inches


def of(table: Sequence[Any], index: int) -> Any:
    return table[index % len(table)]


def figure(width: float, height: float, above: float = 0, below: float = 0) -> Any:
    """Empty; width and height in pixels. `above`, `below`: pixels that are kept free for a key."""
    made = plt.figure(figsize=(width * PIXEL, height * PIXEL), layout="constrained")
    made.get_layout_engine().set(rect=(0, below / height, 1, 1 - (above + below) / height))
    return made


def curve(index: int) -> dict[str, Any]:
    """Of a line that has no points of its own."""
    return {"color": of(COLOURS, index), "linestyle": of(DASHES, index), "linewidth": 1.6}


def points(index: int) -> dict[str, Any]:
    return {"color": of(COLOURS, index), "marker": of(MARKS, index), "markersize": 5, "capsize": 2}


def _settle(made: Any) -> None:
    """Lays out and rounds. The last bits of the layout's solver change from run to run, and clips are named after all
    bits of where they are."""
    made.draw_without_rendering()
    made.set_layout_engine("none")
    for axes in made.axes:
        axes.set_position(Bbox(axes.get_position().get_points().round(5)))


def save(made: Any, path: Path) -> None:
    _settle(made)
    made.savefig(path, metadata={"Date": None})
    plt.close(made)


def logarithmic(axes: Any, which: str) -> None:
    """The axis x or y, with plain numbers."""
    axes.set(**{which + "scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axis.get_data_interval()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())

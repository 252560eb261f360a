"""Numbers, tables and pages as people and programs read them."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .intervals import Estimate


def fixed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if not math.isnan(value) else "-"


def percent(share: float, digits: int) -> str:
    return "-" if math.isnan(share) else fixed(100 * share, digits) + " %"


def number(value: float) -> str:
    """Six significant digits; nothing for NaN."""
    return "" if math.isnan(value) else f"{value:.6g}"


def with_sign(value: float, digits: int) -> str:
    shown = fixed(value, digits)
    if not shown.strip("-0."):
        return fixed(0, digits)
    return "+" + shown if value > 0 else shown


def interval(estimate: Estimate, digits: int) -> str:
    """ "0.930 to 0.985" """
    return f"{fixed(estimate.low, digits)} to {fixed(estimate.high, digits)}" if estimate.has_interval() else "-"


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Of the titles and the rows; what is not finite is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in lines:
        writer.writerow(
            [(number(cell) if math.isfinite(cell) else "") if isinstance(cell, float) else cell for cell in line]
        )
    return text.getvalue()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)


@dataclass
class Grid:
    titles: list[str]
    names: int = 1  # the first columns say what a line is about, the others have numbers
    lines: list[list[str]] = field(default_factory=list)

    def markdown(self) -> str:
        rules = ["---" if i < self.names else "---:" for i in range(len(self.titles))]
        return "".join(f"| {' | '.join(line)} |\n" for line in (self.titles, rules, *self.lines))

    def terminal(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.titles, *self.lines)]

        def shown(line: Sequence[str]) -> str:
            cells = (
                cell.ljust(width) if i < self.names else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            )
            return "  ".join(cells).rstrip() + "\n"

        return "".join(map(shown, (self.titles, *self.lines)))

    def html(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            shown = ("&ndash;" if cell == "-" else html.escape(cell, quote=False) for cell in cells)
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in shown) + "</tr>\n"

        return "<table>\n" + row(self.titles, "th") + "".join(row(line, "td") for line in self.lines) + "</table>"


_STYLE = (
    ":root{--ink:#222;--faint:#444;--line:#ddd;--block:#f6f6f6;--paper:#fff;background:var(--paper)}"
    "body{font:16px/1.5 sans-serif;max-width:74em;margin:2em auto;padding:0 1em;color:var(--ink);color-scheme:light dark}"
    "table{border-collapse:collapse;margin:1em 0;font-size:.9em}"
    "th,td{padding:.2em .6em;text-align:right;border-bottom:1px solid var(--line)}td{white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}th{border-bottom:2px solid #888}"
    "figure{margin:2em 0}figcaption{color:var(--faint);font-size:.9em}svg{display:block;max-width:100%;height:auto}"
    "pre{background:var(--block);padding:1em;overflow:auto}.scroll{overflow-x:auto}"
    "@media(max-width:50em){svg{min-width:40em}}"  # its text stays readable, and it scrolls within its place
    "@media(prefers-color-scheme:dark){"
    ":root{--ink:#e6e8eb;--faint:#9aa4af;--line:#343a42;--block:#22262c;--paper:#141414}"
    "svg{filter:invert(.92) hue-rotate(180deg)}}"  # white becomes the colour of the page, and hues stay
)


class HtmlPage:
    """One file that needs nothing else. What is empty is left out."""

    def __init__(self, title: str):
        name = html.escape(title, quote=False)
        self._grids = 0
        self._text = (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head><body><main>\n<h1>{name}</h1>\n"
        )

    def heading(self, text: str) -> None:
        self._text += f"<h2>{html.escape(text, quote=False)}</h2>\n"

    def text(self, text: str) -> None:
        self._text += f"<p>{html.escape(text, quote=False)}</p>\n"

    def code(self, text: str) -> None:
        self._text += f'<pre tabindex="0">{html.escape(text, quote=False)}</pre>\n'

    def grid(self, grid: Grid) -> None:
        """On a phone, what is wide scrolls within its place, by the keyboard too."""
        if grid.lines:
            self._grids += 1
            self._text += (
                f'<div class="scroll" tabindex="0" role="region" aria-label="table {self._grids}">\n'
                f"{grid.html()}</div>\n"
            )

    def figure(self, title: str, caption: str, svg: str) -> None:
        element = svg[svg.index("<svg") :]
        self._text += (
            f"<figure><h2>{html.escape(title, quote=False)}</h2>\n"
            f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(title)}">\n{element}</div>\n'
            f"<figcaption>{html.escape(caption, quote=False)}</figcaption></figure>\n"
        )

    def whole(self) -> str:
        return self._text + "</main></body></html>\n"

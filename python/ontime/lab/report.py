"""What is written about all runs of an experiment together: use of the slots, summaries and the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .experiment import Results, Summary, json_text, summarise, summarise_groups, summary_csv, utilisation_csv
from .experiment_figures import figures_of
from .page import reading_text
from .texts import Grid, HtmlPage, fixed, interval, percent, write

_FOR_PAGES = ("mean 95 %", "resumed")  # columns that a terminal has no room for


def _cells(s: Summary) -> dict[str, str]:
    jobs = str(s.jobs) + (f" ({s.unfinished} unfinished)" if s.unfinished else "")
    return {
        "jobs": jobs,
        "PoCD": fixed(s.pocd.value, 3),
        "95 %": interval(s.pocd, 3),
        "mean s": fixed(s.time.value, 2),
        "mean 95 %": interval(s.time, 2),
        "p50": fixed(s.p50, 2),
        "p90": fixed(s.p90, 2),
        "p99": fixed(s.p99, 2),
        "machine s/job": fixed(s.machine.value, 1),
        "attempts/task": fixed(s.attempts, 2),
        "wasted": percent(s.duplicated, 1),
        "resumed": percent(s.resumed, 1),
        "busy": percent(s.utilisation, 0),
    }


def summary_grid(summaries: list[Summary], printed: dict[str, tuple[float, float]], on_terminal: bool) -> Grid:
    """A line for each policy, or for each of its groups."""
    has_groups = any(s.group for s in summaries)
    lines = []
    titles: list[str] = []
    for s in summaries:
        cells = {"policy": s.policy} | ({"jobs of": s.group} if has_groups else {}) | _cells(s)
        if printed and not has_groups:
            cells["printed PoCD"] = reading_text(printed[s.policy]) if s.policy in printed else "-"
        titles = [title for title in cells if not on_terminal or title not in _FOR_PAGES]
        lines.append([cells[title] for title in titles])
    return Grid(
        [title.removeprefix("mean ") if title == "mean 95 %" else title for title in titles],
        2 if has_groups else 1,
        lines,
    )


def _page(
    results: Results, summaries: list[Summary], groups: list[Summary], figures: list[tuple[str, str, str]]
) -> HtmlPage:
    page = HtmlPage(results.title)
    page.grid(summary_grid(summaries, results.printed, False))
    for figure in figures:
        page.figure(*figure)
    if groups:
        page.heading("By group of jobs")
        page.grid(summary_grid(groups, results.printed, False))
    copies = [[s.policy, reason, str(count)] for s in summaries for reason, count in s.copies.items()]
    if copies:
        page.heading("Why attempts were added")
        page.grid(Grid(["policy", "reason", "attempts"], 2, copies))
    page.heading("What was measured, with what")
    page.grid(
        Grid(
            ["what", "value"],
            1,
            [[what, value if isinstance(value, str) else json.dumps(value)] for what, value in results.facts.items()],
        )
    )
    page.text(
        "Intervals: PoCD Wilson, means Student's t over jobs, 95 %. Wasted and resumed are bytes per byte of input; a "
        "resumed byte did not have to be mapped again because an attempt went on from an offset."
    )
    page.heading("Scenario")
    page.code(results.scenario)
    return page


def slug_of(title: str) -> str:
    """ "attempts-of-one-job" """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def run(directory: Path, slots: int, is_json: bool) -> str:
    """Writes everything into the directory; what `ontime experiment` prints."""
    results = Results.of(directory, slots)
    summaries = summarise(results)
    groups = summarise_groups(results, summaries)
    write(directory / "utilisation.csv", utilisation_csv(results))
    write(directory / "summary.json", json_text([summary.row() for summary in summaries]))
    write(directory / "summary.csv", summary_csv(summaries + groups))
    figures = []
    (directory / "figures").mkdir(exist_ok=True)
    for figure in figures_of(results, summaries):
        path = directory / "figures" / f"{slug_of(figure.title)}.svg"
        figure.draw(path)
        figures.append((figure.title, figure.caption, path.read_text()))
    write(directory / "report.html", _page(results, summaries, groups, figures).whole())
    if is_json:
        return json_text([summary.row() for summary in summaries])
    return summary_grid(summaries, results.printed, True).terminal() + f"\n{directory}/report.html\n"

"""The page of a study: the paper's numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import yaml

from .intervals import Estimate
from .measures import MEASURES
from .study import Study, is_yes
from .table import Row, Table
from .texts import Grid, fixed, number

_INDEX = (
    "# Reproduction\n\nWhat papers have printed beside what the simulator gives, a page for each table or figure. "
    "`scripts/reproduce`\nwrites them anew.\n\n"
)


def text_of(estimate: Estimate, digits: int) -> str:
    """ "0.930 ± 0.012", "0.93 (0.88 to 0.97)" """
    value = fixed(estimate.value, digits)
    if not estimate.has_interval():
        return value
    below, above = estimate.value - estimate.low, estimate.high - estimate.value
    if abs(above - below) <= 0.5 * 10.0**-digits:
        return f"{value} ± {fixed(above, digits)}"
    return f"{value} ({fixed(estimate.low, digits)} to {fixed(estimate.high, digits)})"


def reading_text(reading: tuple[float, float]) -> str:
    """ "0.42", "0.35 to 0.45" """
    return " to ".join(number(value) for value in dict.fromkeys(reading))


def cell_of(row: Row, measure: str) -> str:
    """Ours, and if there is a printed value that one too; in bold if they differ."""
    ours, printed = text_of(row.values[measure], MEASURES[measure].digits), row.printed[measure]
    if printed is None:
        return ours
    return (f"**{ours}**" if row.differs(measure) else ours) + f" [{reading_text(printed)}]"


def _long(table: Table) -> Grid:
    """One line per row, one column per measure."""
    grid = Grid(
        [*table.axes, "policy", *(MEASURES[measure].title for measure in table.study.measures)], len(table.axes) + 1
    )
    for row in table.rows:
        grid.lines.append([*row.labels.values(), *(cell_of(row, measure) for measure in table.study.measures)])
    return grid


def _wide(table: Table, measure: str, across: str) -> Grid:
    """For one measure: the values of one axis side by side."""
    grid = Grid([axis for axis in (*table.axes, "policy") if axis != across], len(table.axes))
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in table.rows:
        names = tuple(label for axis, label in row.labels.items() if axis != across)
        column = f"{across} {row.labels[across]}"
        if column not in grid.titles[grid.names :]:
            grid.titles.append(column)
        lines.setdefault(names, list(names)).append(cell_of(row, measure))
    grid.lines = list(lines.values())
    return grid


def tables_of(table: Table) -> str:
    across = table.study.figure.get("x", "")
    if not across:
        return _long(table).markdown()
    return "\n".join(
        f"{MEASURES[measure].title}\n\n{_wide(table, measure, across).markdown()}" for measure in table.study.measures
    )


def _source(table: Table) -> str:
    document = table.study.document
    source = f"Source: {document['source']}." if document.get("source") else ""
    if is_yes(document.get("read_off_figure")):
        source += " Its numbers are read off a figure or its description, so they are approximate."
    seeds = table.rows[0].seeds if table.rows else 0
    source += (
        f"\nMeans over {seeds} seeds with 95 % intervals (Student's t)."
        if seeds > 1
        else "\nOne seed; intervals of PoCD are Wilson's at 95 %."
    )
    printed, held = table.agreement()
    if printed:
        source += (
            " The paper's numbers stand in brackets; ours are bold where the interval does not hold them. It holds "
            f"{held} of {printed}."
        )
    return source


def _unfinished(table: Table) -> str:
    some = [
        ", ".join([row.labels["policy"], *list(row.labels.values())[:-1]]) + f": {row.unfinished}"
        for row in table.rows
        if row.unfinished
    ]
    return f"Jobs that had not ended at the horizon (of all seeds): {'; '.join(some)}." if some else ""


def _measured(table: Table) -> str:
    grid = Grid(["what", "where", "value"], 2)
    for one in table.measured:
        grid.lines.append([one["what"], one["where"], fixed(one["value"], 3 if one["value"] < 10 else 1)])
    return grid.markdown() if grid.lines else ""


def short_path(path: Path) -> str:
    """Below the root of the tree: the same wherever it lies."""
    for root in path.absolute().parents:
        if (root / "CMakePresets.json").exists():
            return str(path.absolute().relative_to(root))
    return path.name


def page_of(study: Study, table: Table, has_figure: bool, made: str = "") -> str:
    """Markdown. What is empty is left out. `made`: by what, as a sentence."""
    stem = study.path.stem
    sections = [
        ("", _source(table)),
        ("", f"    ontime simulate {short_path(study.path)} --output DIR"),
        ("", tables_of(table)),
        ("", _unfinished(table)),
        ("", f"![{study.title}]({stem}.svg)" if has_figure else ""),
        ("What differs, and why", study.document.get("findings", "")),
        ("What was assumed", study.document.get("assumptions", "")),
        ("Measured first", _measured(table)),
        ("", f"The same as a table for programs: [{stem}.csv]({stem}.csv)."),
        ("", made),
    ]
    text = f"# {study.title}\n"
    for heading, content in sections:
        if content:
            text += (f"\n## {heading}\n" if heading else "") + "\n" + content + ("" if content.endswith("\n") else "\n")
    return text


def claims_in(directory: Path) -> list[dict[str, str]]:
    """What papers claim and what comes out: paper, page, claim, holds, ours, why; nothing without a file of claims."""
    path = directory / "claims.yaml"
    return yaml.load(path.read_text(), yaml.BaseLoader) if path.exists() else []


def _claims(claims: list[dict[str, str]]) -> str:
    grid = Grid(["paper", "claim", "holds", "ours", "why"], 5)
    for one in claims:
        grid.lines.append(
            [f"[{one['paper']}]({one['page']}.md)", one["claim"], one["holds"], one["ours"], one["why"] or "-"]
        )
    return f"## Claim by claim\n\n{grid.markdown()}\n## Pages\n\n" if claims else ""


def index_of(directory: Path) -> str:
    """What the papers claim, and every other page there by its title."""
    text = _INDEX + _claims(claims_in(directory))
    for page in sorted(directory.glob("*.md")):
        if page.name != "README.md":
            title = page.read_text().split("\n", 1)[0]
            text += f"* [{title[2:] if title.startswith('# ') else page.name}]({page.name})\n"
    return text

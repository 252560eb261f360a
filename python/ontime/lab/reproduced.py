"""Whether some of a study's points come out as its page has them."""

from __future__ import annotations

from pathlib import Path

from .study import Study
from .table import read_csv


def differences(study: Study, table: Path, page: Path) -> tuple[int, list[str]]:
    """How many rows there are, and a sentence for each value that is another in the page."""
    axes = [*study.axes, "policy"]
    kept = {tuple(row[axis] for axis in axes): row for row in read_csv(study, page).astype(object).to_dict("records")}
    wrong, rows = [], read_csv(study, table).astype(object).to_dict("records")
    for row in rows:
        labels = tuple(row[axis] for axis in axes)
        where = ", ".join(str(label) for label in labels)
        if labels not in kept:
            wrong.append(f"{where}: the page has no such row")
            continue
        for measure in (*study.measures, "seeds"):
            ours, theirs = row[measure], kept[labels][measure]
            if ours != theirs and not (ours != ours and theirs != theirs):  # NaN is as good as NaN
                wrong.append(f"{where}: {measure} is {ours}, on the page {theirs}")
    return len(rows), wrong


def run(path: Path, table: Path, page: Path) -> str:
    rows, wrong = differences(Study(path), table, page)
    if wrong:
        raise ValueError(f"{page.stem} was made by other code: " + "; ".join(wrong))
    return f"{page.stem}: {rows} rows as on the page\n"

"""What is written about a study."""

from __future__ import annotations

from pathlib import Path

from . import made_by, study_figure
from .page import index_of, page_of, tables_of
from .study import Study
from .table import curves_csv, mean_over_groups, read_csv, table_of
from .texts import write


def draw(study: Study, directory: Path) -> bool:
    """The figure, of the tables in the directory; whether there is one."""
    base = str(directory / study.path.stem)
    curves = Path(base + "-curves.csv")
    return study_figure.draw(
        study,
        read_csv(study, Path(base + ".csv")),
        read_csv(study, curves) if curves.exists() else None,
        Path(base + ".svg"),
    )


def run(path: Path, rows: str, directory: Path | None, is_csv: bool) -> str:
    """What `ontime simulate` prints. `rows`: what the names of the files of rows begin with."""
    study = Study(path)
    measured = read_csv(study, Path(rows + "-measured.csv")).to_dict("records")
    by_group = table_of(study, read_csv(study, Path(rows + "-runs.csv")), measured)
    table = mean_over_groups(by_group) if study.by_group == "mean" else by_group
    if directory:
        base = str(directory / path.stem)
        write(Path(base + ".csv"), table.csv())
        if study.by_group == "mean":
            write(Path(base + "-groups.csv"), by_group.csv())
        if study.figure.get("kind") in ("cdf", "over_time"):
            name = "-times.csv" if study.figure["kind"] == "cdf" else "-samples.csv"
            write(Path(base + "-curves.csv"), curves_csv(study, read_csv(study, Path(rows + name))))
        made_by.note(study, directory)
        made = made_by.sentence(study, directory)
        write(Path(base + ".md"), page_of(study, table, draw(study, directory), made))
        write(directory / "README.md", index_of(directory))
    return table.csv() if is_csv else f"{study.title}\n\n{tables_of(table)}\n"

"""python3 -m ontime.lab VERB ...: what ``ontime-lab`` calls when its runs are done.

figure STUDY DIR             draws DIR/NAME.svg of the table DIR/NAME.csv of a study, NAME.yaml
report DIR SLOTS [--json]    summaries, figures and report of the experiment in DIR, whose cluster had so many slots
compare JOBS JOBS [--json]   two files of jobs side by side
"""

from __future__ import annotations

import sys
from pathlib import Path

_LACKS_PACKAGES = 69  # lab/verbs/python.cpp knows it


def figure(study_path: str, directory: str) -> str:
    from . import study_figure
    from .study import Study, read_table

    study = Study(Path(study_path))
    base = Path(directory) / Path(study_path).stem
    curves = base.with_name(base.name + "-curves.csv")
    study_figure.draw(study, read_table(study, base.with_suffix(".csv")),
                      read_table(study, curves) if curves.exists() else None, base.with_suffix(".svg"))
    return ""


def report(directory: str, slots: str, *flags: str) -> str:
    from . import report

    return report.run(Path(directory), int(slots), "--json" in flags)


def compare(before: str, after: str, *flags: str) -> str:
    from . import compare

    return compare.run(Path(before), Path(after), "--json" in flags)


def main() -> int:
    verbs = {verb.__name__: verb for verb in (figure, report, compare)}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(verbs[sys.argv[1]](*sys.argv[2:]), end="")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ontime"):
            raise
        return _LACKS_PACKAGES
    except ValueError as error:
        print(f"ontime: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

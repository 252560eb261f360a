"""python3 -m ontime.lab VERB ...: what ``ontime-lab`` calls before its runs and when they are done.

check STUDY                       whether the file is right, as far as it is read here
study STUDY ROWS [DIR] [--csv]    table of the rows in ROWS-*.csv; in DIR also page, figure, tables for programs, index
same STUDY TABLE PAGE             whether rows of TABLE, a study's CSV, say the same in PAGE, another one of it
report DIR SLOTS [--json]         summaries, figures and report of the experiment in DIR on so many slots
compare JOBS JOBS [--json]        two files of jobs side by side
import FORMAT NAME COPIES FILE... [--json]    logs of that format as NAME.csv, NAME-attempts.csv and the scenario NAME.yaml
check_import NAME JOBS [--json]   the trace against the jobs of its simulation

For people: league STUDY... -o DIR [--quick] [--policies LIST]    policies over the rows of these studies
"""

from __future__ import annotations

import sys
from pathlib import Path

_LACKS_PACKAGES = 69  # lab/verbs/python.cpp knows it


def check(path: str) -> str:
    from .study import Study

    Study(Path(path))
    return ""


def study(path: str, rows: str, *more: str) -> str:
    from . import study_results

    directory = [Path(word) for word in more if word != "--csv"]
    return study_results.run(Path(path), rows, directory[0] if directory else None, "--csv" in more)


def same(path: str, table: str, page: str) -> str:
    from . import reproduced

    return reproduced.run(Path(path), Path(table), Path(page))


def report(directory: str, slots: str, *flags: str) -> str:
    from . import report

    return report.run(Path(directory), int(slots), "--json" in flags)


def compare(before: str, after: str, *flags: str) -> str:
    from . import compare

    return compare.run(Path(before), Path(after), "--json" in flags)


def import_logs(log_format: str, name: str, copies: str, *files: str) -> str:
    from . import imports

    return imports.run(log_format, name, copies, [file for file in files if file != "--json"], "--json" in files)


def check_import(name: str, jobs: str, *flags: str) -> str:
    from .imports import checking

    return checking.run(name, Path(jobs), "--json" in flags)


def league(*arguments: str) -> str:
    from . import league

    return league.run(arguments)


def main() -> int:
    verbs = {verb.__name__: verb for verb in (check, study, same, report, compare, check_import, league)} | {
        "import": import_logs
    }
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(verbs[sys.argv[1]](*sys.argv[2:]), end="")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ontime") or sys.argv[1] == "league":
            raise
        return _LACKS_PACKAGES
    except ValueError as error:
        print(f"ontime: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"ontime: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

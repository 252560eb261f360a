"""At which commit, and with which policies, the pages of studies were made.

A policy is known by what it does in `lab/scenarios/policies.yaml`: a change that changes no decision makes no page old.
A directory of pages has that study's table, `policies.csv`, and `made-by.csv`, a line for each page."""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
from pathlib import Path

from .study import Study
from .texts import write

_TITLES = ("page", "commit", "policies")


def prints_in(table: Path) -> dict[str, str]:
    """Eight digits for each policy in a table of that study; numbers count to three digits, as compilers differ."""
    digests: dict[str, list[str]] = {}
    for row in csv.DictReader(io.StringIO(table.read_text())):
        measured = [f"{float(value):.3g}" for name, value in row.items() if name not in ("checkpoints", "policy") and value]
        digests.setdefault(row["policy"], []).append(" ".join([row["checkpoints"], *measured]))
    return {policy: hashlib.sha256("\n".join(rows).encode()).hexdigest()[:8] for policy, rows in digests.items()}


def policies_of(study: Study) -> list[str]:
    """By their own names, without parameters, as the study runs them."""
    runs = [run if isinstance(run, str) else run["run"] for run in study.document["policies"].values()]
    return sorted({run.partition(":")[0] for run in runs})


def _commit(place: Path) -> str:
    """With "-dirty" if anything else has changed since than pages, of which others are written meanwhile."""
    git = ["git", "-C", str(place.absolute().parent)]
    try:
        commit = subprocess.run([*git, "describe", "--always", "--exclude=*"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)reproduction"], check=False)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit.stdout.strip() + ("-dirty" if changed.returncode != 0 else "")


def lines_in(directory: Path) -> dict[str, dict[str, str]]:
    """By the page's name; policies as "none=1a2b3c4d shed+=99aabbcc"."""
    path = directory / "made-by.csv"
    return {line["page"]: line for line in csv.DictReader(io.StringIO(path.read_text()))} if path.exists() else {}


def note(study: Study, directory: Path) -> None:
    """That the study's page is made now; nothing where there is no `policies.csv`."""
    table = directory / "policies.csv"
    if not table.exists():
        return
    prints = prints_in(table)
    policies = " ".join(f"{name}={prints[name]}" for name in policies_of(study) if name in prints)
    lines = lines_in(directory)
    lines[study.path.stem] = {"page": study.path.stem, "commit": _commit(study.path), "policies": policies}
    text = io.StringIO()
    writer = csv.DictWriter(text, _TITLES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines[page] for page in sorted(lines))
    write(directory / "made-by.csv", text.getvalue())


def sentence(study: Study, directory: Path) -> str:
    """For the page; empty if nothing is noted of it."""
    line = lines_in(directory).get(study.path.stem)
    return f"Made at commit {line['commit']} by {line['policies'].replace(' ', ', ')}." if line else ""


def outdated(directory: Path) -> list[str]:
    """A sentence for each page that policies have made which do something else by now."""
    prints, wrong = prints_in(directory / "policies.csv"), []
    for page, line in lines_in(directory).items():
        before = dict(one.split("=") for one in line["policies"].split())
        changed = [name for name in before if prints.get(name) != before[name]]
        if changed:
            wrong.append(f"{page} was made by an earlier {', '.join(changed)}: make it again with scripts/reproduce")
    return wrong

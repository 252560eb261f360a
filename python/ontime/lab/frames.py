"""``ontime simulate``, ``plan`` and ``replay`` for notebooks: what they print, as pandas data frames.

Options are those of the verb, with ``_`` for ``-``: ``runs=20``, ``alone=True``. What is wrong is an exception, as for jobs.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..programs import call

if TYPE_CHECKING:
    import pandas as pd


def simulate(scenario: str | Path | Mapping[str, Any], policies: Sequence[str] = (), **options: Any) -> pd.DataFrame:
    """A row for each job, under each policy and seed. The scenario is a file, or what it would hold."""
    from .rows import read

    with tempfile.TemporaryDirectory(prefix="ontime-") as scratch:
        if isinstance(scenario, Mapping):
            path = Path(scratch, "scenario.yaml")
            path.write_text(json.dumps(scenario))  # which is YAML
        else:
            path = Path(scenario)
        _call("simulate", [str(path)], policies, options | {"output": f"{scratch}/results"})
        jobs = read(Path(scratch, "results", "jobs.csv"), ("policy", "group", "kind", "state"))
    return jobs.astype({"met": bool})


def plan(
    application: str, inputs: str | Path | Sequence[str | Path], policies: Sequence[str] = (), **options: Any
) -> pd.DataFrame:
    """A row for each policy; what holds for all is in ``attrs``."""
    paths = [inputs] if isinstance(inputs, (str, Path)) else inputs
    return _frame(_call("plan", [application, *map(str, paths)], policies, options), "policies")


def replay(policies: Sequence[str] = (), job: int | str | None = None, **options: Any) -> pd.DataFrame:
    """A row for each policy, or without any for each recorded job; ``recording="run.otr"`` or ``journal=DIR``."""
    answer = _call("replay", [] if job is None else [str(job)], policies, options)
    return _frame(answer, "policies" if policies else "jobs")


def _call(verb: str, words: Sequence[str], policies: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    arguments = [verb, *words, "--json"]
    for policy in policies:
        arguments += ["--policy", policy]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        arguments += ([flag] if value else []) if isinstance(value, bool) else [flag, str(value)]
    answer: dict[str, Any] = json.loads(call(arguments, {}))
    return answer


def _frame(answer: dict[str, Any], rows: str) -> pd.DataFrame:
    import pandas

    frame = pandas.DataFrame(answer.pop(rows))
    frame.attrs = answer
    return frame

"""What ``ontime import`` does: logs of other systems become one trace, which the simulator reads.

The readers stream, one module for each family of formats; what they find is sorted in a database on disk (``trace``), so
that memory is bounded by the largest job.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from . import alibaba, google, jhist, rumen, sls, spark, swf, wfformat
from .sources import LeftOut
from .trace import Trace
from .writing import COPIES, Written, write

# Each reads such files into a trace.
READERS: dict[str, Callable[[Iterable[Path], Trace, LeftOut], None]] = {
    "spark": spark.read,
    "jhist": jhist.read,
    "rumen": rumen.read,
    "sls": sls.read,
    "wfformat": wfformat.read,
    "alibaba2018": alibaba.read,
    "google2019": google.read,
    "swf": swf.read,
}


def run(log_format: str, name: str, copies: str, files: list[str], as_json: bool) -> str:
    if log_format not in READERS or copies not in COPIES:
        raise ValueError(f"there is no format '{log_format}', or no rule '{copies}' for copies")
    for ending in (".csv", "-attempts.csv", ".yaml"):
        if Path(name + ending).exists():
            raise ValueError(f"'{name}{ending}' is there already; choose another name, or move it away")
    left_out = LeftOut()
    with Trace(Path(name).absolute().parent) as trace:
        READERS[log_format]([Path(file) for file in files], trace, left_out)
        left_out.tell(sys.stderr)
        if trace.is_empty():
            raise ValueError(f"there is no attempt with a beginning and an end in the logs; is '{log_format}' their format?")
        written = write(trace, name, log_format, copies)
    if as_json:
        return json.dumps({**written._asdict(), "left_out": left_out.count}, indent=2) + "\n"
    print(summary(name, written), file=sys.stderr)
    return ""


def summary(name: str, written: Written) -> str:
    unfinished = f", {written.unfinished} tasks that never ended are left out" if written.unfinished else ""
    return (
        f"{name}.yaml: {written.jobs} jobs, {written.tasks} tasks, {written.attempts} attempts "
        f"({written.copies} copies, of which {written.won} won), {written.nodes} nodes, {written.slots} slots{unfinished}"
    )

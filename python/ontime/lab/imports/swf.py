"""The Standard Workload Format: jobs of a parallel computer. A job is as many tasks as it had processors, alike long, so
that it gives arrivals and sizes, and nothing of stragglers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .sources import LeftOut, files_of, lines
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_CELLS = 18
_PROCESSORS_MAX = 1_000_000
_OUTCOMES = {"0": FAILED, "5": KILLED}  # others have ended, or it is not said


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths):
        for number, line in lines(path, left_out):
            text = line.decode(errors="replace").strip()
            try:
                if text.startswith(";"):
                    _take_header(text, trace)
                else:
                    _take(text.split(), trace)
            except ValueError as error:
                left_out.add(path, number, str(error))


def _take_header(text: str, trace: Trace) -> None:
    key, _, value = text.lstrip("; ").partition(":")
    if key.strip() == "MaxProcs" and value.strip().isdigit() and int(value) > 0:
        trace.node("", int(value))


def _take(cells: list[str], trace: Trace) -> None:
    if len(cells) != _CELLS:
        raise ValueError(f"it has {len(cells)} columns, not {_CELLS}")
    submitted, wait, run = (float(cell) for cell in cells[1:4])
    processors = int(float(cells[4])) if float(cells[4]) > 0 else int(float(cells[7]))
    if run <= 0 or processors <= 0:
        return  # it never ran
    if processors > _PROCESSORS_MAX:
        raise ValueError(f"it has more than {_PROCESSORS_MAX} processors")
    start = submitted + max(0.0, wait)
    trace.job(cells[0], submitted)
    for task in range(processors):
        trace.attempt(Attempt(cells[0], str(task), start, start + run, _OUTCOMES.get(cells[10], SUCCEEDED), speculative=False))

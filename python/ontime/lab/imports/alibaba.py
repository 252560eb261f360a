"""Alibaba's cluster trace of 2018: ``batch_instance.csv`` (14 columns) and, for when tasks came, ``batch_task.csv`` (9).

A task of a job is a job here, its instances are tasks. Times are whole seconds.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from .sources import LeftOut, files_of, lines
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_OUTCOMES = {"Terminated": SUCCEEDED, "Failed": FAILED, "Interrupted": FAILED, "Cancelled": KILLED}
_TITLES = ("task_name", "instance_name")
_TASK_CELLS, _INSTANCE_CELLS = 9, 14


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths):
        for number, line in lines(path, left_out):
            cells = next(csv.reader([line.decode(errors="replace")]))
            if cells[0] in _TITLES:
                continue
            try:
                _take(cells, trace)
            except ValueError as error:
                left_out.add(path, number, str(error))


def _take(cells: list[str], trace: Trace) -> None:
    if len(cells) == _TASK_CELLS:
        task, _, job, _, status, start, end = cells[:7]
        if start not in ("", "0"):
            trace.job(f"{job}/{task}", _seconds(start), _seconds(end) if status == "Terminated" else None)
        return
    if len(cells) != _INSTANCE_CELLS:
        raise ValueError(f"it has {len(cells)} columns, not {_TASK_CELLS} (of a task) or {_INSTANCE_CELLS} (of an instance)")
    instance, task, job, _, status, start, end, machine = cells[:8]
    if status not in _OUTCOMES or start in ("", "0") or end in ("", "0"):
        return  # it had not ended when the trace did
    begun, ended = _seconds(start), _seconds(end)
    if ended < begun:
        raise ValueError("it ends before it begins")
    trace.attempt(Attempt(f"{job}/{task}", instance, begun, ended, _OUTCOMES[status], machine))


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"'{text}' is no time") from None

"""Google's ClusterData 2019: the table ``instance_events`` as CSV with titles or as JSON lines, in any order.

A collection is a job, its instances are tasks. Times are microseconds; alloc sets are left aside.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from .sources import LeftOut, files_of, json_lines, lines
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_TYPES = "SUBMIT QUEUE ENABLE SCHEDULE EVICT FAIL FINISH KILL LOST UPDATE_PENDING UPDATE_RUNNING".split()
_ENDS = {"EVICT": KILLED, "FAIL": FAILED, "FINISH": SUCCEEDED, "KILL": KILLED, "LOST": FAILED}
_AFTER = 2**63 - 1  # the time of what came after the trace; 0 of what came before


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    trace.execute("CREATE TABLE events(collection TEXT, instance INT, time INT, type TEXT, machine TEXT)")
    for path in files_of(paths):
        for number, row in _rows(path, left_out):
            try:
                if str(row.get("collection_type") or "0") in ("0", "JOB"):
                    trace.execute("INSERT INTO events VALUES(?, ?, ?, ?, ?)", _event(row))
            except (KeyError, ValueError, TypeError, IndexError) as error:
                left_out.add(path, number, f"the event lacks what it should say ({error!r})")
    submitted = "SELECT collection, min(time) FROM events WHERE type='SUBMIT' AND time>0 GROUP BY collection"
    for collection, time in list(trace.rows(submitted)):
        trace.job(collection, time / 1e6)
    ordered = trace.rows("SELECT * FROM events ORDER BY collection, instance, time, rowid")
    for (collection, instance), events in groupby(ordered, key=lambda row: (row[0], row[1])):
        for attempt in _attempts(collection, instance, events):
            trace.attempt(attempt)


def _rows(path: Path, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    first = next((line for _, line in lines(path, LeftOut())), b"")
    if first.lstrip().startswith(b"{"):
        yield from json_lines(path, left_out)
        return
    titles: list[str] = []
    for number, line in lines(path, left_out):
        cells = next(csv.reader([line.decode(errors="replace")]))
        if not titles:
            titles = cells
            if "collection_id" not in titles:
                raise ValueError(f"'{path}' has no line of titles with collection_id; export it with its header")
        else:
            yield number, dict(zip(titles, cells, strict=False))


def _event(row: dict[str, Any]) -> tuple[str, int, int, str, str]:
    kind = str(row["type"])
    name = kind if kind in _TYPES else _TYPES[int(kind)]
    return str(row["collection_id"]), int(row["instance_index"]), int(row["time"]), name, str(row.get("machine_id") or "")


def _attempts(collection: str, instance: int, events: Iterator[Any]) -> Iterator[Attempt]:
    begun: tuple[int, str] | None = None
    for _, _, time, kind, machine in events:
        if kind == "SCHEDULE":
            begun = (time, machine) if 0 < time < _AFTER else None
        elif kind in _ENDS and begun and time < _AFTER:
            start, node = begun
            yield Attempt(collection, str(instance), start / 1e6, time / 1e6, _ENDS[kind], node or machine, speculative=False)
            begun = None

"""Jobs for Hadoop's scheduler load simulator (SLS): JSON objects with lists of containers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .sources import LeftOut, files_of, json_objects
from .trace import Attempt, Trace

_COUNT_MAX = 1_000_000  # containers of one entry


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths):
        for number, job in json_objects(path, left_out):
            if "job.tasks" not in job:
                left_out.add(path, number, "the object that begins here is no job: it has no job.tasks")
                continue
            try:
                _take(job, f"{path.stem}-{number}", trace)
            except (KeyError, TypeError, ValueError) as error:
                left_out.add(path, number, f"the job that begins here lacks what it should say ({error!r})")


def _take(job: dict[str, Any], default_name: str, trace: Trace) -> None:
    name = str(job.get("job.id", default_name))
    begun = float(job.get("job.start.ms", 0)) / 1000
    came: dict[str, float] = {}
    for place, entry in enumerate(job["job.tasks"]):
        kind = str(entry.get("container.type", "task"))
        start = float(entry.get("container.start.ms", job.get("job.start.ms", 0))) / 1000
        end = start + float(entry["duration.ms"]) / 1000 if "duration.ms" in entry else float(entry["container.end.ms"]) / 1000
        count = int(entry.get("container.count", 1))
        if count > _COUNT_MAX or end < start:
            raise ValueError(f"container {place} of {name}")
        came[kind] = min(came.get(kind, start), start)
        for copy in range(count):
            trace.attempt(Attempt(f"{name}/{kind}", f"{place}-{copy}", start, end, node=str(entry.get("container.host", ""))))
    first = min(came.values(), default=begun)
    for kind, start in came.items():
        if start == first:  # others come when the first of them begins
            trace.job(f"{name}/{kind}", min(begun, start))

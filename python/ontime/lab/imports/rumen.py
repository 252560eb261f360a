"""Traces of Hadoop's Rumen: JSON objects of jobs, one after the other. Maps and reduces as in ``jhist``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .sources import LeftOut, files_of, json_objects
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_OUTCOMES = {"SUCCESS": SUCCEEDED, "FAILED": FAILED, "KILLED": KILLED}
_PARTS = {"mapTasks": "/map", "reduceTasks": "/reduce"}
_BYTES = ("mapInputBytes", "hdfsBytesRead", "reduceShuffleBytes")


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths):
        for number, job in json_objects(path, left_out):
            try:
                _take(job, trace)
            except (KeyError, TypeError, ValueError) as error:
                left_out.add(path, number, f"the job that begins here lacks what it should say ({error!r})")


def _take(job: dict[str, Any], trace: Trace) -> None:
    begun = job["launchTime"] if job.get("launchTime", -1) > 0 else job["submitTime"]
    for part, ending in _PARTS.items():
        attempts = [attempt for task in job[part] for attempt in _attempts(job["jobID"] + ending, task)]
        if attempts and part == "mapTasks":
            trace.job(job["jobID"] + ending, min(begun / 1000, *(attempt.start for attempt in attempts)))
        for attempt in attempts:
            trace.attempt(attempt)


def _attempts(job: str, task: dict[str, Any]) -> Iterable[Attempt]:
    for attempt in task["attempts"]:
        if attempt["startTime"] <= 0 or attempt["finishTime"] <= 0 or attempt["result"] not in _OUTCOMES:
            continue  # it never ran, or its end was not seen
        yield Attempt(
            job,
            task["taskID"],
            attempt["startTime"] / 1000,
            attempt["finishTime"] / 1000,
            _OUTCOMES[attempt["result"]],
            (attempt.get("hostName") or "").replace("\\", ""),
            next((attempt[key] for key in _BYTES if attempt.get(key, -1) > 0), 0),
        )

"""Job history of Hadoop MapReduce: a line of format, the schema, and an event on each line.

The maps of a job are one job, its reduces another: they come when the first of them begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .sources import LeftOut, files_of, json_lines, lines
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_OUTCOMES = {"FINISHED": SUCCEEDED, "FAILED": FAILED, "KILLED": KILLED}
_BYTES = ("HDFS_BYTES_READ", "BYTES_READ", "REDUCE_SHUFFLE_BYTES")


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths, skipped=("_",)):
        if path.name.endswith((".xml", ".crc", ".summary")):  # lie beside them
            continue
        first = next((line for _, line in lines(path, LeftOut())), b"").strip()
        if first != b"Avro-Json":
            raise ValueError(
                f"'{path}' is no job history as JSON, which begins with the line Avro-Json; "
                "mapreduce.jobhistory.jhist.format=json has Hadoop write it so"
            )
        history = _History(trace)
        for number, event in _events(path, left_out):
            try:
                history.take(event)
            except (KeyError, TypeError, ValueError, IndexError) as error:
                left_out.add(path, number, f"the event lacks what it should say ({error!r})")


def _events(path: Path, left_out: LeftOut) -> Iterable[tuple[int, dict[str, Any]]]:
    below = LeftOut()  # has the line of format, which is no JSON
    for number, value in json_lines(path, below):
        if "event" in value:
            yield number, value
    left_out.count += below.count - 1
    left_out.sentences += below.sentences[1:]


class _History:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._begun: dict[str, dict[str, Any]] = {}  # attempts that run

    def take(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        fact = next(iter(event["event"].values()))
        if kind == "JOB_INITED":
            self._trace.job(fact["jobid"] + "/map", fact["launchTime"] / 1000)
        elif kind in ("MAP_ATTEMPT_STARTED", "REDUCE_ATTEMPT_STARTED"):
            self._begun[fact["attemptId"]] = fact
        elif kind.startswith(("MAP_ATTEMPT_", "REDUCE_ATTEMPT_")):
            self._end_attempt(kind, fact)

    def _end_attempt(self, kind: str, fact: dict[str, Any]) -> None:
        begun = self._begun.pop(fact["attemptId"], None)
        if begun is None:  # it was ended before it had a container
            return
        outcome = _OUTCOMES[kind.rpartition("_")[2]]
        if outcome == FAILED and fact.get("status") == "KILLED":
            outcome = KILLED
        self._trace.attempt(
            Attempt(
                _job_of(fact["taskid"]),
                fact["taskid"].rpartition("_")[2],
                begun["startTime"] / 1000,
                fact["finishTime"] / 1000,
                outcome,
                fact.get("hostname") or begun["trackerName"],
                _bytes_of(fact),
            )
        )


def _job_of(task: str) -> str:
    """"task_1329348432655_0001_m_000000"."""
    words = task.split("_")
    return f"job_{words[1]}_{words[2]}/" + ("map" if words[3] == "m" else "reduce")


def _bytes_of(fact: dict[str, Any]) -> int:
    counters = fact.get("counters") or {}
    values = {
        counter["name"]: int(counter["value"]) for group in counters.get("groups", []) for counter in group.get("counts", [])
    }
    return next((values[name] for name in _BYTES if values.get(name)), 0)

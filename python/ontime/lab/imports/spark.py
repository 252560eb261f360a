"""Event logs of Spark: one JSON object a line, plain, compressed or in the directory of a rolled log.

An attempt of a stage is a job: its tasks are alike and run side by side. An executor is a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .sources import LeftOut, json_lines
from .trace import FAILED, KILLED, SUCCEEDED, Attempt, Trace

_PART = re.compile(r"events_(\d+)_")
_KILLS = ("TaskKilled", "TaskCommitDenied", "ExecutorLostFailure")


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in paths:
        application = _Application(path.name, trace)
        for part in _parts(path):
            for number, event in json_lines(part, left_out):
                try:
                    application.take(event)
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    left_out.add(part, number, f"the event lacks what it should say ({error!r})")


def _parts(path: Path) -> list[Path]:
    """In order; what a compacted part holds is not read again."""
    if not path.is_dir():
        return [path]
    numbered = [(int(found[1]), file) for file in path.iterdir() if (found := _PART.match(file.name))]
    if not numbered:
        raise ValueError(f"'{path}' is no directory of a rolled event log: it has no file events_1_...; name files instead")
    numbered.sort(key=lambda part: (part[0], part[1].name.endswith(".compact")))
    compacted = [place for place, (_, file) in enumerate(numbered) if file.name.endswith(".compact")]
    return [file for _, file in numbered[compacted[-1] if compacted else 0 :]]


class _Application:
    def __init__(self, name: str, trace: Trace) -> None:
        self._name = name
        self._trace = trace
        self._properties: dict[str, str] = {}
        self._early: list[dict[str, Any]] | None = []  # executors that come before the application has its name
        self._events = {
            "SparkListenerApplicationStart": self._begin,
            "SparkListenerEnvironmentUpdate": self._configure,
            "SparkListenerExecutorAdded": self._add_executor,
            "SparkListenerExecutorRemoved": self._remove_executor,
            "SparkListenerStageSubmitted": self._stage,
            "SparkListenerStageCompleted": self._stage,
            "SparkListenerTaskEnd": self._end_task,
        }

    def take(self, event: dict[str, Any]) -> None:
        known = self._events.get(event["Event"])
        if known == self._add_executor and self._early is not None:
            self._early.append(event)
        elif known is not None:
            known(event)

    def _begin(self, event: dict[str, Any]) -> None:
        self._name = event.get("App ID") or self._name
        if event.get("App Attempt ID"):
            self._name += "." + event["App Attempt ID"]
        early, self._early = self._early or [], None
        for executor in early:
            self._add_executor(executor)

    def _configure(self, event: dict[str, Any]) -> None:
        properties = event["Spark Properties"]
        self._properties = dict(properties)  # of a mapping, or of a list of pairs

    def _number(self, key: str, default: float) -> float:
        return float(self._properties.get(key, default))

    def _add_executor(self, event: dict[str, Any]) -> None:
        cores = int(event["Executor Info"]["Total Cores"])
        slots = int(cores / self._number("spark.task.cpus", 1))
        of_task = self._number("spark.task.resource.gpu.amount", 0)
        if of_task > 0:
            slots = min(slots, int(self._number("spark.executor.resource.gpu.amount", 1) / of_task + 1e-9))
        name = self._node(event["Executor Info"]["Host"], event["Executor ID"])
        self._trace.node(name, max(1, slots), event["Timestamp"] / 1000)

    def _remove_executor(self, event: dict[str, Any]) -> None:
        for (name,) in list(self._trace.rows("SELECT node FROM nodes WHERE until IS NULL")):
            if name.startswith(self._name + "/") and name.endswith("/" + event["Executor ID"]):
                self._trace.node_left(name, event["Timestamp"] / 1000)

    def _node(self, host: str, executor: str) -> str:
        return f"{self._name}/{host}/{executor}"

    def _job(self, stage: int, attempt: int) -> str:
        return f"{self._name}/{stage}" + (f".{attempt}" if attempt else "")

    def _stage(self, event: dict[str, Any]) -> None:
        info = event["Stage Info"]
        submitted, ended = info.get("Submission Time"), info.get("Completion Time")
        if submitted is None:  # it was skipped
            return
        name = self._job(info["Stage ID"], info.get("Stage Attempt ID", 0))
        self._trace.job(name, submitted / 1000, ended / 1000 if ended else None)

    def _end_task(self, event: dict[str, Any]) -> None:
        reason = event["Task End Reason"]["Reason"]
        if reason == "Resubmitted":  # it had ended before, and runs again
            return
        info = event["Task Info"]
        metrics = event.get("Task Metrics") or {}
        shuffled = metrics.get("Shuffle Read Metrics") or {}
        read_bytes = (metrics.get("Input Metrics") or {}).get("Bytes Read", 0)
        read_bytes += shuffled.get("Remote Bytes Read", 0) + shuffled.get("Local Bytes Read", 0)
        self._trace.attempt(
            Attempt(
                self._job(event["Stage ID"], event.get("Stage Attempt ID", 0)),
                str(info["Index"]),
                info["Launch Time"] / 1000,
                info["Finish Time"] / 1000,
                SUCCEEDED if reason == "Success" else KILLED if reason in _KILLS else FAILED,
                self._node(info["Host"], info["Executor ID"]),
                read_bytes,
                bool(info.get("Speculative", False)),
            )
        )

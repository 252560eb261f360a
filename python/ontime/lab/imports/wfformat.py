"""Workflows in WfFormat (WfCommons), of the schemas 1.5 and later and of those before.

Tasks of one program that are as deep in the graph are a job. A log of a workflow mostly says how long tasks took and not
when: then each begins when the last of its parents has ended.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from .sources import LeftOut, files_of, json_objects
from .trace import Attempt, Trace


class _Task(NamedTuple):
    program: str
    seconds: float
    node: str
    bytes: int
    parents: list[str]
    begun: float | None


def read(paths: Iterable[Path], trace: Trace, left_out: LeftOut) -> None:
    for path in files_of(paths):
        for number, document in json_objects(path, left_out):
            try:
                _take(document, path.stem, trace)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                left_out.add(path, number, f"the workflow that begins here lacks what it should say ({error!r})")


def _take(document: dict[str, Any], name: str, trace: Trace) -> None:
    workflow = document["workflow"]
    tasks = _tasks(workflow)
    levels: dict[str, int] = {}
    begins: dict[str, float] = {}
    for key in _in_order(tasks):
        parents = [parent for parent in tasks[key].parents if parent in tasks]
        levels[key] = 1 + max((levels[parent] for parent in parents), default=-1)
        begins[key] = max((begins[parent] + tasks[parent].seconds for parent in parents), default=0.0)
    recorded = [task.begun for task in tasks.values() if task.begun is not None]
    if recorded and len(recorded) == len(tasks):
        begins = {key: (task.begun or 0) - min(recorded) for key, task in tasks.items()}
    for key, task in tasks.items():
        if task.seconds <= 0:
            continue
        job = f"{name}/{levels[key]}-{task.program}"
        trace.attempt(Attempt(job, key, begins[key], begins[key] + task.seconds, node=task.node, bytes=task.bytes))
    for machine in (workflow.get("execution") or workflow).get("machines", []):
        cores = int((machine.get("cpu") or {}).get("coreCount") or (machine.get("cpu") or {}).get("count") or 0)
        if cores > 0 and machine.get("nodeName"):
            trace.node(machine["nodeName"], cores)


def _tasks(workflow: dict[str, Any]) -> dict[str, _Task]:
    if "specification" not in workflow:
        return {task.get("id") or task["name"]: _task(task, task, {}) for task in workflow.get("tasks") or workflow["jobs"]}
    sizes = {file["id"]: int(file.get("sizeInBytes", 0)) for file in workflow["specification"].get("files", [])}
    ran = {task["id"]: task for task in workflow["execution"]["tasks"]}
    return {task["id"]: _task(task, ran[task["id"]], sizes) for task in workflow["specification"]["tasks"] if task["id"] in ran}


def _task(said: dict[str, Any], ran: dict[str, Any], sizes: dict[str, int]) -> _Task:
    machines = ran.get("machines") or [ran.get("machine") or ""]
    command = ran.get("command") or {}
    read_bytes = sum(sizes.get(file, 0) for file in said.get("inputFiles", []))
    for file in said.get("files", []):
        if file.get("link") == "input":
            read_bytes += int(file.get("sizeInBytes") or file.get("size") or 0)
    program = str(said.get("category") or command.get("program") or said["name"]).rpartition("/")[2]
    begun = ran.get("executedAt")
    seconds = ran.get("runtimeInSeconds", ran.get("runtime", 0))
    when = datetime.datetime.fromisoformat(begun).timestamp() if isinstance(begun, str) else None
    return _Task(program, float(seconds), str(machines[0]), read_bytes, list(said.get("parents", [])), when)


def _in_order(tasks: dict[str, _Task]) -> list[str]:
    """Parents first."""
    order: list[str] = []
    state: dict[str, int] = {}
    for root in tasks:
        stack = [(root, False)]
        while stack:
            task, is_done = stack.pop()
            if is_done:
                order.append(task)
                state[task] = 2
            elif task in tasks and state.get(task) is None:
                state[task] = 1
                stack += [(task, True), *((parent, False) for parent in tasks[task].parents)]
            elif state.get(task) == 1:
                raise ValueError(f"task {task} comes after itself")
    return order

"""The trace as files: jobs and their tasks, attempts, and a scenario that simulates the whole of it."""

from __future__ import annotations

import csv
import heapq
import json
import math
import random
import statistics
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from .trace import FAILED, SUCCEEDED, Trace

COPIES = ("host-aware", "resampled", "pareto", "lognormal")
_OF_TASKS = ("durations_s", "first_durations_s", "slownesses")
_LEAST = 0.001  # seconds that an attempt takes: many logs count in milliseconds
_KNOWN = 5  # tasks from which a job's median is a measure, and attempts that a node's slowness is held against
_OVERLAP = 0.01  # seconds for which two attempts may seem to have one slot
_GAPS_KEPT = 10_000
_ROWS = (
    "SELECT a.job, task, start, end, outcome, node, bytes, speculative, submitted, ended, deadline, is_seen, free "
    "FROM jobs JOIN attempts a USING(job) LEFT JOIN slots ON slots.attempt=a.rowid ORDER BY submitted, a.job, start, a.rowid"
)
# The nearest to what speculates in them.
_POLICIES = {"spark": "hadoop", "jhist": "hadoop", "rumen": "hadoop"}


class Row(NamedTuple):
    job: str
    task: str
    start: float
    end: float
    outcome: str
    node: str
    bytes: int
    speculative: int | None
    submitted: float
    ended: float | None
    deadline: float | None
    is_seen: int  # or `submitted` is when its first attempt began
    free: float | None


class Task(NamedTuple):
    seconds: float  # of its first attempt, with the retries after failures; 0: a copy was there before its end
    least: float  # so long it took at least
    first: Row
    ended: float


class Node(NamedTuple):
    slots: int
    since: float | None
    until: float | None
    slowness: float


class Written(NamedTuple):
    jobs: int
    tasks: int
    attempts: int
    copies: int
    won: int
    unfinished: int
    nodes: int
    slots: int


def write(trace: Trace, name: str, log_format: str, copies: str) -> Written:
    trace.complete()
    nodes = _nodes(trace, _slownesses(trace) if copies == "host-aware" else {})
    launch = _launch(trace, nodes)
    zero = next(trace.rows(f"SELECT min(submitted - (1 - is_seen) * {launch}) FROM jobs JOIN attempts USING(job)"))[0]
    written, commit = _write_rows(trace, name, zero, launch, nodes)
    if written.jobs == 0:
        raise ValueError("no task in the logs has come to its end")
    slots = sum(node.slots for node in nodes.values())
    written = written._replace(nodes=slots if "" in nodes else len(nodes), slots=slots)
    policy = _POLICIES.get(log_format, "none") if written.copies else "none"
    scenario = _scenario(name, log_format, copies, policy, nodes, zero, (launch, commit))
    Path(name + ".yaml").write_text(scenario, encoding="utf-8")
    return written


def _jobs(trace: Trace) -> Iterator[list[Row]]:
    for _, rows in groupby(map(Row._make, trace.rows(_ROWS)), key=attrgetter("job")):
        yield list(rows)


def _by_task(rows: list[Row]) -> Iterator[list[Row]]:
    """In the order in which their first attempts began."""
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row)
    yield from tasks.values()


def _winner(attempts: list[Row]) -> Row | None:
    return min((row for row in attempts if row.outcome == SUCCEEDED), key=attrgetter("end"), default=None)


def _are_copies(attempts: list[Row]) -> list[bool]:
    """As the log says it, or by whether an earlier attempt still ran."""
    latest = -math.inf
    copies = []
    for row in attempts:
        copies.append(bool(row.speculative) if row.speculative is not None else row.start < latest)
        latest = max(latest, row.end)
    return copies


def _task(attempts: list[Row]) -> Task | None:
    winner = _winner(attempts)
    if winner is None:
        return None
    seconds = 0.0
    for row, is_copy in zip(attempts, _are_copies(attempts), strict=True):
        if is_copy:
            continue
        seconds += max(_LEAST, row.end - row.start)
        if row.outcome == SUCCEEDED:
            return Task(seconds, seconds, attempts[0], winner.end)
        if row.outcome != FAILED and winner.start < row.end:
            break
    return Task(0, max(seconds, _LEAST), attempts[0], winner.end)


def _durations(tasks: list[Task]) -> list[float]:
    """A first attempt that was beaten by its copy takes the median of those that took longer than it had."""
    known = [task.seconds for task in tasks if task.seconds > 0]
    durations = []
    for task in tasks:
        longer = [] if task.seconds > 0 else [seconds for seconds in known if seconds > task.least]
        durations.append(task.seconds or (statistics.median(longer) if longer else task.least))
    return durations


def _slownesses(trace: Trace) -> dict[str, float]:
    """Of nodes: the geometric mean of what tasks took there against the median of their jobs, divided by the mean of all
    nodes. A node with few attempts is as likely a usual one: _KNOWN attempts more count as usual."""
    sums: dict[str, tuple[float, int]] = {}
    for rows in _jobs(trace):
        ended = [row for row in rows if row.outcome == SUCCEEDED]
        if len(ended) < _KNOWN:
            continue
        median = statistics.median(max(_LEAST, row.end - row.start) for row in ended)
        for row in ended:
            total, count = sums.get(row.node, (0.0, 0))
            sums[row.node] = total + math.log(max(_LEAST, row.end - row.start) / median), count + 1
    usual = sum(total for total, _ in sums.values()) / max(1, sum(count for _, count in sums.values()))
    means = {node: (total - usual * count) / (count + _KNOWN) for node, (total, count) in sums.items() if node}
    return {node: round(math.exp(mean), 3) for node, mean in means.items()}


def _nodes(trace: Trace, slownesses: dict[str, float]) -> dict[str, Node]:
    """With as many slots as attempts ran there side by side, unless the log says it."""
    said = {name: (slots, since, until) for name, slots, since, until in trace.rows("SELECT * FROM nodes")}
    nodes = {}
    for name, rows in groupby(trace.rows("SELECT node, start, end FROM attempts ORDER BY node, start"), key=lambda row: row[0]):
        running: list[float] = []
        most = 1
        for _, start, end in rows:
            while running and running[0] <= start + _OVERLAP:
                heapq.heappop(running)
            heapq.heappush(running, end)
            most = max(most, len(running))
        slots, since, until = said.pop(name, (most, None, None))
        is_wrong = most >= 2 * slots  # not by tasks whose ends are noted late
        nodes[name] = Node(most if is_wrong else slots, since, until, slownesses.get(name, 1.0))
    for name, (slots, since, until) in said.items():
        nodes[name] = Node(slots, since, until, 1.0)
    return nodes


def _launch(trace: Trace, nodes: dict[str, Node]) -> float:
    """The median time from when there was a free slot and the job to the beginning of an attempt. It notes the slots."""
    gaps: list[float] = []
    seen = 0
    draw = random.Random(1)
    query = "SELECT node, start, end, submitted, is_seen, a.rowid FROM attempts a JOIN jobs USING(job) ORDER BY node, start"
    for name, rows in groupby(trace.rows(query), key=lambda row: row[0]):
        free = [nodes[name].since or -math.inf] * nodes[name].slots
        for _, start, end, submitted, is_seen, attempt in rows:
            since = heapq.heappop(free)
            trace.execute("INSERT INTO slots VALUES(?, ?)", (attempt, since))
            heapq.heappush(free, end)
            if not is_seen:
                continue
            gap = max(0.0, start - max(since, submitted))
            seen += 1
            if len(gaps) < _GAPS_KEPT:
                gaps.append(gap)
            elif (place := draw.randrange(seen)) < _GAPS_KEPT:
                gaps[place] = gap
    return round(statistics.median(gaps), 3) if gaps else 0.0


def _write_rows(trace: Trace, name: str, zero: float, launch: float, nodes: dict[str, Node]) -> tuple[Written, float]:
    """And the median time from the end of a job's last task to its own, of the first jobs."""
    commits: list[float] = []
    jobs = tasks_written = attempts_written = copies = won = unfinished = 0
    with (
        open(name + ".csv", "w", newline="", encoding="utf-8") as job_file,
        open(name + "-attempts.csv", "w", newline="", encoding="utf-8") as attempt_file,
    ):
        job_rows = csv.writer(job_file, lineterminator="\n")
        job_rows.writerow(["stage", "submit_s", "tasks", "deadline_s", "ended_s", *_OF_TASKS])
        attempt_rows = csv.writer(attempt_file, lineterminator="\n")
        attempt_rows.writerow("job task attempt start_s duration_s node bytes speculative outcome won".split())
        for rows in _jobs(trace):
            tasks = []
            for number, attempts in enumerate(_by_task(rows)):
                task = _task(attempts)
                winner = _winner(attempts)
                unfinished += task is None
                tasks += [task] if task else []
                for place, (row, is_copy) in enumerate(zip(attempts, _are_copies(attempts), strict=True)):
                    copies += is_copy
                    won += is_copy and row is winner
                    attempts_written += 1
                    attempt_rows.writerow(
                        [row.job, number, place, _number(row.start - zero), _number(row.end - row.start), row.node, row.bytes]
                        + ["yes" if is_copy else "no", row.outcome, "yes" if row is winner else "no"]
                    )
            if tasks:
                jobs += 1
                tasks_written += len(tasks)
                if rows[0].ended is not None and len(commits) < _GAPS_KEPT:
                    commits.append(max(0.0, rows[0].ended - max(task.ended for task in tasks)))
                job_rows.writerow(_job_cells(rows[0], tasks, zero, launch, nodes))
    written = Written(jobs, tasks_written, attempts_written, copies, won, unfinished, 0, 0)
    return written, statistics.median(commits) if commits else 0.0


def _job_cells(job: Row, tasks: list[Task], zero: float, launch: float, nodes: dict[str, Node]) -> list[str | int]:
    slownesses = [nodes[task.first.node].slowness for task in tasks]
    submitted = job.submitted if job.is_seen else job.submitted - launch
    durations = _durations(tasks)
    firsts = [
        max(_LEAST, duration + task.first.start - max(_free(task.first), submitted) - launch)
        for duration, task in zip(durations, tasks, strict=True)
    ]
    ended = job.ended if job.ended is not None else max(task.ended for task in tasks)
    return [
        job.job,
        _number(submitted - zero),
        len(tasks),
        _number(job.deadline) if job.deadline else "",
        _number(ended - zero),
        " ".join(map(_number, durations)),
        " ".join(map(_number, firsts)),
        " ".join(map(_number, slownesses)) if any(slowness != 1 for slowness in slownesses) else "",
    ]


def _free(row: Row) -> float:
    return -math.inf if row.free is None else row.free


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _scenario(
    name: str, log_format: str, copies: str, policy: str, nodes: dict[str, Node], zero: float, times: tuple[float, float]
) -> str:
    lines = [f"# Made by 'ontime import {log_format}'. The first attempts are as recorded; other attempts: {copies}.", "nodes:"]
    outages = []
    alike: dict[tuple[int, float], int] = {}
    place = 0
    for key, node in nodes.items():
        late = node.since is not None and node.since > zero
        if key and (late or node.until is not None):
            lines.append(f"  - {{count: 1, slots: {node.slots}, slowness: {node.slowness:g}}}")
            if late:
                outages.append(f"  - {{node: {place}, at: 0, lasts: {_number((node.since or 0) - zero)}}}")
            if node.until is not None:
                outages.append(f"  - {{node: {place}, at: {_number(max(0.0, node.until - zero))}}}")
            place += 1
        else:
            kind = (node.slots, node.slowness) if key else (1, 1.0)
            alike[kind] = alike.get(kind, 0) + (1 if key else node.slots)
    lines += [f"  - {{count: {count}, slots: {slots}, slowness: {slow:g}}}" for (slots, slow), count in alike.items()]
    lines += ["outages:", *outages] if outages else []
    lines += [f"launch: {_number(times[0])}", f"commit: {_number(times[1])}", "network_delay: 0", "jobs:"]
    file = json.dumps(Path(name).name + ".csv")
    as_word = f", as: {copies}" if copies != "resampled" else ""
    lines += [f"  - stages: {{file: {file}, whole: yes{as_word}}}", f"policies: [{policy}]"]
    return "\n".join(lines) + "\n"

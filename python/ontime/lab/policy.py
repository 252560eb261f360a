"""A policy of one's own in Python: what it sees, and what it may ask for. docs/research/policy.md says more.

``--policy ./mine.py`` makes an object of the class in that file that derives from ``Policy``, with the parameters of the
flag as keyword arguments, and asks it for a plan whenever a job comes and when its last plan said.
"""

from __future__ import annotations

import math
import sys
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

_WORD = 8  # bytes of a number


class Table:
    """Rows of one kind. ``table.name`` is a column: a memoryview of numbers, which numpy takes without copying, or a list of
    texts. ``table[i]`` is a row, and so is what a loop gives: a tuple with names, whose first is ``row``, its number. To look
    for few among many rows, go through a column: that is ten times as fast."""

    def __init__(self, kind: Kind, words: memoryview, size: int):
        self._kind = kind
        self._words = words
        self._size = size
        self._texts = words[:0]  # of all tables

    def __len__(self) -> int:
        return self._size

    def __getattr__(self, name: str) -> Any:
        """A column that is asked for the first time; it is found without this from then on."""
        columns = self._kind.columns
        if name not in columns:
            raise AttributeError(f"{self._kind.name} has no column '{name}'; it has {', '.join(columns)}")
        place, code = columns[name]
        length = self._size * _WORD
        words = self._words[place * length : (place + 1) * length]
        column = words.cast(code) if code != "s" else [self._text(word) for word in words.cast("q")]
        setattr(self, name, column)
        return column

    def _text(self, place: int) -> str:
        begin, size = place >> 32, place & 0xFFFFFFFF
        return str(self._texts[begin : begin + size], "utf-8", "replace")

    def __getitem__(self, row: int) -> Any:
        if not 0 <= row < self._size:
            raise IndexError(f"{self._kind.name} has no row {row}; it has {self._size}")
        return self._kind.row(row, *(getattr(self, name)[row] for name in self._kind.columns))

    def __iter__(self) -> Iterator[Any]:
        return self.rows(0, self._size)

    def rows(self, first: int, count: int) -> Iterator[Any]:
        end = first + count
        columns = [_listed(getattr(self, name)[first:end]) for name in self._kind.columns]
        # Without a call of Python's own for each.
        return map(partial(tuple.__new__, self._kind.row), zip(range(first, end), *columns))

    def __str__(self) -> str:
        return "\n".join(f"{self._kind.name}.{name}: {what}" for name, what in self._kind.holds.items())


class Kind:
    """A table's name and columns, as the program describes them before the first look."""

    def __init__(self, description: Mapping[str, Any]):
        self.name: str = description["name"]
        self.columns = {name: (place, code) for place, (name, code, _) in enumerate(description["columns"])}
        self.holds = {name: what for name, _, what in description["columns"]}
        row = namedtuple(f"{self.name}_row", ["row", *self.columns])  # type: ignore[misc]  # named as the program says
        self.row: Any = row

    def read(self, words: memoryview) -> tuple[Table, memoryview]:
        """The table, and what comes behind it."""
        size = int.from_bytes(words[:_WORD], sys.byteorder)
        end = _WORD * (1 + size * len(self.columns))
        return Table(self, words[_WORD:end], size), words[end:]


class View:
    """What a policy sees at one instant: ``now``, ``slots``, ``free_slots``, ``spare_slots``, ``waiting``, and the tables
    ``jobs``, ``tasks`` (those that are not done), ``segments``, ``attempts``, ``done`` (tasks that were done since the
    last look), ``nodes`` and ``ended`` (jobs that have ended since then). ``print(view)`` says what their columns hold."""

    jobs: Table
    tasks: Table
    segments: Table
    attempts: Table
    done: Table
    nodes: Table
    ended: Table

    def __init__(self, kinds: Iterable[Kind], message: bytes | bytearray):
        rest = memoryview(message)
        self._tables = []
        for kind in kinds:
            table, rest = kind.read(rest)
            self._tables.append(table)
            setattr(self, kind.name, table)
        for table in self._tables:
            table._texts = rest
        self.__dict__ |= self.view[0]._asdict()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a view has no '{name}'")

    def tasks_of(self, job: Any) -> Iterator[Any]:
        """Rows of the job's tasks that are not done."""
        return self.tasks.rows(job.first_task, job.open_tasks)

    def segments_of(self, task: Any) -> Iterator[Any]:
        return self.segments.rows(task.first_segment, task.segments)

    def attempts_of(self, task: Any) -> Iterator[Any]:
        return self.attempts.rows(task.first_attempt, task.attempts)

    def after(self, seconds: float) -> int:
        """The instant that lies so many seconds ahead, for ``Plan.next_check``."""
        return int(self.now + round(seconds * 1e9))

    def __str__(self) -> str:
        return "\n".join(str(table) for table in self._tables)


class Plan:
    """What a policy asks for, carried out in this order. Jobs, tasks, segments and attempts are rows of the view, or
    their numbers; ``reason`` is a code such as "late". ``expected``: for people, any of ``completion`` (seconds after
    submission without it), ``pocd_before``, ``pocd_after``, ``rate`` and ``usual_rate`` (bytes a second); those that are
    no finite number, as of what stands still, are left out."""

    def __init__(self, next_check: int | None = None):
        self.next_check = next_check  #: when to ask again, as ``view.now``; None: when the next job comes
        self.decisions: list[dict[str, Any]] = []
        self.shares: list[tuple[int, int]] = []

    def race(self, segment: Any, copies: int = 1, *, reason: str = "late", **expected: float) -> None:
        """Fresh attempts for an open segment, from its begin."""
        self._add("race", segment=_row(segment), copies=int(copies), reason=reason, **_known(expected))

    def share_tail(
        self,
        segment: Any,
        begin: int,
        copies: int = 1,
        *,
        handover: str = "predicted",
        reason: str = "late",
        **expected: float,
    ) -> None:
        """Fresh attempts from byte ``begin`` on; the one that is ahead races for it too. ``handover="ready"``: it is cut
        off when they are ready, at ``begin`` or later."""
        more = {"handover": handover, "reason": reason, **_known(expected)}
        self._add("share_tail", segment=_row(segment), begin=int(begin), copies=int(copies), **more)

    def give_tail(
        self,
        segment: Any,
        pieces: Sequence[tuple[int, int]],
        *,
        handover: str = "predicted",
        reason: str = "late",
        **expected: float,
    ) -> None:
        """The attempt that is ahead stops where the first piece begins; each piece, a byte where it begins and a number
        of copies, is for fresh attempts."""
        parts = [(int(begin), int(copies)) for begin, copies in pieces]
        self._add("give_tail", segment=_row(segment), pieces=parts, handover=handover, reason=reason, **_known(expected))

    def divide(self, segment: Any, borders: Iterable[int], *, reason: str = "divide-at-start") -> None:
        """A segment that nobody works on."""
        self._add("divide", segment=_row(segment), borders=[int(border) for border in borders], reason=reason)

    def clone(self, job: Any, copies: int, *, reason: str = "clone") -> None:
        """Tasks that are launched from now on start with so many copies."""
        self._add("clone", job=_row(job), copies=int(copies), reason=reason)

    def end(self, attempt: Any, *, reason: str = "slower-copy") -> None:
        self._add("end", attempt=_row(attempt), reason=reason)

    def decline(self, task: Any, reason: str) -> None:
        """Nothing is done for the task; this is why."""
        self._add("decline", task=_row(task), reason=reason)

    def note(self, job: Any, text: str, number: int | None = None) -> None:
        """For people, stored with the job."""
        self._add("note", job=_row(job), text=text, **({} if number is None else {"number": int(number)}))

    def share(self, job: Any, slots: int) -> None:
        """Slots that the job may hold before another gets more than its own; for a policy that ``has_shares``."""
        self.shares.append((_row(job), int(slots)))

    def _add(self, do: str, **fields: Any) -> None:
        self.decisions.append({"do": do, **fields})


class Policy:
    """Derive from it, and give its file to ``--policy``. Keyword arguments of the constructor are the parameters; what
    they are read as follows from their annotations: ``int``, ``bool``, ``str``, and ``float``, which takes times
    ("500ms") as seconds."""

    order = "fifo"  #: in which jobs get slots: "fifo", "deadline" or "workload"
    has_shares = False  #: whether ``Plan.share`` counts
    plans_at_submission = True  #: False: it is asked at its ``next_check`` only, once it has seen a job

    def plan(self, view: View) -> Plan:
        raise NotImplementedError


class PeriodicCheck:
    """For policies that look every so often: at once, and then whenever ``period`` seconds have passed."""

    def __init__(self, period: float):
        self._period = period
        self._next: int | None = None

    def is_due(self, view: View, plan: Plan) -> bool:
        """True if a look is due, which then counts as taken. Either way the plan is asked for again at the next one."""
        is_due = self._next is None or view.now >= self._next
        if is_due:
            self._next = view.after(self._period)
        plan.next_check = self._next
        return is_due


def _listed(column: memoryview | list[str]) -> list[Any]:
    return column.tolist() if isinstance(column, memoryview) else column


def _known(expected: Mapping[str, float]) -> dict[str, float]:
    """JSON has no other numbers."""
    return {name: float(number) for name, number in expected.items() if math.isfinite(number)}


def _row(thing: Any) -> int:
    return int(getattr(thing, "row", thing))

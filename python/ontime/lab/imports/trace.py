"""The trace while it is made: jobs, attempts and nodes in a database on disk, in which nothing has an order yet."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

_BATCH = 2000  # rows that are put in at once
_CACHE_KIB = 64 << 10

SUCCEEDED, KILLED, FAILED = "succeeded", "killed", "failed"


class Attempt(NamedTuple):
    job: str
    task: str
    start: float  # seconds, since whatever the log counts from
    end: float
    outcome: str = SUCCEEDED
    node: str = ""  # empty: the log does not say
    bytes: int = 0  # read; 0: the log does not say
    speculative: bool | None = None  # None: whether it ran beside an earlier one of its task


class Trace:
    """REQUIRES: times of one trace count from the same instant."""

    def __init__(self, folder: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=".ontime-import-", dir=folder)
        self._base = sqlite3.connect(Path(self._folder.name) / "trace.db", isolation_level=None)
        for setting in ("journal_mode=OFF", "synchronous=OFF", f"cache_size=-{_CACHE_KIB}", "temp_store=FILE"):
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute(f"PRAGMA temp_store_directory='{str(self._folder.name).replace(chr(39), chr(39) * 2)}'")
        self._base.execute("CREATE TABLE jobs(job TEXT PRIMARY KEY, submitted REAL, ended REAL, deadline REAL, is_seen INT)")
        self._base.execute(
            "CREATE TABLE attempts(job TEXT, task TEXT, start REAL, end REAL, outcome TEXT, node TEXT, bytes INT, "
            "speculative INT)"
        )
        self._base.execute("CREATE TABLE nodes(node TEXT PRIMARY KEY, slots INT, since REAL, until REAL)")
        self._base.execute("CREATE TABLE slots(attempt INTEGER PRIMARY KEY, free REAL)")  # since when its slot was so
        self._base.execute("BEGIN")
        self._waiting: list[Attempt] = []

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self._base.close()
        self._folder.cleanup()

    def job(self, name: str, submitted: float, ended: float | None = None, deadline: float | None = None) -> None:
        """`ended` with its last task, unless it is said; `deadline` after its submission. What is said again counts."""
        self._base.execute(
            "INSERT INTO jobs VALUES(?, ?, ?, ?, 1) ON CONFLICT(job) DO UPDATE SET submitted=excluded.submitted, "
            "ended=coalesce(excluded.ended, ended), deadline=coalesce(excluded.deadline, deadline)",
            (name, submitted, ended, deadline),
        )

    def attempt(self, attempt: Attempt) -> None:
        self._waiting.append(attempt)
        if len(self._waiting) >= _BATCH:
            self._put()

    def node(self, name: str, slots: int, since: float | None = None) -> None:
        """What is not said of a node is seen by its attempts."""
        self._base.execute("INSERT OR REPLACE INTO nodes VALUES(?, ?, ?, NULL)", (name, slots, since))

    def node_left(self, name: str, at: float) -> None:
        self._base.execute("UPDATE nodes SET until=? WHERE node=?", (at, name))

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> None:
        """For tables of a reader's own."""
        self._base.execute(statement, values)

    def rows(self, query: str) -> Iterator[Any]:
        self._put()
        return iter(self._base.execute(query))

    def is_empty(self) -> bool:
        return next(self.rows("SELECT 1 FROM attempts LIMIT 1"), None) is None

    def complete(self) -> None:
        """Jobs of which only attempts are known come with the first of them."""
        self._put()
        self._base.execute("INSERT OR IGNORE INTO jobs SELECT job, min(start), NULL, NULL, 0 FROM attempts GROUP BY job")

    def _put(self) -> None:
        self._base.executemany("INSERT INTO attempts VALUES(?, ?, ?, ?, ?, ?, ?, ?)", self._waiting)
        self._waiting = []

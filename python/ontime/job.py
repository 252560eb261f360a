"""A job that was submitted."""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import ClusterError, CombineError, DeadlineMissed, JobFailed, JobKilled, MapperError
from .progress import Status, progress_for
from .results import Merge, Results

if TYPE_CHECKING:
    from .client import Client

_AWAY_MOST = 60.0  # seconds that a master may be away; a restart is shorter
_POLL_FIRST, _POLL_MOST = 0.02, 0.5
_FAILED = re.compile(r"(.*)ontime: (mapper|combine) failed: (.*)", re.DOTALL)  # what the attempt said last


class Job(Results):
    """A job. It runs on whatever its handle does; iterating and ``to_*`` wait for it first.

    Interrupting a wait leaves the job alone; ``kill`` ends it.
    """

    def __init__(
        self, client: Client, id: str, output: str, decode: str = "text", merge: str | Merge | None = None, shipped: str = ""
    ) -> None:
        super().__init__(output, decode, merge)
        self.id = id
        self.shipped = shipped
        """How the mapper was sent to the workers."""
        self._client = client
        self._ended: Status | None = None

    def __repr__(self) -> str:
        return f"<ontime.Job {self.id} {self._ended['state'] if self._ended else 'submitted'}, output {self.output}>"

    def status(self) -> Status:
        """What ``ontime job --json`` says: state, tasks, bytes, forecast, counters and more."""
        if self._ended is not None:
            return self._ended
        status: Status = json.loads(self._client._call("job", self.id, "--open", "--json"))
        if status["ended_unix_ns"] is not None:
            self._ended = status
        return status

    @property
    def state(self) -> str:
        """queued, running, committing, succeeded, failed or killed."""
        return str(self.status()["state"])

    def done(self) -> bool:
        return self.status()["ended_unix_ns"] is not None

    @property
    def late(self) -> bool:
        """Whether the job has missed its deadline."""
        status = self.status()
        if status["deadline_seconds"] is None:
            return False
        if status["ended_unix_ns"] is None:
            return bool(status["elapsed_seconds"] > status["deadline_seconds"])
        return status["deadline_met"] is False

    @property
    def counters(self) -> dict[str, Any]:
        """What the mapper has counted so far, by group and name."""
        return dict(self.status()["counters"])

    def kill(self) -> None:
        """Ends the job and drops its output."""
        self._client._call("kill", self.id)

    def logs(self) -> dict[tuple[int, int], str]:
        """What each attempt, by task and number, has printed: the last 64 KiB."""
        texts: dict[tuple[int, int], str] = {}
        for line in self._client._call("logs", self.id, "--json").splitlines():
            part = json.loads(line)
            if "text" in part:
                attempt = (part["task"], part["attempt"])
                texts[attempt] = texts.get(attempt, "") + part["text"]
        return texts

    def wait(
        self, timeout: float | None = None, progress: bool | Callable[[Status], None] | None = None
    ) -> Job:
        """Waits until the job has ended, and shows its progress.

        Raises MapperError, JobFailed or JobKilled if it has no answer, and warns (DeadlineMissed) if it was late.
        ``progress`` may be False, True, or a function that gets each status.
        """
        if self._ended is None:
            self._follow(None if timeout is None else time.monotonic() + timeout, progress)
        status = self.status()
        if status["state"] == "failed":
            raise self._failure(status["message"])
        if status["state"] != "succeeded":
            raise JobKilled(self.id, status["message"])
        if self.late:
            message = "{} took {:.1f} s, its deadline was {:g} s".format(
                self.id, status["elapsed_seconds"], status["deadline_seconds"]
            )
            warnings.warn(message, DeadlineMissed, stacklevel=2)
        return self

    def _ready(self) -> None:
        self.wait()

    def _environment(self) -> dict[str, str]:
        return self._client._environment

    def _follow(self, until: float | None, progress: bool | Callable[[Status], None] | None) -> None:
        view = progress_for(progress)
        pause, heard = _POLL_FIRST, time.monotonic()
        try:
            while True:
                self._client._check()
                try:
                    view.update(self.status())
                    heard = time.monotonic()
                except ClusterError:
                    if time.monotonic() - heard > _AWAY_MOST:
                        raise
                if self._ended is not None:
                    return
                left = pause if until is None else until - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"{self.id} goes on after the time-out")
                time.sleep(min(pause, left))
                pause = min(pause * 1.5, _POLL_MOST)
        finally:
            view.close()

    def _failure(self, message: str) -> JobFailed:
        """The exception of the mapper, if it was that."""
        failed = re.search(r"/t(\d+) failed", message)
        logs = [text for (task, _), text in sorted(self.logs().items()) if failed and task == int(failed[1])]
        for text in [*reversed(logs), message]:  # a master that was started again has only the message
            if not (found := _FAILED.match(text)):
                continue
            before, what, after = found.groups()
            traceback = before[max(0, before.rfind("Traceback (most recent call last)")) :].strip()
            try:
                said = json.loads(after.splitlines()[0])
                if what == "combine":
                    return CombineError(self.id, traceback, said)
                return MapperError(self.id, traceback, *(said or (None, None, None)))
            except (ValueError, IndexError, TypeError):
                continue
        return JobFailed(self.id, message)

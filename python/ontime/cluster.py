"""A master and workers on this machine."""

from __future__ import annotations

import atexit
import json
import os
import secrets
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from .children import Children
from .client import NO_TLS_FILES, NO_TOKEN_FILE, Client
from .errors import BadRequest, ClusterError

_REGISTER_MOST = 30.0  # seconds until all workers have registered


class OwnCluster(Client):
    """A client of a master that it has started itself. What it started ends with ``close`` or with the process."""

    def __init__(self, host: str, arguments: Sequence[str], outputs: str | os.PathLike[str] | None) -> None:
        self._children = Children()
        self._is_closed = False
        self._process = os.getpid()
        super().__init__(outputs=outputs or self._children.directory / "outputs")
        atexit.register(self.close)
        try:
            self._environment.update(self._secrets("submit", host))
            self._environment["ONTIME_MASTER"] = self._children.start_master(
                host, arguments, self._secrets("master", host)
            )
        except BaseException:
            self.close()
            raise

    def _secrets(self, role: str, host: str) -> dict[str, str]:
        """What a program of this role finds in its environment to be let in."""
        raise NotImplementedError

    @property
    def address(self) -> str:
        """Where the master listens, for another Client."""
        return self._environment["ONTIME_MASTER"]

    def close(self) -> None:
        """Ends all jobs and programs. A forked child that ends leaves them alone."""
        if not self._is_closed and os.getpid() == self._process:
            self._is_closed = True
            atexit.unregister(self.close)
            try:
                self._end_workers()
            finally:
                self._children.close()

    def _end_workers(self) -> None:
        """Ends the workers that are no children of this process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        if self._is_closed:
            raise ClusterError("the cluster is closed")
        self._children.check()

    def _wait_for_workers(self, count: int) -> None:
        until = time.monotonic() + _REGISTER_MOST
        while len([node for node in self.nodes() if node["state"] == "live"]) < count:
            if time.monotonic() > until:
                raise ClusterError(f"{count} workers have not registered within {_REGISTER_MOST:.0f} s")
            time.sleep(0.02)


class LocalCluster(OwnCluster):
    """A client of a master and workers on this machine.

    There is one worker for each core unless ``workers`` says otherwise, each with ``slots`` attempts at a time. Outputs
    of jobs without ``output=`` are in ``outputs``; without one, they are removed when the cluster is closed.
    ``arguments`` are further flags of ``ontime-master``, such as those that disturb attempts on purpose.
    """

    def __init__(
        self,
        workers: int | None = None,
        slots: int = 1,
        *,
        outputs: str | os.PathLike[str] | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        if workers is not None and workers < 1:
            raise BadRequest(f"workers is a number from 1 on, not {workers}")
        self._token = secrets.token_hex(32)
        super().__init__("127.0.0.1", arguments, outputs)
        self._python = sys.executable
        self._path = [os.path.abspath(entry) for entry in sys.path]
        count = workers if workers is not None else os.cpu_count() or 1
        try:
            for number in range(1, count + 1):
                name = f"worker-{number}"
                flags = ["--slots", str(slots), "--name", name, "--attempt-env", "*", "--drain-timeout", "0s"]
                self._children.start("ontime-worker", name, flags, self._environment)
            self._wait_for_workers(count)
        except BaseException:
            self.close()
            raise

    @property
    def token(self) -> str:
        """What another client of the master has to know."""
        return self._token

    def _secrets(self, role: str, host: str) -> dict[str, str]:
        return {"ONTIME_TOKEN": self._token, "ONTIME_TLS_DIR": "", **NO_TOKEN_FILE, **NO_TLS_FILES}

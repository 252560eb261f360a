"""Programs that this process starts, and that end with it at the latest."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .errors import ClusterError
from .programs import program

_START_MOST = 30.0  # seconds


class Children:
    """Programs, and the directory of their own that they use. Closing ends them, the last one first, and removes it."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="ontime-"))
        self._process = os.getpid()
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        # They die with the thread that started them. Whichever thread calls us may end before, so they get their own.
        self._thread = ThreadPoolExecutor(1, "ontime-programs")

    def start(self, kind: str, name: str, flags: Sequence[str], environment: Mapping[str, str]) -> None:
        self._thread.submit(self._start, kind, name, flags, environment).result()

    def start_master(self, host: str, flags: Sequence[str], environment: Mapping[str, str]) -> str:
        """The address where it listens."""
        port = self.directory / "port"
        own = ["--listen", f"{host}:0", "--port-file", str(port), "--journal", str(self.directory / "journal")]
        self.start("ontime-master", "master", [*own, "--journal-sync", "off", *flags], environment)
        until = time.monotonic() + _START_MOST
        while not port.exists() or not port.read_text().strip():
            self.check()
            if time.monotonic() > until:
                raise ClusterError(f"the master does not listen after {_START_MOST:.0f} s")
            time.sleep(0.01)
        return f"{host}:{port.read_text().strip()}"

    def check(self) -> None:
        """Raises ClusterError if one has ended. A forked child is not their parent, so it is not told."""
        if os.getpid() != self._process:
            return
        for name, process in self._running:
            if process.poll() is not None:
                raise ClusterError(f"{name} has ended with status {process.returncode}: {self._last_line(name)}")

    def pids(self) -> list[int]:
        return [process.pid for _, process in self._running]

    def close(self, patience: float = 5.0) -> None:
        until = time.monotonic() + patience
        for _, process in reversed(self._running):
            process.terminate()
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._thread.shutdown()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, kind: str, name: str, flags: Sequence[str], environment: Mapping[str, str]) -> None:
        with open(self.directory / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [program(kind), "--die-with-parent", str(os.getpid()), "--log-level", "warning", *flags],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C interrupts the wait for a job, not the cluster
            )
        self._running.append((name, process))

    def _last_line(self, name: str) -> str:
        lines = (self.directory / f"{name}.log").read_text(errors="replace").splitlines()
        return lines[-1] if lines else "its log is empty"

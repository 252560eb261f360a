"""The progress of a job: a bar on a terminal or in a notebook, a function that is called, or nothing."""

from __future__ import annotations

import html
import shutil
import sys
from collections.abc import Callable
from typing import Any, Protocol

Status = dict[str, Any]


class Progress(Protocol):
    def update(self, status: Status) -> None: ...

    def close(self) -> None: ...


def progress_for(choice: bool | Callable[[Status], None] | None) -> Progress:
    """None chooses by where this runs."""
    if callable(choice):
        return Called(choice)
    if choice is False:
        return Called(lambda status: None)
    if _is_notebook():
        return Notebook()
    if choice is True or sys.stderr.isatty():
        return Terminal()
    return Called(lambda status: None)


def fraction(status: Status) -> float:
    if status["state"] == "succeeded":
        return 1.0
    total = status["input_bytes"]
    return min(status["mapped_bytes"] / total, 1.0) if total else 0.0


def _duration(seconds: float) -> str:
    """As ``ontime`` shows it: "4.0 s", "59 s", "3m 20s", "2h 5m"."""
    whole = int(seconds)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}m {whole % 60}s" if whole < 3600 else f"{whole // 3600}h {whole // 60 % 60}m"


def text_of(status: Status) -> str:
    """One line: how far the job is, and when it will be done."""
    parts = [
        f"{fraction(status):4.0%}",
        f"{_size(status['mapped_bytes'])} of {_size(status['input_bytes'])}",
        f"tasks {status['tasks_done']}/{status['tasks']}",
    ]
    forecast = status.get("forecast") or {}
    elapsed = status["elapsed_seconds"]
    if status["ended_unix_ns"] is not None:
        parts.append(f"{status['state']} after {elapsed:.1f} s")
    elif status.get("waiting_for"):
        what = status["waiting_for"]
        parts.append("no workers" if what == "workers" else f"waiting for {what}")
    elif forecast.get("median_seconds") is not None:
        parts.append(f"ETA {_duration(max(0.0, forecast['median_seconds'] - elapsed))}")
    if status["deadline_seconds"] is not None and status["ended_unix_ns"] is None:
        left = status["deadline_seconds"] - elapsed
        parts.append(f"left {_duration(left)}" if left >= 0 else f"late {_duration(-left)}")
        if forecast.get("pocd") is not None:
            parts.append(f"PoCD {forecast['pocd']:.3g}")
    if status["attempts_failed"]:
        parts.append(f"{status['attempts_failed']} failed attempts")
    return "  ".join(parts)


class Called:
    """Passes each status on."""

    def __init__(self, function: Callable[[Status], None]) -> None:
        self.update = function

    def close(self) -> None:
        pass


class Terminal:
    """One line that is written over."""

    def update(self, status: Status) -> None:
        width = shutil.get_terminal_size().columns
        filled = int(fraction(status) * 20)
        line = f"[{'=' * filled:20}] {text_of(status)}"
        sys.stderr.write("\r\033[K" + line[: width - 1])
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


class Notebook:
    """One output of the cell that is replaced."""

    def __init__(self) -> None:
        self._handle: Any = None

    def update(self, status: Status) -> None:
        from IPython import display

        shows: Any = display  # has types only in part
        shown = shows.HTML(f"<progress value='{fraction(status):.3f}'></progress> {html.escape(text_of(status))}")
        if self._handle is None:
            self._handle = shows.display(shown, display_id=True)
        else:
            self._handle.update(shown)

    def close(self) -> None:
        pass


def _is_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"

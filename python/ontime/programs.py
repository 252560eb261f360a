"""Where Ontime's programs are, and how they are called.

A wheel has them inside. ``ONTIME_PROGRAMS`` names another directory; without either, ``PATH`` is searched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import BadRequest, ClusterError

BUNDLED = Path(__file__).parent / "_programs" / "bin"
_BAD_USAGE = 2


def program(name: str) -> str:
    """The path of one of Ontime's programs."""
    for directory in (os.environ.get("ONTIME_PROGRAMS"), BUNDLED):
        if directory and os.access(path := Path(directory) / name, os.X_OK):
            return str(path)
    if found := shutil.which(name):
        # The script of a wheel without programs would call itself.
        if Path(found).resolve() != Path(sys.argv[0]).resolve():
            return found
    raise ClusterError(f"{name} is not in this package, in $ONTIME_PROGRAMS or in $PATH; install Ontime's wheel.")


def complaint(stderr: str) -> str:
    """What a program said when it gave up, without its name."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    if not lines:
        return "ontime ended without saying why"
    return lines[-1].split(": ", 1)[-1] if lines[-1].startswith("ontime") else lines[-1]


def call(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Runs ``ontime``; what it printed, or an exception with its sentence."""
    done = subprocess.run(
        [program("ontime"), *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
    )
    if done.returncode == 0:
        return done.stdout
    raise (BadRequest if done.returncode == _BAD_USAGE else ClusterError)(complaint(done.stderr))


def main() -> None:
    """The scripts ``ontime``, ``ontime-master`` and ``ontime-worker`` of the wheel."""
    try:
        path = program(Path(sys.argv[0]).name)
    except ClusterError as error:
        sys.exit(str(error))
    os.execv(path, [path, *sys.argv[1:]])

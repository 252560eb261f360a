"""What the clusters have in common whose workers run beside those of another engine, on several machines."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from .children import Children
from .cluster import OwnCluster
from .programs import call

DRAIN_MOST = 30.0  # seconds that handing over may take


class EncryptedCluster(OwnCluster):
    """Its master runs here, for workers elsewhere. Connections are encrypted, with certificates made for this alone."""

    def certificates(self) -> dict[str, bytes]:
        """What workers need to be let in, by the names of files."""
        directory = Path(self._secrets("worker", "")["ONTIME_TLS_DIR"])
        return {file.name: file.read_bytes() for file in directory.iterdir()}

    def _secrets(self, role: str, host: str) -> dict[str, str]:
        directory = self._children.directory / "certificates"
        if not directory.exists():
            call(["certs", "cluster", "--dir", str(directory), "--host", host], {})
        return {"ONTIME_TLS_DIR": str(directory / role), "ONTIME_TOKEN": ""}


class WorkerBeside:
    """An Ontime worker that this process of another engine has started."""

    def __init__(self, master: str, certificates: Mapping[str, bytes], name: str, slots: int) -> None:
        self._children = Children()
        for file, content in certificates.items():
            path = self._children.directory / file
            path.touch(0o600)
            path.write_bytes(content)
        environment = {
            "ONTIME_TLS_DIR": str(self._children.directory),
            "ONTIME_TOKEN": "",
            # Mappers run in the engine's Python.
            "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""),
        }
        flags = ["--master", master, "--slots", str(slots), "--name", name, "--attempt-env", "*"]
        self._children.start("ontime-worker", "worker", [*flags, "--drain-timeout", f"{DRAIN_MOST:g}s"], environment)

    def check(self) -> None:
        """Raises ClusterError if it has ended."""
        self._children.check()

    def close(self) -> None:
        """Lets it hand over what it maps, and ends it."""
        self._children.close(DRAIN_MOST + 5)


def address_towards(host: str | None) -> str:
    """This machine's address on the way to another."""
    if host is None:
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 9))  # sends nothing
        return str(probe.getsockname()[0])

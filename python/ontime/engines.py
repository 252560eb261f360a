"""What the clusters have in common whose workers run beside those of another engine, on several machines."""

from __future__ import annotations

import functools
import hashlib
import io
import socket
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from . import beside
from .beside import DRAIN_MOST, Programs
from .client import NO_TLS_FILES, NO_TOKEN_FILE
from .cluster import OwnCluster
from .errors import ClusterError
from .programs import BUNDLED, call

END_MOST = DRAIN_MOST + 10.0  # seconds until a worker that was told to end has ended
_CLIENT_ONLY = ("ontime", "ontime-master")


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
        return {"ONTIME_TLS_DIR": str(directory / role), "ONTIME_TOKEN": "", **NO_TOKEN_FILE, **NO_TLS_FILES}

    def _live(self) -> set[str]:
        return {str(node["name"]) for node in self.nodes() if node["state"] in ("live", "draining", "drained")}

    def _wait_until_gone(self, names: set[str]) -> None:
        until = time.monotonic() + END_MOST
        while (there := self._live() & names) and time.monotonic() < until:
            time.sleep(0.02)
        if there:
            raise ClusterError(f"{', '.join(sorted(there))} did not end within {END_MOST:.0f} s")


def send_by_value(cloudpickle: Any, *modules: ModuleType) -> None:
    """Has an engine send what runs beside it as it is, because its nodes may not have this package."""
    for module in (beside, *modules):
        if module.__name__ not in cloudpickle.list_registry_pickle_by_value():
            cloudpickle.register_pickle_by_value(module)


def programs_to_send(sender: Callable[[bytes], Callable[[], bytes]]) -> Programs | None:
    """What nodes without Ontime get: this package's programs, or None if it has none inside.

    ``sender`` takes the archive and returns how a node gets it.
    """
    if not BUNDLED.is_dir():
        return None
    name, sizes, archive = _archive()
    return Programs(name, sizes, sender(archive))


@functools.cache
def _archive() -> tuple[str, dict[str, int], bytes]:
    root = BUNDLED.parent
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name not in _CLIENT_ONLY)
    sizes, digest, archive = {}, hashlib.sha256(), io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in files:
            file, content = str(path.relative_to(root)), path.read_bytes()
            sizes[file] = len(content)
            digest.update(f"{file}\0{len(content)}\0".encode() + content)
            packed.writestr(zipfile.ZipInfo(file), content, zipfile.ZIP_DEFLATED, 1)
    return digest.hexdigest()[:32], sizes, archive.getvalue()


def address_towards(host: str | None) -> str:
    """This machine's address on the way to another."""
    if host is None:
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 9))  # sends nothing
        return str(probe.getsockname()[0])

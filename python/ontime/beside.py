"""What runs in a process of another engine: starts an Ontime worker on its node, and ends it.

This package need not be installed there. So this file uses Python's own library only, its classes and functions are sent
by value, and so are the programs.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

DRAIN_MOST = 30.0  # seconds that handing over may take
GOODBYE = b"."  # tells a worker to end; without it, its connection has broken


class Programs:
    """A worker's programs, for nodes that do not have them yet.

    They are unpacked into a directory of the temporary one, which is named after what they contain, and stay there for
    the next worker. ``fetch`` gets the archive; nodes that have them do not call it.
    """

    def __init__(self, name: str, sizes: Mapping[str, int], fetch: Callable[[], bytes]) -> None:
        self.name = name
        self._sizes = dict(sizes)
        self._fetch = fetch

    def directory(self) -> str:
        parent = tempfile.gettempdir()
        place = os.path.join(parent, f"ontime-{os.getuid()}-{self.name}")
        if not self._is_whole(place):
            lock = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not self._is_whole(place):  # no other worker was quicker
                    self._put_there(place, parent)
            finally:
                os.close(lock)
        return place

    def _put_there(self, place: str, parent: str) -> None:
        unpacked = tempfile.mkdtemp(prefix="ontime-new-", dir=parent)
        old = tempfile.mkdtemp(prefix="ontime-old-", dir=parent)
        try:
            self._unpack(unpacked)
            if os.path.lexists(place):  # something of it is missing there
                os.rename(place, old)
            os.rename(unpacked, place)
        finally:
            shutil.rmtree(unpacked, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)

    def _is_whole(self, place: str) -> bool:
        """Whether it is there, and nobody else can have put it there or changed it."""
        try:
            found = os.lstat(place)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
                host = socket.gethostname()
                raise RuntimeError(f"{place} belongs to somebody else on {host}; remove it or set TMPDIR there")
            return all(os.path.getsize(os.path.join(place, file)) == size for file, size in self._sizes.items())
        except FileNotFoundError:
            return False

    def _unpack(self, directory: str) -> None:
        with zipfile.ZipFile(BytesIO(self._fetch())) as archive:
            archive.extractall(directory)
        for file in self._sizes:
            os.chmod(os.path.join(directory, file), 0o700)


class WorkerBeside:
    """An Ontime worker that this process of another engine has started. It ends with this process at the latest."""

    def __init__(
        self, master: str, certificates: Mapping[str, bytes], name: str, slots: int, programs: Programs | None
    ) -> None:
        self._directory = tempfile.mkdtemp(prefix="ontime-")
        self._held = -1
        # It dies with the thread that started it. Whichever thread calls us may end before, so it gets its own.
        self._thread = ThreadPoolExecutor(1, "ontime-worker")
        try:
            self._tls = self._write(certificates)
            program = self._find(programs)
            flags = ["--master", master, "--slots", str(slots), "--name", name, "--attempt-env", "*"]
            self._process = self._thread.submit(self._start, program, flags).result()
        except BaseException:
            self._clean_up()
            raise

    def check(self) -> None:
        """Raises RuntimeError if it has ended."""
        if self._process.poll() is not None:
            with open(os.path.join(self._directory, "log"), encoding="utf-8", errors="replace") as log:
                last = ([""] + log.read().splitlines())[-1]
            raise RuntimeError(f"the worker has ended with status {self._process.returncode}: {last}")

    def close(self) -> None:
        """Lets it hand over what it maps, and ends it."""
        self._process.terminate()
        try:
            self._process.wait(DRAIN_MOST + 5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._clean_up()

    def _write(self, certificates: Mapping[str, bytes]) -> str:
        directory = os.path.join(self._directory, "certificates")
        os.mkdir(directory, 0o700)
        _write_files(directory, certificates)
        return directory

    def _find(self, programs: Programs | None) -> str:
        if programs is None:
            path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
            found = shutil.which("ontime-worker", path=os.environ.get("ONTIME_PROGRAMS", "") + os.pathsep + path)
            if found is None:
                raise RuntimeError(f"Ontime's wheel is not installed on {socket.gethostname()}")
            return found
        directory = programs.directory()
        self._held = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._held, fcntl.LOCK_SH)  # what cleans up temporary directories leaves it alone then
        program = os.path.join(directory, "bin", "ontime-worker")
        try:
            tried = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise RuntimeError(f"Ontime's programs do not run on {socket.gethostname()}: {error}") from None
        if tried.returncode != 0:
            said = tried.stderr.decode("utf-8", "replace").strip() or f"status {tried.returncode}"
            raise RuntimeError(f"Ontime's programs do not run on {socket.gethostname()}: {said}")
        return program

    def _start(self, program: str, flags: list[str]) -> subprocess.Popen[bytes]:
        environment = {
            "ONTIME_TLS_DIR": self._tls,
            "ONTIME_TOKEN": "",
            # Mappers run in the engine's Python.
            "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", ""),
        }
        own = ["--die-with-parent", str(os.getpid()), "--log-level", "warning", "--drain-timeout", f"{DRAIN_MOST:g}s"]
        with open(os.path.join(self._directory, "log"), "wb") as log:
            return subprocess.Popen(
                [program, *own, *flags],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _clean_up(self) -> None:
        self._thread.shutdown()
        if self._held >= 0:
            os.close(self._held)
        shutil.rmtree(self._directory, ignore_errors=True)


def _write_files(directory: str, contents: Mapping[str, bytes]) -> None:
    for file, content in contents.items():
        made = os.open(os.path.join(directory, file), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(made, "wb") as written:
            written.write(content)


def work_until_told(
    control: tuple[str, int],
    master: str,
    certificates: Mapping[str, bytes],
    name: str,
    slots: int,
    programs: Programs | None,
) -> None:
    """Has a worker until ``control`` says goodbye, where the cluster's Python process listens.

    Raises RuntimeError if the connection breaks before, so that the engine starts it again.
    """
    with _connection(control, certificates) as told:
        told.sendall(name.encode() + b"\n")
        told.settimeout(1.0)
        worker = WorkerBeside(master, certificates, name, slots, programs)
        try:
            while not _is_told(told):
                worker.check()
        finally:
            worker.close()


def _is_told(told: ssl.SSLSocket) -> bool:
    """Whether it learns within a second that it should end."""
    try:
        if told.recv(1):
            return True
        reason = "it has ended"
    except TimeoutError as error:
        if error.errno is None:  # nothing came within that second
            return False
        reason = str(error)
    except OSError as error:
        reason = str(error)
    raise RuntimeError(f"the connection to the driver has broken: {reason}")


def keep_alive(connection: socket.socket) -> None:
    """Has the system notice within two minutes that the other machine is away, though nothing is to be said."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)  # seconds
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)


def _connection(control: tuple[str, int], certificates: Mapping[str, bytes]) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False  # the authority certifies this one cluster only
    context.load_verify_locations(cadata=certificates["ca.pem"].decode())
    with tempfile.TemporaryDirectory(prefix="ontime-") as directory:
        _write_files(directory, certificates)
        context.load_cert_chain(os.path.join(directory, "cert.pem"), os.path.join(directory, "key.pem"))
    connection = socket.create_connection(control, 30.0)
    keep_alive(connection)
    return context.wrap_socket(connection)

"""Slots on a Spark cluster: a barrier stage whose tasks each run an Ontime worker.

>>> import ontime.spark
>>> with ontime.spark.Cluster(spark.sparkContext, outputs="/shared/answers") as cluster:
...     cluster.wordcount("/shared/books").to_dict()

Nothing has to be installed on Spark's executors: this package sends its programs to nodes that do not have them. The
master runs here, in the driver. Executors reserve a task's cores for each worker until the cluster is closed.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from pyspark import InheritableThread, cloudpickle

from . import beside
from .engines import END_MOST, EncryptedCluster, programs_to_send, send_by_value
from .errors import ClusterError

_NAME_MOST = 64  # bytes
_HANDSHAKE_MOST = 10.0  # seconds
_STRANGERS_MOST = 64


class _Control:
    """Where tasks connect. A task works until its connection ends. Only who has the cluster's certificates is heard."""

    def __init__(self, host: str, certificates: os.PathLike[str]) -> None:
        directory = os.fspath(certificates)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(f"{directory}/cert.pem", f"{directory}/key.pem")
        self._context.load_verify_locations(f"{directory}/ca.pem")
        self._context.verify_mode = ssl.CERT_REQUIRED
        self._listener = socket.create_server((host, 0), backlog=1024)
        self.address: tuple[str, int] = (host, self._listener.getsockname()[1])
        self._room = threading.BoundedSemaphore(_STRANGERS_MOST)
        self._lock = threading.Lock()
        self._expected: set[str] = set()
        self._tasks: dict[str, ssl.SSLSocket] = {}
        self._is_closed = False
        threading.Thread(target=self._accept, name="ontime-spark", daemon=True).start()

    def expect(self, names: Iterable[str]) -> None:
        with self._lock:
            self._expected |= set(names)

    def end(self, names: Iterable[str]) -> None:
        """Ends the work of these tasks, also of those that come later."""
        with self._lock:
            self._expected -= set(names)
            tasks = [self._tasks.pop(name) for name in names if name in self._tasks]
        for task in tasks:
            _end(task)

    def close(self) -> None:
        self._is_closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.end(list(self._expected))

    def _accept(self) -> None:
        while not self._is_closed:
            self._room.acquire()
            try:
                stranger, _ = self._listener.accept()
            except OSError:
                self._room.release()
                time.sleep(0.05)  # as when descriptors have run out
                continue
            threading.Thread(target=self._meet, args=(stranger,), daemon=True).start()

    def _meet(self, stranger: socket.socket) -> None:
        try:
            stranger.settimeout(_HANDSHAKE_MOST)
            task = self._context.wrap_socket(stranger, server_side=True)
            with task.makefile("rb") as said:
                name = said.readline(_NAME_MOST).decode("utf-8", "replace").removesuffix("\n")
        except OSError:
            stranger.close()
            return
        finally:
            self._room.release()
        with self._lock:
            over: ssl.SSLSocket | None = task
            if name in self._expected:  # a task that Spark has started again has the name of the one before
                over, self._tasks[name] = self._tasks.get(name), task
        if over is not None:
            _end(over)


def _end(task: ssl.SSLSocket) -> None:
    with suppress(OSError):
        task.shutdown(socket.SHUT_RDWR)
    task.close()


class _Stage:
    """One barrier stage: workers that Spark starts together. Its job runs in a thread of its own until all have ended."""

    def __init__(self, context: Any, names: list[str], task: Any) -> None:
        self.names = set(names)
        self.error: Exception | None = None
        self._context = context
        self._group = f"ontime-{uuid.uuid4().hex}"
        self._rdd = context.parallelize(names, len(names)).barrier().mapPartitions(task)
        self._thread = InheritableThread(target=self._run, daemon=True)
        self._thread.start()

    def is_running(self) -> bool:
        return bool(self._thread.is_alive())

    def close(self) -> None:
        """Waits for tasks that were told to end, and cancels what remains."""
        self._thread.join(END_MOST)
        if self._thread.is_alive():
            self._context.cancelJobGroup(self._group)
            self._thread.join(END_MOST)

    def cancel(self) -> None:
        self._context.cancelJobGroup(self._group)

    def _run(self) -> None:
        try:
            self._context.setJobGroup(self._group, "Ontime workers", True)
            self._rdd.collect()
        except Exception as error:  # whatever Spark makes of it
            self.error = error


class Cluster(EncryptedCluster):
    """A client of a master in this driver, and of workers in the tasks of a barrier stage.

    ``workers`` is as many as Spark has free cores for unless told, each with ``slots`` attempts at a time: one for each
    core of a task (``spark.task.cpus``) unless told. Spark may take ``timeout`` seconds to start them. ``host`` is the name
    or address by which executors reach the driver. Inputs and ``outputs`` must be reachable from all of them.
    """

    def __init__(
        self,
        context: Any,
        workers: int | None = None,
        slots: int | None = None,
        *,
        outputs: str | os.PathLike[str] | None = None,
        host: str | None = None,
        timeout: float = 120.0,
    ) -> None:
        self._context = context
        self._timeout = timeout
        cores = int(context.getConf().get("spark.task.cpus", "1"))
        self._slots = slots or cores
        self._stages: list[_Stage] = []
        self._workers: list[str] = []
        self._started = 0
        self._control: _Control | None = None
        self._packed: Any = None  # what Spark keeps of the programs
        super().__init__(host or context.getConf().get("spark.driver.host"), [], outputs)
        try:
            address = self.address.rsplit(":", 1)[0]
            self._control = _Control(address, self._children.directory / "certificates" / "master")
            send_by_value(cloudpickle)
            self._programs = programs_to_send(self._sender)
            self.scale(workers or max(1, context.defaultParallelism // cores))
        except BaseException:
            self.close()
            raise

    def scale(self, workers: int) -> None:
        """Starts or ends workers. One that ends hands over what it maps."""
        ending, self._workers = self._workers[workers:], self._workers[:workers]
        if ending:
            self._end(ending)
        if workers > len(self._workers):
            self._add(workers - len(self._workers))

    def close(self) -> None:
        """Ends all jobs, and Ontime's workers and master. Spark goes on."""
        control, self._control = self._control, None
        if control is not None:
            control.close()
        stages, self._stages = self._stages, []
        for stage in stages:
            stage.close()
        packed, self._packed = self._packed, None
        if packed is not None:
            with suppress(Exception):  # as when Spark has been stopped
                packed.destroy()
        super().close()

    def _sender(self, archive: bytes) -> Any:
        packed = self._packed = self._context.broadcast(archive)
        return lambda: packed.value

    def _add(self, count: int) -> None:
        assert self._control is not None
        names = [f"spark-{number}" for number in range(self._started + 1, self._started + 1 + count)]
        self._started += count
        work, control, master = beside.work_until_told, self._control.address, self.address
        certificates, slots, programs = self.certificates(), self._slots, self._programs

        def task(given: Iterator[str]) -> Iterator[str]:
            for name in given:
                work(control, master, certificates, name, slots, programs)
            return iter(())

        self._control.expect(names)
        stage = _Stage(self._context, names, task)
        self._stages.append(stage)
        self._workers += names
        try:
            self._wait_for(stage)
        except BaseException:
            stage.cancel()
            self._control.end(names)
            self._stages.remove(stage)
            self._workers = [name for name in self._workers if name not in stage.names]
            raise

    def _wait_for(self, stage: _Stage) -> None:
        until = time.monotonic() + self._timeout
        while not stage.names <= self._live():
            if time.monotonic() > until:
                raise ClusterError(
                    f"Spark has not started {len(stage.names)} workers within {self._timeout:g} s: "
                    "are so many cores free at a time?"
                )
            time.sleep(0.05)

    def _end(self, names: list[str]) -> None:
        assert self._control is not None
        self._control.end(names)
        self._wait_until_gone(set(names))
        self._stages = [stage for stage in self._stages if stage.is_running()]

    def _check(self) -> None:
        super()._check()
        for stage in self._stages:
            if stage.error is not None:
                raise ClusterError(f"Spark has ended the stage with workers: {stage.error}") from stage.error

"""Slots on a Spark cluster: tasks that each run an Ontime worker, and that Spark runs again when it loses their executor.

>>> import ontime.spark
>>> with ontime.spark.Cluster(spark.sparkContext, outputs="/shared/answers") as cluster:
...     cluster.wordcount("/shared/books").to_dict()

Nothing has to be installed on Spark's executors: this package sends its programs to nodes that do not have them. The
master runs here, in the driver. Executors reserve a task's cores for each worker until the cluster is closed.
"""

from __future__ import annotations

import os
import select
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
    """Where tasks connect. A task works until it receives a goodbye. Only who has the cluster's certificates is heard."""

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

    def end(self, names: Iterable[str]) -> set[str]:
        """Ends the work of these tasks, also of those that come later. Returns which were there to hear it."""
        with self._lock:
            self._expected -= set(names)
            tasks = {name: self._tasks.pop(name) for name in names if name in self._tasks}
        there = {name for name, task in tasks.items() if _is_there(task)}
        for task in tasks.values():
            _say_goodbye(task)
            _end(task)
        return there

    def close(self) -> None:
        self._is_closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

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
            beside.keep_alive(stranger)
            task = self._context.wrap_socket(stranger, server_side=True)
            with task.makefile("rb") as said:
                name = said.readline(_NAME_MOST).decode("utf-8", "replace").removesuffix("\n")
        except OSError:
            stranger.close()
            return
        finally:
            self._room.release()
        with self._lock:
            is_expected = name in self._expected
            over: ssl.SSLSocket | None = task
            if is_expected:  # a task that Spark has started again has the name of the one before
                over, self._tasks[name] = self._tasks.get(name), task
        if over is not None:
            if not is_expected:  # the one before fails instead: if it succeeded, Spark would end the new one
                _say_goodbye(over)
            _end(over)


def _say_goodbye(task: ssl.SSLSocket) -> None:
    with suppress(OSError, ValueError):  # ValueError: it is closed
        task.sendall(beside.GOODBYE)


def _end(task: ssl.SSLSocket) -> None:
    with suppress(OSError):
        task.shutdown(socket.SHUT_RDWR)
    task.close()


def _is_there(task: ssl.SSLSocket) -> bool:
    """Tasks say nothing after their names, so what can be read is the end."""
    if task.fileno() < 0:
        return False
    poll = select.poll()
    poll.register(task, select.POLLIN)
    return not poll.poll(0)


class _Worker:
    """A worker in a Spark job of one task, whose loss leaves the jobs of the others alone.

    A thread of its own waits for the job. Spark runs the task again where it fails, its connection to the driver breaks or
    its executor is lost, until it has failed ``spark.task.maxFailures`` times.
    """

    def __init__(self, context: Any, name: str, task: Any) -> None:
        self.name = name
        self.error: Exception | None = None
        self.is_told = False  # to end
        self._context = context
        self._group = f"ontime-{uuid.uuid4().hex}"
        self._rdd = context.parallelize([name], 1).mapPartitions(task)
        self._thread = InheritableThread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_lost(self) -> bool:
        """Whether its job has ended though nobody has told it to."""
        return not self.is_told and (self.error is not None or not self._thread.is_alive())

    def wait(self, seconds: float) -> bool:
        """Whether its job has ended within that time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def cancel(self) -> None:
        with suppress(Exception):  # as when Spark has been stopped
            self._context.cancelJobGroup(self._group)

    def _run(self) -> None:
        try:
            self._context.setJobGroup(self._group, "An Ontime worker", True)
            self._rdd.collect()
            if not self.is_told:
                raise ClusterError("its task has ended without having been told to")
        except Exception as error:  # whatever Spark makes of it
            self.error = error


class Cluster(EncryptedCluster):
    """A client of a master in this driver, and of workers in the tasks of Spark jobs.

    Spark goes on when this is closed. ``workers`` is as many as it has free cores for unless told, each with ``slots`` attempts at a time: one for each
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
        self._workers: list[_Worker] = []
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
        """Starts or ends workers, and replaces those that Spark has given up. One that ends hands over what it maps."""
        lost = [worker for worker in self._workers if worker.is_lost]
        if lost and self._control is not None:
            self._control.end([worker.name for worker in lost])
        working = [worker for worker in self._workers if worker not in lost]
        self._workers, ending = working[:workers], working[workers:]
        if ending:
            self._tell(ending)
            self._wait_until_gone({worker.name for worker in ending})
        if workers > len(self._workers):
            self._add(workers - len(self._workers))

    def _end_workers(self) -> None:
        workers, self._workers = self._workers, []
        if self._control is not None:
            self._tell(workers)
            self._control.close()
            self._control = None
        until = time.monotonic() + END_MOST
        for worker in workers:
            if not worker.wait(max(0.0, until - time.monotonic())):
                worker.cancel()
        packed, self._packed = self._packed, None
        if packed is not None:
            with suppress(Exception):  # as when Spark has been stopped
                packed.destroy()

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
        added = [_Worker(self._context, name, task) for name in names]
        try:
            self._wait_for(added)
        except BaseException:
            self._tell(added)
            raise
        self._workers += added

    def _wait_for(self, workers: list[_Worker]) -> None:
        names, until = {worker.name for worker in workers}, time.monotonic() + self._timeout
        while not names <= self._live():
            _raise_first(workers)
            if time.monotonic() > until:
                raise ClusterError(
                    f"Spark has not started {len(names)} workers within {self._timeout:g} s: are so many cores free at a time?"
                )
            time.sleep(0.05)

    def _tell(self, workers: list[_Worker]) -> None:
        """Tells them to end. What waits for an executor need not start for that."""
        assert self._control is not None
        for worker in workers:
            worker.is_told = True
        told = self._control.end([worker.name for worker in workers])
        for worker in workers:
            if worker.name not in told:
                worker.cancel()

    def _check(self) -> None:
        super()._check()
        if all(worker.is_lost for worker in self._workers):
            _raise_first(self._workers)


def _raise_first(workers: list[_Worker]) -> None:
    for worker in workers:
        if worker.is_lost:
            reason = worker.error or "the thread that waits for it has ended"
            raise ClusterError(f"Spark has given up {worker.name}: {reason}") from worker.error

"""Slots on a Ray cluster: actors that each run an Ontime worker.

>>> import ray, ontime.ray
>>> ray.init("auto")
>>> with ontime.ray.Cluster(workers=8, slots=4, outputs="/shared/answers") as cluster:
...     cluster.wordcount("/shared/books").to_dict()

Nothing has to be installed on Ray's nodes: this package sends its programs to nodes that do not have them. The master
runs here.
"""

from __future__ import annotations

import os
from typing import Any

import ray

from .beside import WorkerBeside
from .engines import END_MOST, EncryptedCluster, programs_to_send, send_by_value
from .errors import ClusterError

_ANSWER_MOST = 10.0  # seconds; an actor that Ray starts again may take longer


def _sender(archive: bytes) -> Any:
    stored = ray.put(archive)  # nodes keep one copy, and only those that need it get one
    return lambda: ray.get(stored)


class Cluster(EncryptedCluster):
    """A client of a master here, and of workers in Ray's actors, spread over its nodes.

    Each actor reserves ``slots`` CPUs; Ray may take ``timeout`` seconds to place them. It starts those again that die, and
    goes on when this is closed. ``host`` is the name or address by which the nodes reach this machine. Inputs and
    ``outputs`` must be reachable from all of them.
    """

    def __init__(
        self,
        workers: int,
        slots: int = 1,
        *,
        outputs: str | os.PathLike[str] | None = None,
        host: str | None = None,
        timeout: float = 120.0,
    ) -> None:
        self._slots = slots
        self._timeout = timeout
        self._actors: list[Any] = []
        self._started = 0
        engine: Any = ray  # has no types there
        super().__init__(host or str(engine.util.get_node_ip_address()), [], outputs)
        try:
            send_by_value(engine.cloudpickle)
            self._programs = programs_to_send(_sender)
            self.scale(workers)
        except BaseException:
            self.close()
            raise

    def scale(self, workers: int) -> None:
        """Starts or ends workers, and replaces those that have died. One that ends hands over what it maps."""
        self._drop_dead()
        actor = ray.remote(num_cpus=self._slots, scheduling_strategy="SPREAD", max_restarts=-1)(WorkerBeside)
        certificates = self.certificates()
        while len(self._actors) < workers:
            self._started += 1
            name = f"ray-{self._started}"
            self._actors.append(actor.remote(self.address, certificates, name, self._slots, self._programs))
        ending, self._actors = self._actors[workers:], self._actors[:workers]
        self._end(ending)
        self._wait_for_places()
        self._wait_for_workers(workers)

    def _end_workers(self) -> None:
        actors, self._actors = self._actors, []
        self._end(actors)

    def _wait_for_places(self) -> None:
        checks = {worker.check.remote(): worker for worker in self._actors}
        if not checks:
            return
        answered, waiting = ray.wait(list(checks), num_returns=len(checks), timeout=self._timeout)
        for check in waiting:  # it holds nothing yet, and would be placed when nobody expects it
            ray.kill(checks[check])
            self._actors.remove(checks[check])
        if waiting:
            raise ClusterError(
                f"Ray has no {self._slots} free CPUs for each of {len(checks)} workers: {len(waiting)} were not placed within "
                f"{self._timeout:g} s"
            )
        try:
            ray.get(answered)
        except ray.exceptions.RayError as error:
            raise ClusterError(f"a worker could not be started in Ray: {error}") from error

    def _drop_dead(self) -> None:
        """Forgets workers that do not answer as they should, and those last that do not answer, as they are to end first."""
        checks = {worker.check.remote(): worker for worker in self._actors}
        answered, waiting = ray.wait(list(checks), num_returns=len(checks), timeout=_ANSWER_MOST) if checks else ([], [])
        self._actors = []
        for check in answered:
            try:
                ray.get(check)
                self._actors.append(checks[check])
            except ray.exceptions.RayError:
                ray.kill(checks[check])
        self._actors += [checks[check] for check in waiting]

    def _end(self, actors: list[Any]) -> None:
        if actors:
            # Also if some are dead. One that hangs, or was never placed, is not waited for.
            ray.wait([worker.close.remote() for worker in actors], num_returns=len(actors), timeout=END_MOST)
        for worker in actors:
            ray.kill(worker)

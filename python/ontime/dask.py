"""Slots on a Dask cluster: each of its workers, now and later, runs an Ontime worker as well.

>>> import dask.distributed, ontime.dask
>>> with ontime.dask.Cluster(dask.distributed.Client("scheduler:8786"), outputs="/shared/answers") as cluster:
...     cluster.wordcount("/shared/books").to_dict()

Nothing has to be installed where Dask's workers run: this package sends its programs to nodes that do not have them. The
master runs here. When a worker of Dask is retired, what it maps is cut and handed over to the others.
"""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import cloudpickle
from distributed.diagnostics.plugin import WorkerPlugin

from .beside import Programs, WorkerBeside
from .engines import EncryptedCluster, address_towards, programs_to_send, send_by_value
from .errors import ClusterError


class _Slots(WorkerPlugin):
    """Runs an Ontime worker beside each worker of Dask."""

    def __init__(
        self, name: str, master: str, certificates: dict[str, bytes], slots: int | None, programs: Programs | None
    ) -> None:
        self.name = name
        self._master = master
        self._certificates = certificates
        self._slots = slots
        self._programs = programs
        self._worker: WorkerBeside | None = None

    def setup(self, worker: Any) -> None:
        slots = self._slots or worker.state.nthreads
        self._worker = WorkerBeside(self._master, self._certificates, worker.address, slots, self._programs)

    def check(self) -> None:
        if self._worker is not None:
            self._worker.check()

    async def teardown(self, worker: Any) -> None:
        if self._worker is not None:
            await asyncio.to_thread(self._worker.close)


def _check(name: str, dask_worker: Any) -> None:
    dask_worker.plugins[name].check()


class Cluster(EncryptedCluster):
    """A client of a master here, and of workers beside those of a Dask cluster.

    Dask goes on when this is closed. ``slots`` are the attempts that each runs at a time, one for each of its threads unless
    told. ``host`` is the name or address by which the workers reach this machine. Inputs and ``outputs`` must be reachable
    from all of them.
    """

    def __init__(
        self,
        client: Any,
        slots: int | None = None,
        *,
        outputs: str | os.PathLike[str] | None = None,
        host: str | None = None,
    ) -> None:
        self._dask = client
        self._plugin: _Slots | None = None
        super().__init__(host or address_towards(urlsplit(client.scheduler.address).hostname), [], outputs)
        try:
            send_by_value(cloudpickle, sys.modules[__name__])
            name = f"ontime-{uuid.uuid4().hex}"
            programs = programs_to_send(lambda archive: lambda: archive)
            self._plugin = _Slots(name, self.address, self.certificates(), slots, programs)
            try:
                client.register_plugin(self._plugin)
                self._wait_for_all()
            except RuntimeError as error:
                raise ClusterError(str(error)) from error
        except BaseException:
            with suppress(Exception):  # where it could not be set up, Dask has nothing to end
                self.close()
            raise

    def _wait_for_all(self) -> None:
        assert self._plugin is not None
        try:
            self._wait_for_workers(len(self._dask.scheduler_info(n_workers=-1)["workers"]))
        except ClusterError:
            self._dask.run(_check, self._plugin.name)
            raise

    def _end_workers(self) -> None:
        plugin, self._plugin = self._plugin, None
        if plugin is not None:
            self._dask.unregister_worker_plugin(plugin.name)

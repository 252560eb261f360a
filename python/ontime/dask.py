"""Slots on a Dask cluster: each of its workers, now and later, runs an Ontime worker as well.

>>> import dask.distributed, ontime.dask
>>> with ontime.dask.Cluster(dask.distributed.Client("scheduler:8786"), outputs="/shared/answers") as cluster:
...     cluster.wordcount("/shared/books").to_dict()

This package must be installed on Dask's workers too. The master runs here. When a worker of Dask is retired, what it
maps is cut and handed over to the others.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import Any
from urllib.parse import urlsplit

from distributed.diagnostics.plugin import WorkerPlugin

from .engines import EncryptedCluster, WorkerBeside, address_towards


class _Slots(WorkerPlugin):
    """Runs an Ontime worker beside each worker of Dask."""

    def __init__(self, name: str, master: str, certificates: dict[str, bytes], slots: int | None) -> None:
        self.name = name
        self._master = master
        self._certificates = certificates
        self._slots = slots
        self._worker: WorkerBeside | None = None

    def setup(self, worker: Any) -> None:
        slots = self._slots or worker.state.nthreads
        self._worker = WorkerBeside(self._master, self._certificates, worker.address, slots)

    async def teardown(self, worker: Any) -> None:
        if self._worker is not None:
            await asyncio.to_thread(self._worker.close)


class Cluster(EncryptedCluster):
    """A client of a master here, and of workers beside those of a Dask cluster.

    ``slots`` are the attempts that each runs at a time, one for each of its threads unless told. ``host`` is the name or
    address by which the workers reach this machine. Inputs and ``outputs`` must be reachable from all of them.
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
            self._plugin = _Slots(f"ontime-{uuid.uuid4().hex}", self.address, self.certificates(), slots)
            client.register_plugin(self._plugin)
            self._wait_for_workers(len(client.scheduler_info(n_workers=-1)["workers"]))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends all jobs, and Ontime's workers and master. Dask goes on."""
        if self._plugin is not None:
            plugin, self._plugin = self._plugin, None
            self._dask.unregister_worker_plugin(plugin.name)
        super().close()

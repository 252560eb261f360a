"""Slots on a real Dask cluster, where this package is not installed."""

import subprocess
import sys

import ontime
import pytest
from handing_over import expect_work_to_be_handed_over, hide_package, package_finder

distributed = pytest.importorskip("distributed")

import ontime.dask  # noqa: E402


class DaskCluster:
    def __init__(self, directory):
        self._file = directory / "scheduler.json"
        self._directory = directory
        self._processes = []
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")

    def add_worker(self):
        self._start("dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(self._directory))

    def client(self):
        return distributed.Client(scheduler_file=str(self._file))

    def close(self):
        for process in self._processes:
            process.kill()  # on SIGTERM each waits for others that have gone
            process.wait()

    def _start(self, what, *flags):
        command = [sys.executable, "-m", f"distributed.cli.{what}", "--no-dashboard", "--scheduler-file", str(self._file)]
        with open(self._directory / f"{len(self._processes)}.log", "wb") as log:
            self._processes.append(subprocess.Popen([*command, *flags], stdout=log, stderr=log, cwd=self._directory))


@pytest.fixture
def dask_cluster(tmp_path, monkeypatch):
    hide_package(monkeypatch)
    cluster = DaskCluster(tmp_path)
    try:
        yield cluster
    finally:
        cluster.close()


def test_jobs_run_beside_dask_and_workers_come_and_go(dask_cluster, texts, lines, tmp_path):
    dask_cluster.add_worker()
    dask_cluster.add_worker()
    with dask_cluster.client() as client:
        client.wait_for_workers(2)
        assert set(client.run(package_finder()).values()) == {None}
        with ontime.dask.Cluster(client) as cluster:
            assert {node["name"] for node in cluster.nodes()} == set(client.scheduler_info()["workers"])
            job = cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8)
            assert job.to_dict() == {"lines": len(lines)}
            assert client.submit(sum, [1, 2]).result() == 3

            dask_cluster.add_worker()
            client.wait_for_workers(3)
            cluster._wait_for_workers(3)
            retired = next(iter(client.scheduler_info()["workers"]))
            expect_work_to_be_handed_over(
                cluster, texts, lines, tmp_path, lambda: client.retire_workers([retired], close_workers=True)
            )
            assert cluster.wordcount(texts).to_dict()["the"] > 1000
        with pytest.raises(ontime.ClusterError, match="closed"):
            cluster.nodes()


def test_a_worker_that_cannot_start_says_why(dask_cluster, monkeypatch):
    dask_cluster.add_worker()
    monkeypatch.setattr("ontime.dask.programs_to_send", lambda sender: None)
    with dask_cluster.client() as client:
        client.wait_for_workers(1)
        with pytest.raises(ontime.ClusterError, match="Ontime's wheel is not installed on"):
            ontime.dask.Cluster(client)

"""Slots on a real Dask cluster."""

import ontime
import pytest

distributed = pytest.importorskip("distributed")

import ontime.dask  # noqa: E402


@pytest.fixture
def dask_cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
        yield cluster


def test_jobs_run_beside_dask_and_workers_come_and_go(dask_cluster, texts, lines):
    with distributed.Client(dask_cluster) as client, ontime.dask.Cluster(client) as cluster:
        assert {node["name"] for node in cluster.nodes()} == set(client.scheduler_info()["workers"])
        job = cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8)
        assert job.to_dict() == {"lines": len(lines)}
        assert client.submit(sum, [1, 2]).result() == 3

        dask_cluster.scale(3)
        client.wait_for_workers(3)
        cluster._wait_for_workers(3)
        retired = next(iter(client.scheduler_info()["workers"]))
        client.retire_workers([retired], close_workers=True)
        # What the retired one had sealed stays; the rest is mapped by the others.
        assert cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8).to_dict() == {"lines": len(lines)}
        assert cluster.wordcount(texts).to_dict()["the"] > 1000
    with pytest.raises(ontime.ClusterError, match="closed"):
        cluster.nodes()

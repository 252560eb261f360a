"""Slots on a real Ray cluster, where this package is not installed."""

import os

import pytest
from handing_over import expect_no_loss, expect_work_to_be_handed_over, hide_package, live, package_finder, wait_until

ray = pytest.importorskip("ray")

import ontime.ray  # noqa: E402


@pytest.fixture
def ray_cluster(monkeypatch, tmp_path):
    hide_package(monkeypatch)
    monkeypatch.chdir(tmp_path)
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_jobs_run_in_actors_and_workers_come_and_go(ray_cluster, texts, lines, tmp_path):
    assert ray.get(ray.remote(package_finder()).remote()) is None
    with ontime.ray.Cluster(workers=2) as cluster:
        assert {node["name"] for node in cluster.nodes()} == {"ray-1", "ray-2"}
        cluster.scale(3)
        expected = {"lines": len(lines)}
        assert cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8).to_dict() == expected
        expect_work_to_be_handed_over(cluster, texts, lines, tmp_path, lambda: cluster.scale(1))
        assert ray.get(ray.remote(num_cpus=1)(lambda: 3).remote()) == 3
    with pytest.raises(ontime.ClusterError, match="closed"):
        cluster.nodes()


def test_a_worker_that_dies_is_replaced(ray_cluster, texts, lines, tmp_path):
    with ontime.ray.Cluster(workers=2) as cluster:
        process = ray.get(cluster._actors[0].__ray_call__.remote(lambda _: os.getpid()))
        expect_no_loss(cluster, texts, lines, tmp_path, process)
        cluster.scale(3)
        assert len(live(cluster)) == 3
        ray.kill(cluster._actors[0])  # for good
        wait_until(lambda: len(live(cluster)) == 2)
        cluster.scale(3)
        assert len(live(cluster)) == 3
        cluster.scale(1)
        assert cluster.wordcount(texts).to_dict()["the"] > 1000


def test_workers_that_ray_has_no_room_for_are_not_waited_for(ray_cluster, texts):
    with pytest.raises(ontime.ClusterError, match="were not placed"):
        ontime.ray.Cluster(workers=4, timeout=1)
    with ontime.ray.Cluster(workers=1) as cluster:
        assert cluster.wordcount(texts).to_dict()["the"] > 1000

"""Slots on a real Ray cluster."""

import pytest

ray = pytest.importorskip("ray")

import ontime.ray  # noqa: E402


@pytest.fixture
def ray_cluster():
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_jobs_run_in_actors_and_workers_come_and_go(ray_cluster, texts, lines):
    with ontime.ray.Cluster(workers=2) as cluster:
        assert {node["name"] for node in cluster.nodes()} == {"ray-1", "ray-2"}
        expected = {"lines": len(lines)}
        for workers in (3, 1):
            cluster.scale(workers)
            assert cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8).to_dict() == expected
        assert ray.get(ray.remote(num_cpus=1)(lambda: 3).remote()) == 3
    with pytest.raises(ontime.ClusterError, match="closed"):
        cluster.nodes()


def test_workers_that_ray_has_no_room_for_are_not_waited_for(ray_cluster, texts):
    with pytest.raises(ontime.ClusterError, match="were not placed"):
        ontime.ray.Cluster(workers=4, timeout=1)
    with ontime.ray.Cluster(workers=1) as cluster:
        assert cluster.wordcount(texts).to_dict()["the"] > 1000

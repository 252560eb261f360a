"""Slots on a real Spark cluster, two executors in processes of their own, where this package is not installed."""

import shutil
import sys

import pytest
from handing_over import expect_work_to_be_handed_over, hide_package, package_finder, wait_until

pyspark = pytest.importorskip("pyspark")
if not shutil.which("java"):
    pytest.skip("Spark needs Java; Debian has default-jre-headless", allow_module_level=True)

import ontime.spark  # noqa: E402


@pytest.fixture
def context(monkeypatch, tmp_path):
    hide_package(monkeypatch)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("SPARK_WORKER_DIR", str(tmp_path / "work"))
    monkeypatch.chdir(tmp_path)
    settings = {"spark.ui.enabled": "false", "spark.executor.memory": "600m", "spark.local.dir": str(tmp_path)}
    conf = pyspark.SparkConf().setMaster("local-cluster[2,2,600]").setAppName("tests").setAll(settings.items())
    context = pyspark.SparkContext(conf=conf)
    wait_until(lambda: context.defaultParallelism == 4)  # both executors are there
    yield context
    context.stop()


def test_jobs_run_in_barrier_tasks_and_workers_come_and_go(context, texts, lines, tmp_path):
    find = package_finder()
    assert set(context.parallelize(range(4), 4).map(lambda _: find()).collect()) == {None}
    with ontime.spark.Cluster(context, workers=2) as cluster:
        assert {node["name"] for node in cluster.nodes()} == {"spark-1", "spark-2"}
        cluster.scale(3)
        expected = {"lines": len(lines)}
        assert cluster.map(lambda line: [("lines", 1)], texts, merge="sum", splits=8).to_dict() == expected
        expect_work_to_be_handed_over(cluster, texts, lines, tmp_path, lambda: cluster.scale(1))
        assert context.parallelize(range(10), 2).sum() == 45
    with pytest.raises(ontime.ClusterError, match="closed"):
        cluster.nodes()


def test_workers_that_spark_has_no_cores_for_are_not_waited_for(context, texts):
    with pytest.raises(ontime.ClusterError, match="has not started 5 workers within 1 s"):
        ontime.spark.Cluster(context, workers=5, timeout=1)
    with ontime.spark.Cluster(context) as cluster:
        assert len(cluster.nodes()) == 4
        assert cluster.wordcount(texts).to_dict()["the"] > 1000

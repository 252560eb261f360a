"""Slots on a real Spark cluster, two executors in processes of their own, where this package is not installed."""

import shutil
import sys

import pytest
from handing_over import expect_no_loss, expect_work_to_be_handed_over, hide_package, live, package_finder, wait_until

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


def executor_finder():
    """A function that finds the JVM above the process that forks those of tasks. Spark sends it by value."""

    def parent_of(process):
        from pathlib import Path

        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1]

    return lambda _: int(parent_of(parent_of("self")))


def test_jobs_run_in_tasks_and_workers_come_and_go(context, texts, lines, tmp_path):
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


def test_the_loss_of_an_executor_ends_neither_the_cluster_nor_its_jobs(context, texts, lines, tmp_path):
    executors = set(context.parallelize(range(8), 8).map(executor_finder()).collect())
    assert len(executors) == 2
    with ontime.spark.Cluster(context) as cluster:
        expect_no_loss(cluster, texts, lines, tmp_path, executors.pop())
        cluster.scale(1)
        assert live(cluster) == {"spark-1"}
        cluster.scale(3)
        assert cluster.wordcount(texts).to_dict()["the"] > 1000


def test_a_worker_that_spark_gives_up_is_replaced_and_without_any_it_is_said_why(context, texts, tmp_path):
    with ontime.spark.Cluster(context, workers=2) as cluster:
        cluster._workers[0].cancel()
        wait_until(lambda: live(cluster) == {"spark-2"})
        cluster._workers[0].wait(600)
        cluster.scale(2)
        assert live(cluster) == {"spark-2", "spark-3"}
        for worker in cluster._workers:
            worker.cancel()
        for worker in cluster._workers:
            worker.wait(600)
        with pytest.raises(ontime.ClusterError, match="(?s)Spark has given up spark-2: .*cancelled"):
            cluster.nodes()


def test_workers_that_spark_has_no_cores_for_are_not_waited_for(context, texts):
    with pytest.raises(ontime.ClusterError, match="has not started 5 workers within 1 s"):
        ontime.spark.Cluster(context, workers=5, timeout=1)
    with ontime.spark.Cluster(context) as cluster:
        assert len(cluster.nodes()) == 4
        assert cluster.wordcount(texts).to_dict()["the"] > 1000

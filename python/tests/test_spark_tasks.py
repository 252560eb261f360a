"""What becomes of workers in Spark's tasks when their connection to the driver breaks. Spark is a few threads here."""

import importlib
import socket
import struct
import sys
import threading
import types

import ontime
import pytest
from handing_over import live, wait_until


class Spark:
    """Of a SparkContext what the cluster uses. Runs a task again that fails, as Spark does."""

    defaultParallelism = 2

    def __init__(self):
        self.failures = []
        self.takes_failure_for_success = False

    def getConf(self):
        return {"spark.driver.host": "127.0.0.1"}

    def broadcast(self, value):
        return types.SimpleNamespace(value=value, destroy=lambda: None)

    def setJobGroup(self, *group):
        pass

    def cancelJobGroup(self, group):
        pass

    def parallelize(self, names, count):
        def collect(task):
            for _ in range(4):
                try:
                    return list(task(iter(names)))
                except Exception as error:
                    self.failures.append(error)
                    if self.takes_failure_for_success:
                        return []
            raise self.failures[-1]

        return types.SimpleNamespace(mapPartitions=lambda task: types.SimpleNamespace(collect=lambda: collect(task)))


@pytest.fixture
def module(monkeypatch):
    pyspark = types.ModuleType("pyspark")
    pyspark.InheritableThread = threading.Thread
    pyspark.cloudpickle = types.SimpleNamespace(list_registry_pickle_by_value=list, register_pickle_by_value=lambda module: None)
    monkeypatch.setitem(sys.modules, "pyspark", pyspark)
    monkeypatch.delitem(sys.modules, "ontime.spark", raising=False)
    yield importlib.import_module("ontime.spark")
    del sys.modules["ontime.spark"]  # what is imported next may get the real one


def reset(task):
    task.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    task.close()


def end_silently(task):
    task.shutdown(socket.SHUT_RDWR)
    task.close()


def break_connection(cluster, name, how=reset):
    how(cluster._control._tasks[name])


def test_a_worker_that_is_told_ends_without_a_failure(module):
    spark = Spark()
    with module.Cluster(spark, workers=2) as cluster:
        workers = list(cluster._workers)
        cluster.scale(1)
        assert live(cluster) == {"spark-1"}
        assert workers[1].wait(600)
        connection = cluster._control._tasks["spark-1"]
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert workers[0].wait(600)
    assert [worker.error for worker in workers] == [None, None] and spark.failures == []


@pytest.mark.parametrize("how", [reset, end_silently])
def test_a_worker_whose_connection_breaks_is_run_again(module, how):
    spark = Spark()
    with module.Cluster(spark, workers=1) as cluster:
        worker, before = cluster._workers[0], cluster._control._tasks["spark-1"]
        break_connection(cluster, "spark-1", how)
        wait_until(lambda: spark.failures and cluster._control._tasks["spark-1"] is not before)
        assert "connection to the driver has broken" in str(spark.failures[0])
        wait_until(lambda: live(cluster) == {"spark-1"})
        assert worker.error is None and not worker.is_lost
    assert worker.wait(600) and worker.error is None and len(spark.failures) == 1


def test_a_worker_that_ends_without_being_told_is_replaced_and_without_any_it_is_said_why(module):
    spark = Spark()
    with module.Cluster(spark, workers=2) as cluster:
        spark.takes_failure_for_success = True
        lost = list(cluster._workers)
        break_connection(cluster, "spark-1")
        assert lost[0].wait(600) and lost[0].is_lost and not lost[1].is_lost
        cluster.scale(2)
        assert live(cluster) == {"spark-2", "spark-3"}
        lost = list(cluster._workers)
        for worker in lost:
            break_connection(cluster, worker.name)
        assert all(worker.wait(600) for worker in lost)
        with pytest.raises(ontime.ClusterError, match="Spark has given up spark-2: .*without having been told"):
            cluster.nodes()
        cluster.scale(1)
        assert live(cluster) == {"spark-4"}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_whose_thread_could_not_begin_is_lost(module):
    spark = Spark()

    def cannot(*group):
        raise SystemExit  # no Exception

    spark.setJobGroup = cannot
    worker = module._Worker(spark, "spark-1", None)
    assert worker.wait(600) and worker.is_lost
    with pytest.raises(ontime.ClusterError, match="Spark has given up spark-1"):
        module._raise_first([worker])

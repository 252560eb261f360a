"""What clusters on other engines have in common: nodes without this package, and workers that end while they map."""

import os
import shutil
import signal
import threading
import time
from pathlib import Path


def hide_package(monkeypatch):
    """From what is started from here on: neither Python nor PATH finds Ontime there."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("ONTIME_PROGRAMS", raising=False)
    entries = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(entry for entry in entries if not shutil.which("ontime-worker", path=entry)))


def package_finder():
    """A function that says where Python or PATH finds Ontime; None if it is not there. Engines send it by value."""

    def find():
        import importlib.util
        import shutil

        found = importlib.util.find_spec("ontime")
        return shutil.which("ontime-worker") or (found and found.origin)

    return find


def wait_until(holds):
    while not holds():
        time.sleep(0.02)


def live_nodes(cluster):
    """Names by ids. A worker that comes again is another node."""
    return {node["node"]: node["name"] for node in cluster.nodes() if node["state"] == "live"}


def live(cluster):
    return set(live_nodes(cluster).values())


def begin_a_job(cluster, texts, directory: Path):
    """The job, in which each worker has begun, and the file that it waits for."""
    workers = len(live(cluster))
    started, goes_on = directory / "started", directory / "goes-on"
    started.mkdir()

    def mapper(line):
        import os
        import time
        from pathlib import Path

        if not goes_on.exists():
            (Path(started) / str(os.getpid())).touch()
            while not goes_on.exists():
                time.sleep(0.01)
        yield "lines", 1

    job = cluster.map(mapper, texts, merge="sum", splits=workers, policy="none", checkpoint=0)
    wait_until(lambda: len(list(started.iterdir())) >= workers)
    return job, goes_on


def expect_no_loss(cluster, texts, lines, directory: Path, process: int):
    """Kills this process, in which workers are, in the middle of a job."""
    before = live_nodes(cluster)
    job, goes_on = begin_a_job(cluster, texts, directory)
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: live_nodes(cluster) != before)
    goes_on.touch()
    assert job.to_dict() == {"lines": len(lines)}
    wait_until(lambda: live(cluster) == set(before.values()))  # the engine has started them again


def expect_work_to_be_handed_over(cluster, texts, lines, directory: Path, end_some):
    """Has `end_some` end workers in the middle of a job."""
    job, goes_on = begin_a_job(cluster, texts, directory)
    ending = threading.Thread(target=end_some)
    ending.start()
    wait_until(lambda: any(node["state"] == "draining" for node in cluster.nodes()))
    goes_on.touch()
    ending.join()
    assert job.to_dict() == {"lines": len(lines)}
    # They have said that they leave and were released.
    ended = [node["state"] for node in cluster.nodes() if node["state"] != "live"]
    assert ended and set(ended) == {"left"}

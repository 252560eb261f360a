"""What goes wrong: in the mapper, with the job, with the cluster."""

import os
import select
import signal
import subprocess
import sys
import threading
import time

import ontime
import pytest

COUNT = 200_000


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """One line of many is no number."""
    path = tmp_path_factory.mktemp("numbers") / "numbers"
    path.write_text("".join("twelve\n" if i == 123_456 else f"{i}\n" for i in range(COUNT)))
    return path


def parity(line):
    yield int(line) % 2, 1


def test_an_exception_names_its_line_and_has_the_traceback(cluster, numbers):
    job = cluster.map(parity, numbers, merge="sum", splits=4, max_attempts=2)
    with pytest.raises(ontime.MapperError) as caught:
        job.wait()
    error = caught.value
    offset = numbers.read_bytes().index(b"twelve")
    assert (error.input, error.offset, error.line) == (str(numbers), offset, "'twelve'")
    assert error.traceback.startswith("Traceback (most recent call last)")
    assert "in parity" in error.traceback
    assert error.traceback.endswith("ValueError: invalid literal for int() with base 10: 'twelve'")
    assert "ontime_mapper.py" not in error.traceback and "ontime_sinks.py" not in error.traceback
    assert str(offset) in str(error) and isinstance(error, ontime.JobFailed)
    with pytest.raises(ontime.MapperError):
        job.to_dict()


def test_forked_children_that_go_on_answer_nothing_and_end_nothing(cluster, tmp_path):
    (tmp_path / "in").write_text("a\n" * 6)

    def forks(line):
        yield ("parent" if os.fork() else "child"), 1

    assert cluster.map(forks, tmp_path / "in", merge="sum", splits=1).to_dict() == {"parent": 6}
    with ontime.LocalCluster(workers=1) as mine:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with mine:
                    counted = mine.map(parity_of_size, tmp_path / "in", merge="sum").to_dict()
                mine.close()
                status = 0 if counted == {1: 6} else 2
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert mine.map(parity_of_size, tmp_path / "in", merge="sum").to_dict() == {1: 6}


def parity_of_size(line):
    yield len(line) % 2, 1


def test_a_cluster_has_workers():
    with pytest.raises(ontime.BadRequest, match="workers is a number from 1 on, not -1"):
        ontime.LocalCluster(workers=-1)


def test_a_bad_line_can_be_left_out(cluster, numbers):
    for merge in ("sum", None):
        job = cluster.map(parity, numbers, merge=merge, splits=4, on_error="skip")
        sums = {}
        for key, value in job:
            sums[key] = sums.get(key, 0) + value
        assert sums == {0: COUNT // 2 - 1, 1: COUNT // 2}
        assert job.counters["ontime"]["skipped lines"] == 1
        assert any("invalid literal" in text for text in job.logs().values())


def test_a_line_that_is_left_out_leaves_nothing(cluster, tmp_path):
    (tmp_path / "in").write_text("1\n2\nx\n3\n")

    def mapper(line):
        yield "seen", 1
        yield "sum", int(line) if line != "2" else "two"

    job = cluster.map(mapper, tmp_path / "in", merge="sum", on_error="skip")
    assert job.to_dict() == {"seen": 2, "sum": 4}


@pytest.mark.parametrize(
    ("mapper", "message"),
    [
        (lambda line: [line], "yields pairs of a key and a value"),
        (lambda line: ["ab"], "yields pairs of a key and a value"),
        (lambda line: [(line, object())], "cannot be a key or a value"),
        (lambda line: [(b"x", 1)], "decode them"),
    ],
)
def test_what_is_no_pair_is_refused(cluster, tmp_path, mapper, message):
    (tmp_path / "in").write_text("line\n")
    with pytest.raises(ontime.MapperError, match=message):
        cluster.map(mapper, tmp_path / "in", max_attempts=1).wait()


@pytest.mark.parametrize("merge", ["sum", "max", lambda key, values: values[0], None])
def test_a_single_value_that_cannot_be_written_names_its_line(cluster, tmp_path, merge):
    import decimal

    (tmp_path / "in").write_text("1\n2.5\n3\n")
    options = {"combine": merge} if callable(merge) else {}

    def mapper(line):
        yield line, decimal.Decimal(line) if "." in line else 1

    with pytest.raises(ontime.MapperError, match="a Decimal cannot be a key or a value") as caught:
        cluster.map(mapper, tmp_path / "in", merge=merge, max_attempts=1, **options).wait()
    assert (caught.value.offset, caught.value.line) == (2, "'2.5'")
    skipping = cluster.map(mapper, tmp_path / "in", merge=merge, on_error="skip", **options)
    assert skipping.to_dict() == {"1": 1, "3": 1}


def test_what_goes_wrong_at_no_certain_line_names_the_input(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n")
    with pytest.raises(ontime.MapperError, match="4300 digits") as caught:
        cluster.map(lambda line: [("k", 10**5000)], tmp_path / "in", merge="sum", max_attempts=1).wait()
    assert (caught.value.input, caught.value.offset, caught.value.line) == (str(tmp_path / "in"), None, None)
    assert "could not be loaded" not in str(caught.value)


def test_a_mapper_that_cannot_be_loaded(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n")
    (tmp_path / "broken.py").write_text("import there_is_no_such_module\n")
    with pytest.raises(ontime.MapperError, match="there_is_no_such_module") as caught:
        cluster.map(str(tmp_path / "broken.py"), tmp_path / "in", max_attempts=1).wait()
    assert (caught.value.input, caught.value.offset) == (None, None)
    assert "could not be loaded" in str(caught.value)


def test_a_combine_that_fails(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n" * 100)

    def combine(key, values):
        raise KeyError("from combine")

    for on_error in ("raise", "skip"):
        job = cluster.map(
            lambda line: [("k", 1)], tmp_path / "in", merge=combine, combine=combine, max_attempts=1, on_error=on_error
        )
        with pytest.raises(ontime.CombineError, match="combine raised an exception for the key 'k'") as caught:
            job.wait()
        assert caught.value.key == "'k'"
        assert caught.value.traceback.startswith("Traceback") and caught.value.traceback.endswith("'from combine'")
        assert "ontime_mapper.py" not in caught.value.traceback and "ontime_sinks.py" not in caught.value.traceback


def test_a_combine_that_makes_what_cannot_be_written(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n" * 100)

    def combine(key, values):
        return object()

    with pytest.raises(ontime.CombineError, match="cannot be a key or a value"):
        cluster.map(lambda line: [("k", 1)], tmp_path / "in", merge=combine, combine=combine, max_attempts=1).wait()


def test_a_mapper_that_ends_its_process(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n")

    def mapper(line):
        import os

        os._exit(7)

    with pytest.raises(ontime.JobFailed, match="status 7"):
        cluster.map(mapper, tmp_path / "in", max_attempts=1).wait()


def wait_for_nothing(line):
    import threading

    threading.Event().wait()


def test_a_job_is_killed_and_a_wait_can_end_before(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n")
    job = cluster.map(wait_for_nothing, tmp_path / "in")
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match=job.id):
        job.wait(timeout=1)
    assert time.monotonic() - begin >= 1
    assert not job.done()
    job.kill()
    with pytest.raises(ontime.JobKilled):
        job.wait()
    with pytest.raises(ontime.JobKilled):
        list(job)


def test_late_is_a_warning_and_the_answer_is_there(cluster, texts):
    with pytest.warns(ontime.DeadlineMissed, match="deadline was 0.001 s"):
        counts = cluster.wordcount(texts, deadline=0.001).to_dict()
    assert counts["the"] > 1000


def test_on_miss_kill(cluster, tmp_path):
    (tmp_path / "in").write_text("line\n")
    job = cluster.map(wait_for_nothing, tmp_path / "in", deadline="50ms", on_miss="kill")
    with pytest.raises(ontime.JobKilled):
        job.wait()
    assert job.late


def test_bad_requests_say_what_is_wrong(cluster, texts, tmp_path):
    with pytest.raises(ontime.BadRequest, match="No such file"):
        cluster.wordcount(tmp_path / "nothing")
    with pytest.raises(ontime.BadRequest, match="no input"):
        cluster.wordcount([])
    with pytest.raises(ontime.BadRequest, match="standard input"):
        cluster.wordcount("-")
    with pytest.raises(ontime.BadRequest, match="there is no option speed"):
        cluster.wordcount(texts, speed=3)
    with pytest.raises(ontime.BadRequest, match="merge is one of"):
        cluster.map(parity, texts, merge="product")
    with pytest.raises(ontime.BadRequest, match="combine needs merge"):
        cluster.map(parity, texts, combine=lambda key, values: 0)
    with pytest.raises(ontime.BadRequest, match="4 MiB"):
        content = os.urandom(5 << 20)
        cluster.map(lambda line: [(len(content), 1)], texts)
    with pytest.raises(ontime.BadRequest, match="cannot be pickled"):
        lock = threading.Lock()
        cluster.map(lambda line: [(str(lock), 1)], texts)
    with pytest.raises(ontime.BadRequest, match="where the output goes"):
        ontime.Client(cluster.address, token=cluster.token).wordcount(texts)
    with pytest.raises(ontime.BadRequest, match="no function map"):
        cluster.map(os, texts)


def test_a_client_without_its_token_is_refused(cluster, texts, tmp_path):
    with pytest.raises(ontime.BadRequest, match="token"):
        ontime.Client(cluster.address, token="wrong", outputs=tmp_path).wordcount(texts)


def test_a_closed_cluster_says_so(texts):
    cluster = ontime.LocalCluster(workers=1)
    job = cluster.wordcount(texts)
    cluster.close()
    with pytest.raises(ontime.ClusterError, match="closed"):
        job.wait()


def test_a_cluster_that_cannot_start_says_why():
    with pytest.raises(ontime.ClusterError, match="nonsense"):
        ontime.LocalCluster(workers=1, arguments=["--nonsense"])


def test_a_cluster_outlives_the_thread_that_made_it(texts):
    made = []
    thread = threading.Thread(target=lambda: made.append(ontime.LocalCluster(workers=1)))
    thread.start()
    thread.join()
    with made[0] as cluster:
        assert cluster.wordcount(texts).to_dict()["the"] > 1000


def test_nothing_outlives_the_process_that_made_a_cluster():
    script = (
        "import ontime, os\n"
        "cluster = ontime.LocalCluster(workers=2)\n"
        "print(*cluster._children.pids(), flush=True)\n"
        "input()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    programs = [os.pidfd_open(int(pid)) for pid in process.stdout.readline().split()]
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(programs) == 3
    for program in programs:
        assert select.select([program], [], [], 600)[0]
        os.close(program)

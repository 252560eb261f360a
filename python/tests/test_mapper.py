"""What runs beside a runner, without one: frames in, frames out."""

import decimal
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ontime import _mapper, _sinks


def service(mapper, merge=None, combine=None, **changed):
    return _mapper.Service({"merge": merge, "batches": False, "text": True, "skip": False, "records": None, "lines": False, **changed}, mapper, combine)


def segments(service, *texts):
    outputs = []
    for text in texts:
        service.begin("/in")
        outputs.append(service.records(0, text) + service.sink.take(is_last=True))
    return outputs


def test_each_segment_has_its_own_table():
    assert segments(service(lambda line: [(line, 1)], "sum"), b"a\na\nb\n", b"a\n") == [b'"a"\t2\n"b"\t1\n', b'"a"\t1\n']


def test_a_segment_that_was_given_up_leaves_nothing():
    mapped = service(lambda line: [(line, 1)], "sum")
    mapped.begin("/in")
    mapped.records(0, b"lost\n")
    assert segments(mapped, b"kept\n") == [b'"kept"\t1\n']


def test_a_table_that_grows_is_written_early(monkeypatch):
    monkeypatch.setattr(_sinks, "KEYS_MOST", 3)
    mapped = service(lambda line: [(line, 1)], "sum")
    mapped.begin("/in")
    assert mapped.records(0, b"a\nb\na\n") == b""
    assert mapped.records(6, b"c\n") == b'"a"\t2\n"b"\t1\n"c"\t1\n'
    assert mapped.sink.take(is_last=True) == b""


def test_lines_are_written_as_they_are_and_values_as_json():
    yielded = {"many": ["text\tas it is", b"\xe9", {"a": [1]}, 7], "text": "one", "dict": {"b": None}, "none": None}
    mapped = service(lambda line: yielded[line], lines=True)
    assert segments(mapped, b"many\n", b"none\ntext\ndict\n") == [b'text\tas it is\n\xe9\n{"a":[1]}\n7\n', b'one\n{"b":null}\n']


def test_a_line_with_a_line_feed_is_refused_or_skipped(capfd):
    with pytest.raises(SystemExit):
        segments(service(lambda line: "a\nb", lines=True), b"x\n")
    assert "a line has a line feed within: 'a\\nb'" in capfd.readouterr().err
    assert segments(service(lambda line: [line, line.replace("y", "\n")], lines=True, skip=True), b"x\nxy\nz\n") == [b"x\nx\nz\nz\n"]


def test_numbers_that_are_equal_are_different_keys():
    mapped = service(lambda line: [(1, 1), (1.0, 1), (True, 1), ("1", 1)], "sum")
    assert segments(mapped, b"x\nx\n") == [b'1\t2\n1.0\t2\ntrue\t2\n"1"\t2\n']


@pytest.mark.parametrize("order", ["1 1.0", "1.0 1"])
def test_of_equal_numbers_always_the_same_text_is_kept(order):
    values = [int(text) if text == "1" else float(text) for text in order.split()]
    for merge in ("max", "min"):
        assert segments(service(lambda line: [("k", value) for value in values], merge), b"x\n") == [b'"k"\t1\n']


def test_extremes_of_truth_are_numbers():
    for merge, found in (("max", b"1"), ("min", b"0")):
        assert segments(service(lambda line: [("k", False), ("k", True), ("k", False)], merge), b"x\n") == [b'"k"\t%b\n' % found]


def test_values_are_combined_while_they_come():
    sizes = []

    def combine(key, values):
        sizes.append(len(values))
        return max(values)

    lines = b"".join(b"%d\n" % i for i in range(1000))
    assert segments(service(lambda line: [("k", int(line))], "list", combine), lines) == [b'"k"\t999\n']
    assert max(sizes) <= _sinks.VALUES_MOST


def test_numpy_numbers_are_numbers():
    numpy = pytest.importorskip("numpy")
    for merge, combine in (("sum", None), ("max", None), ("list", lambda key, values: max(values)), (None, None)):
        mapped = service(lambda line: [(numpy.int64(3), numpy.float32(0.5))], merge, combine)
        assert segments(mapped, b"x\n") == [b"3\t0.5\n"]


@pytest.mark.parametrize(
    ("kind", "value"), [("int8", 100), ("uint8", 200), ("int64", 2**63 - 1), ("uint64", 2**64 - 1), ("bool_", 1), ("float16", 60000.0)]
)
def test_numpy_numbers_are_summed_without_their_limits(kind, value):
    one = getattr(pytest.importorskip("numpy"), kind)(value)
    for values in ([one] * 3, [value, one, value], [one, value, one]):
        total = segments(service(lambda line: [("k", item) for item in values], "sum"), b"x\n")
        assert total == [b'"k"\t' + _sinks.encode(3 * value) + b"\n"]
    assert segments(service(lambda line: [("k", one), ("k", 2**70)], "sum"), b"x\n")[0].endswith(_sinks.encode(value + 2**70) + b"\n")


def test_numpy_keys_are_those_of_python():
    numpy = pytest.importorskip("numpy")
    for one, other in ((numpy.int64(3), 3), (numpy.float64(0.5), 0.5), (numpy.bool_(True), True), ((numpy.int64(3),), (3,))):
        assert len(segments(service(lambda line: [(one, 1), (other, 1)], "sum"), b"x\n")[0].splitlines()) == 1


@pytest.mark.parametrize("how", ["sum", "max", None])
def test_what_numpy_has_besides_numbers_is_refused_by_its_name(capfd, how):
    numpy = pytest.importorskip("numpy")
    for value in (numpy.array([1, 2]), numpy.array([1]), numpy.longdouble(1.5), numpy.datetime64("2020-01-01"), numpy.complex128(1)):
        for skip in (False, True):
            mapped = service(lambda line: [("k", value)], how, skip=skip)
            mapped.begin("/in")
            if skip:
                assert mapped.records(0, b"x\n") == b""
            else:
                with pytest.raises(SystemExit):
                    mapped.records(0, b"x\n")
            assert f"TypeError: a {type(value).__name__} cannot be" in capfd.readouterr().err


@pytest.mark.parametrize("value", ["3", None, [1], {"a": 1}], ids=repr)
def test_what_is_no_number_is_refused_by_sums_and_extremes(capfd, value):
    for how in ("sum", "max", "min"):
        with pytest.raises(SystemExit):
            segments(service(lambda line: [("k", value)], how), b"x\n")
        assert f"TypeError: a {type(value).__name__} cannot be merged" in capfd.readouterr().err


UNWRITABLE = [object(), decimal.Decimal("1.5"), [object()], b"bytes"]
MERGES = [("sum", None), ("max", None), ("list", lambda key, values: values[0]), (None, None)]


@pytest.mark.parametrize("value", UNWRITABLE, ids=repr)
@pytest.mark.parametrize(("merge", "combine"), MERGES, ids=["sum", "max", "combine", "none"])
def test_a_value_that_cannot_be_written_names_its_line(capfd, value, merge, combine):
    def mapper(line):
        return [("k", value)] if line == "bad" else [(line, 1)]

    mapped = service(mapper, merge, combine)
    mapped.begin("/in")
    with pytest.raises(SystemExit):
        mapped.records(100, b"a\nbad\nb\n")
    said = capfd.readouterr().err
    assert "TypeError" in said
    assert said.splitlines()[-1] == """ontime: mapper failed: ["/in", 102, "'bad'"]"""
    assert len(segments(service(mapper, merge, combine, skip=True), b"a\nbad\nb\n")[0].splitlines()) == 2


def test_values_that_can_be_written_are_combined_as_they_are():
    for value in (None, True, 1, 0.5, "\udcff", [1, ["a"]], {"a": (1, None)}):
        lone = segments(service(lambda line: [("k", value)], "list", lambda key, values: values[-1]), b"x\n", b"x\nx\n")
        assert lone == [b'"k"\t%b\n' % _sinks.encode(value)] * 2
    assert segments(service(lambda line: [("k", True)], "sum"), b"x\nx\n") == [b'"k"\t2\n']


def run_beside(directory, mapper, frames):
    (directory / "job.py").write_text(mapper)
    spec = {"merge": "sum", "batches": False, "text": True, "skip": False, "records": None, "lines": False, "path": [], "how": "file"}
    spec |= {"module": "job", "file": "job.py", "name": "map", "combine": None}
    (directory / "ontime_job.json").write_text(json.dumps(spec))
    for module in (_mapper, _sinks):  # called as they are sent
        shutil.copy(module.__file__, directory / f"ontime{Path(module.__file__).name}")
    return subprocess.run([sys.executable, "ontime_mapper.py"], cwd=directory, input=frames, capture_output=True, check=False)


def test_what_goes_wrong_after_the_mapper_was_loaded_names_the_input(tmp_path):
    frames = b"segment 0 3\n/in" b"records 0 2\na\n" b"flush\n"
    # Its text has more digits than Python writes, which is not known before.
    ended = run_beside(tmp_path, "def map(line):\n    yield 'k', 10**5000\n", frames)
    said = ended.stderr.decode()
    assert ended.returncode == 1 and "Traceback" in said and "4300 digits" in said
    assert said.splitlines()[-1] == 'ontime: mapper failed: ["/in", null, null]'
    ended = run_beside(tmp_path, "import there_is_no_such_module\n", frames)
    assert ended.returncode == 1
    assert ended.stderr.decode().splitlines()[-1] == "ontime: mapper failed: null"


def test_frames(monkeypatch):
    answers = io.BytesIO()
    frames = b"segment 0 3\n/in" b"records 0 4\na\nb\n" b"flush\n" b"segment 9 3\n/in" b"flush\n"
    _mapper.serve(service(lambda line: [(line, len(line))]), io.BytesIO(frames), answers)
    assert answers.getvalue() == b'output 12\n"a"\t1\n"b"\t1\ndone\ndone\ndone\n'

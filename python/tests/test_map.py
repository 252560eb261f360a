"""Mappers through real clusters: every answer is compared with the same function called here."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import ontime
import pytest
import shipped_mapper


def words(line):
    for word in line.split():
        yield word, 1


def pairs_of(mapper, lines):
    return [pair for line in lines for pair in mapper(line) or ()]


def counted(pairs):
    counts = Counter()
    for key, value in pairs:
        counts[key] += value
    return dict(counts)


def test_sums_are_exact_however_the_input_is_divided(cluster, texts, lines):
    expected = counted(pairs_of(words, lines))
    for splits in (1, 40):
        job = cluster.map(words, texts, merge="sum", splits=splits)
        assert job.to_dict() == expected
        assert job.state == "succeeded" and not job.late


def test_sums_are_exact_when_attempts_are_slow_and_cut(texts, lines):
    # So slow that mapping takes longer than Python needs to start, also on a busy machine: else no cut is worth a start.
    slow = ["--inject", "pace=1500ms", "--inject", "straggler=0.3:6x", "--seed", "3"]
    with ontime.LocalCluster(workers=4, arguments=slow) as cluster:
        job = cluster.map(words, texts, merge="sum", splits=6, deadline="7s", policy="split-resume", checkpoint="100ms")
        assert counted(job) == counted(pairs_of(words, lines))
        tasks = json.loads(cluster._call("job", job.id, "--json"))["task_list"]
        assert sum(len(task["segments"]) for task in tasks) > len(tasks)


def test_keys_that_python_takes_for_one_do_not_lose_each_other(cluster, texts, lines):
    job = cluster.map(lambda line: [(1.0 if len(line) % 2 else 1, 1)], texts, merge="sum")
    assert sum(count for _, count in job) == len(lines)
    with pytest.raises(ontime.BadRequest, match="1 and 1.0|1.0 and 1 "):
        job.to_dict()


def test_what_a_dict_or_a_table_cannot_hold_is_refused_with_what_helps(cluster, tmp_path):
    (tmp_path / "in").write_bytes(b"one\n")

    def answer(*pairs):
        return cluster.map(lambda line: pairs, tmp_path / "in")

    with pytest.raises(ontime.BadRequest, match="the key {'a': 1} cannot be one of a dict; go through"):
        answer(({"a": 1}, 1)).to_dict()
    assert answer(("caf\udce9", 1)).to_dict() == {"caf\udce9": 1}
    pytest.importorskip("pyarrow")
    for pairs in [((1, 1), ("1", 1)), (("a", 1), ("b", "1")), ((2**70, 1),)]:
        with pytest.raises(ontime.BadRequest, match="a table cannot hold the pairs in .*: .*; let the mapper yield keys of one type"):
            answer(*pairs).to_arrow()
    with pytest.raises(ontime.BadRequest, match=r"the text 'caf\\udce9' has bytes that are not UTF-8; let the mapper decode"):
        answer(("caf\udce9", 1)).to_arrow()
    pytest.importorskip("pandas")
    with pytest.raises(ontime.BadRequest, match=r"the text 'caf\\udce9' has bytes that are not UTF-8"):
        answer(("caf\udce9", 1)).to_pandas()


def test_without_a_merge_every_pair_is_there(cluster, texts, lines):
    job = cluster.map(lambda line: [(line[:3], len(line))], texts, splits=7)
    assert Counter(job) == Counter((line[:3], len(line)) for line in lines)


def test_lines_are_written_in_the_order_of_the_input(cluster, texts, lines):
    job = cluster.map(lambda line: None if len(line) % 2 else {"text": line}, texts, write="lines", splits=7)
    assert [json.loads(line)["text"] for line in job.lines()] == [line for line in lines if len(line) % 2 == 0]
    assert cluster.map(str.upper, texts, write="lines").to_dict().keys() == {line.upper().split("\t")[0] for line in lines if line}
    with pytest.raises(ontime.BadRequest, match="only pairs are merged"):
        cluster.map(words, texts, write="lines", merge="sum")


def test_a_lambda_sees_what_it_refers_to(cluster, texts, lines):
    wanted = {"love", "hate"}
    job = cluster.map(lambda line: [(word, 1) for word in line.split() if word in wanted], texts, merge="sum")
    assert job.to_dict() == counted((word, 1) for line in lines for word in line.split() if word in wanted)
    assert job.shipped.startswith("pickled by cloudpickle")


def test_one_process_maps_many_segments(cluster, texts):
    def process(line):
        import os

        yield os.getpid(), 1

    job = cluster.map(process, texts, merge="sum", splits=30, policy="none")
    processes = job.to_dict()
    assert job.status()["tasks"] >= 20
    assert len(processes) <= 7


@pytest.mark.parametrize(("merge", "fold"), [("max", max), ("min", min), ("list", sorted)])
def test_merges_by_name(cluster, texts, lines, merge, fold):
    values = defaultdict(list)
    for line in lines:
        values[line[:1]].append(len(line))
    job = cluster.map(lambda line: [(line[:1], len(line))], texts, merge=merge, splits=5)
    found = {key: sorted(value) if merge == "list" else value for key, value in job}
    assert found == {key: fold(value) for key, value in values.items()}


@pytest.mark.parametrize("combines", [False, True])
def test_a_function_merges(cluster, texts, lines, combines):
    def longest(key, found):
        return max(found, key=lambda line: (len(line), line))

    def mapper(line):
        yield line[:1], line

    job = cluster.map(mapper, texts, merge=longest, combine=longest if combines else None, splits=5)
    values = defaultdict(list)
    for line in lines:
        values[line[:1]].append(line)
    assert job.to_dict() == {key: longest(key, value) for key, value in values.items()}


def test_sums_that_are_no_json(cluster, tmp_path):
    (tmp_path / "in").write_text("a\nb\n")
    pairs = [("inf", float("inf")), ("minus", -float("inf")), ("large", 2**70)]
    found = cluster.map(lambda line: pairs, tmp_path / "in", merge="sum", splits=2).to_dict()
    assert found == {"inf": float("inf"), "minus": -float("inf"), "large": float(2**71)}
    nan = cluster.map(lambda line: [("k", float("nan"))], tmp_path / "in", merge="sum", splits=2).to_dict()
    assert nan["k"] != nan["k"]


STRANGE = [
    ("tab\tline\nend\r\"\\\0\u2028", None),
    ((1, "a", (None, True)), [1, [2.5, "x\ty"]]),
    ("1", 1),
    (1, 1.0),
    (1.0, {"a": [None, False]}),
    (True, -(2**70)),
    (None, float("inf")),
    ("\udcff\u00e9", "\udcfe"),
]


def test_keys_and_values_come_back_as_they_were(cluster, tmp_path):
    (tmp_path / "in").write_text("one line\n")
    strange = STRANGE
    found = list(cluster.map(lambda line: strange, tmp_path / "in"))
    assert sorted(map(repr, found)) == sorted(map(repr, STRANGE))


def test_lines_keep_their_bytes(cluster, tmp_path):
    content = b"caf\xc3\xa9\xff\r\n\n\x0b\xe2\x80\xa8 no end"
    (tmp_path / "in").write_bytes(content)
    expected = content.split(b"\n")
    as_text = dict(cluster.map(lambda line: [(line, len(line))], tmp_path / "in", merge="sum"))
    assert as_text == {line.decode("utf-8", "surrogateescape"): len(line.decode("utf-8", "surrogateescape")) for line in expected}
    as_bytes = dict(cluster.map(lambda line: [(line.hex(), 1)], tmp_path / "in", merge="sum", text=False))
    assert as_bytes == {line.hex(): 1 for line in expected}


def test_a_mapper_of_batches(cluster, texts, lines):
    def batch(some):
        yield "lines", len(some)
        yield "characters", sum(map(len, some))

    job = cluster.map(batch, texts, merge="sum", batches=True)
    assert job.to_dict() == {"lines": len(lines), "characters": sum(map(len, lines))}


def test_mappers_by_file_module_and_name(cluster, texts, lines):
    expected = counted(pairs_of(shipped_mapper.map, lines))
    file = Path(shipped_mapper.__file__)
    for mapper, combine, shipped in [
        (str(file), "combine", "map of the file shipped_mapper.py"),
        (shipped_mapper, None, "map of the file shipped_mapper.py"),
        ("shipped_mapper", None, "map of the module shipped_mapper"),
        (shipped_mapper.map, shipped_mapper.combine, "pickled by cloudpickle"),
    ]:
        job = cluster.map(mapper, texts, merge=shipped_mapper.combine, combine=combine)
        assert job.to_dict() == expected
        assert job.shipped.startswith(shipped)
    # Without a merge nothing is combined, whatever the module has.
    assert Counter(cluster.map(shipped_mapper, texts)) == Counter(pairs_of(shipped_mapper.map, lines))
    job = cluster.map(f"{file}:lengths", texts, merge="sum", deadline=None, name=None, files=None)
    assert job.to_dict() == counted((len(line), 1) for line in lines)


def test_without_cloudpickle_the_file_of_a_function_is_sent(cluster, texts, lines, monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    job = cluster.map(shipped_mapper.lengths, texts, merge="sum")
    assert job.shipped == "lengths of the file shipped_mapper.py"
    assert job.to_dict() == counted((len(line), 1) for line in lines)
    for mapper in (lambda line: [(line, 1)], Counter().update):
        with pytest.raises(ontime.BadRequest, match="install cloudpickle"):
            cluster.map(mapper, texts)


def test_a_script_without_cloudpickle_sends_itself(texts, lines, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "sys.modules['cloudpickle'] = None\n"
        "import ontime\n"
        "def lengths(line):\n"
        "    yield len(line), 1\n"
        "if __name__ == '__main__':\n"
        "    with ontime.LocalCluster(workers=1) as cluster:\n"
        "        print(sorted(cluster.map(lengths, sys.argv[1], merge='sum')))\n"
    )
    printed = subprocess.run([sys.executable, script, texts], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == str(sorted(counted((len(line), 1) for line in lines).items()))


def test_files_are_sent_along_and_imported(cluster, tmp_path):
    (tmp_path / "helper_of_a_mapper.py").write_text("def shout(text):\n    return text.upper()\n")
    (tmp_path / "in").write_text("a\nb\n")

    def mapper(line):
        import helper_of_a_mapper

        yield helper_of_a_mapper.shout(line), 1

    job = cluster.map(mapper, tmp_path / "in", files=[tmp_path / "helper_of_a_mapper.py"])
    assert sorted(job) == [("A", 1), ("B", 1)]


def test_what_a_mapper_prints_is_in_its_log(cluster, tmp_path):
    (tmp_path / "in").write_text("hello\n")

    def mapper(line):
        print("saw", line)
        return [(line, 1)]

    job = cluster.map(mapper, tmp_path / "in").wait()
    assert job.logs() == {(0, 0): "saw hello\n"}


def test_counters_of_a_mapper(cluster, texts, lines):
    def mapper(line):
        import sys

        print("reporter:counter:mine,lines,1", file=sys.stderr)

    job = cluster.map(mapper, texts, splits=4).wait()
    assert list(job) == []
    assert job.counters == {"mine": {"lines": len(lines)}}

"""Clients, results and progress."""

import datetime
import re
from collections import Counter
from pathlib import Path

import ontime
import pytest
from ontime import progress


def word_counts(texts: Path) -> dict[str, int]:
    counts = Counter()
    for file in texts.glob("*.txt"):
        counts.update(re.findall(rb"[^ \t\n\v\f\r]+", file.read_bytes()))
    return {word.decode("utf-8", "surrogateescape"): count for word, count in counts.items()}


def test_wordcount_with_a_client_of_its_own(cluster, texts, tmp_path):
    client = ontime.Client(cluster.address, token=cluster.token, outputs=tmp_path)
    job = client.wordcount(texts, name="all words", deadline=datetime.timedelta(minutes=5), priority=3, split_size="1MiB")
    assert job.to_dict() == word_counts(texts)
    status = job.status()
    assert (status["name"], status["priority"], status["deadline_seconds"]) == ("all words", 3, 300)
    assert Path(job.output).parent == tmp_path


def test_a_deadline_can_be_a_time(cluster, texts):
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=3)
    for deadline in (due, due.astimezone().replace(tzinfo=None), due.astimezone(datetime.timezone(datetime.timedelta(hours=-9)))):
        status = cluster.wordcount(texts, deadline=deadline).wait().status()
        assert abs(status["due_unix_ns"] / 1e9 - due.timestamp()) < 60
    with pytest.raises(ontime.BadRequest, match="has passed"):
        cluster.wordcount(texts, deadline=due - datetime.timedelta(days=1))


def test_files_that_the_environment_names_do_not_replace_what_is_given(cluster, monkeypatch):
    for name in ("ONTIME_TOKEN_FILE", "ONTIME_TLS_CA", "ONTIME_TLS_CERT", "ONTIME_TLS_KEY"):
        monkeypatch.setenv(name, "/nowhere")
    for client in (cluster, ontime.Client(cluster.address, token=cluster.token, tls_dir="")):
        assert len(client.nodes()) == 2


def test_an_answer_is_read_again_without_a_master(cluster, texts, tmp_path):
    expected = cluster.wordcount(texts, output=tmp_path / "counts").to_dict()
    assert ontime.Results(tmp_path / "counts", decode="counts").to_dict() == expected
    with pytest.raises(ontime.OntimeError):
        list(ontime.Results(tmp_path / "nothing"))
    with pytest.raises(ontime.BadRequest, match='give decode="counts" for wordcount'):
        list(ontime.Results(tmp_path / "counts"))


def test_lists_that_are_read_again_need_their_merge(cluster, tmp_path):
    (tmp_path / "in").write_text("a 1\nb 1\nb 2\n")
    for merge in ("list", lambda key, values: values):
        output = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        expected = cluster.map(lambda line: [tuple(line.split())], tmp_path / "in", merge=merge, output=output).to_dict()
        assert expected == {"a": ["1"], "b": ["1", "2"]}
        assert ontime.Results(output, merge="list").to_dict() == expected
        assert ontime.Results(output, merge=lambda key, values: len(values)).to_dict() == {"a": 1, "b": 2}
        for wrong in (None, "sum"):
            with pytest.raises(ontime.BadRequest, match="have lists of values"):
                list(ontime.Results(output, merge=wrong))
    sums = cluster.map(lambda line: [(line[0], 1)], tmp_path / "in", merge="sum", output=tmp_path / "sums").to_dict()
    assert ontime.Results(tmp_path / "sums").to_dict() == sums == {"a": 1, "b": 2}


def test_what_is_excluded_or_skipped_is_left_out(cluster, tmp_path):
    for name in ("a.txt", "b.bak", "c.tmp"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "names").write_text(f"{tmp_path}/b.bak\n")
    gone = tmp_path / "gone.txt"
    job = cluster.wordcount([tmp_path / "a.txt", gone], skip="vanished", output=tmp_path / "one")
    assert job.to_dict() == {"a.txt": 1}
    assert [one["path"] for one in job.status()["left_out"]] == [str(gone)]
    more = cluster.wordcount(tmp_path / "*.*", exclude=["*.tmp", "c*"], output=tmp_path / "two")
    assert more.to_dict() == {"a.txt": 1, "b.bak": 1}
    named = cluster.wordcount([], files_from=tmp_path / "names", growing=True, max_window="1GiB", output=tmp_path / "three")
    assert named.to_dict() == {"b.bak": 1}


def test_compressed_answers_are_the_same(cluster, texts, tmp_path):
    expected = cluster.wordcount(texts).to_dict()
    for compress, ending in (("zstd:9", ".tsv.zst"), ("gzip", ".tsv.gz")):
        output = tmp_path / compress[:4]
        job = cluster.wordcount(texts, output=output, compress=compress, parts_suffix=".tsv")
        assert job.to_dict() == expected
        assert job.status()["compress"] == compress
        assert 0 < job.status()["output_bytes"] < job.status()["output_content_bytes"]
        assert (output / f"part-m-00000{ending}").stat().st_size > 0
    with pytest.raises(ontime.BadRequest, match="'lz4' is no compression of part files"):
        cluster.wordcount(texts, compress="lz4").wait()


def test_other_applications(cluster, tmp_path):
    (tmp_path / "in").write_text("b\t2\na\t1\nc\n")
    job = cluster.run("sort", tmp_path / "in", {"reverse": "yes"})
    assert list(job.lines()) == [b"c", b"b\t2", b"a\t1"]
    assert list(job) == [("c", None), ("b", "2"), ("a", "1")]


def test_reading_can_stop_early(cluster, texts):
    job = cluster.wordcount(texts)
    first, second = next(iter(job)), next(iter(job))
    assert first == second == min(job.to_dict().items(), key=lambda item: item[0].encode("utf-8", "surrogateescape"))


def test_arrow_and_pandas(cluster, texts):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    job = cluster.map(lambda line: [(line[:2], len(line) / 2)], texts, merge="sum")
    table = job.to_arrow(("start", "half"))
    assert table.column_names == ["start", "half"]
    assert dict(zip(table["start"].to_pylist(), table["half"].to_pylist())) == job.to_dict()
    frame = job.to_pandas()
    assert dict(zip(frame["key"], frame["value"])) == job.to_dict()
    empty = cluster.map(lambda line: None, texts)
    assert empty.to_arrow().num_rows == 0 and len(empty.to_pandas()) == 0


def test_progress_reaches_a_function(cluster, texts):
    seen = []
    cluster.wordcount(texts).wait(progress=seen.append)
    assert seen[-1]["state"] == "succeeded"
    assert progress.fraction(seen[-1]) == 1


def test_progress_on_a_terminal_is_one_line(cluster, texts, capsys):
    cluster.wordcount(texts).wait(progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith("\r\033[K[") and shown.count("\n") == 1
    assert "100%" in shown.split("\r")[-1] and "succeeded" in shown.split("\r")[-1]


def test_no_progress_where_nobody_looks(cluster, texts, capsys):
    cluster.wordcount(texts).wait()
    assert capsys.readouterr().err == ""


def test_progress_says_what_a_job_waits_for_and_when_it_is_late():
    status = {
        "state": "running",
        "input_bytes": 4 << 30,
        "mapped_bytes": 1 << 30,
        "tasks": 40,
        "tasks_done": 10,
        "ended_unix_ns": None,
        "elapsed_seconds": 30.0,
        "deadline_seconds": 25.0,
        "waiting_for": None,
        "forecast": {"median_seconds": 120.0, "pocd": 0.0},
        "attempts_failed": 2,
    }
    assert progress.text_of(status) == (
        " 25%  1.0 GiB of 4.0 GiB  tasks 10/40  ETA 1m 30s  late 5.0 s  PoCD 0  2 failed attempts"
    )
    assert "no workers" in progress.text_of({**status, "waiting_for": "workers"})
    assert "waiting for a slot" in progress.text_of({**status, "waiting_for": "a slot"})


def test_the_first_example_of_the_page_runs(texts, monkeypatch, capsys):
    tree = texts.parents[1]
    monkeypatch.chdir(tree)
    example = (tree / "docs" / "python.md").read_text().split("```py\n")[1].split("```")[0]
    exec(compile(example, "docs/python.md", "exec"), {"__name__": "example"})
    printed = [line.rsplit(" ", 1) for line in capsys.readouterr().out.splitlines()]
    assert int(dict(printed)["the"]) > 1000

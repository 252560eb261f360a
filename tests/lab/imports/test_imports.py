"""``ontime import`` on logs that others have written; logs/README.md says whose they are."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ontime.lab import imports
from ontime.lab.imports import sources

LOGS = Path(__file__).parent / "logs"
SPECULATING = LOGS / "application_1628109047826_1317105"
# Of each, the format. Their simulated times are within 5 % of the recorded ones, in the median over the jobs.
NEAR = {
    "xgboost_eventlog.zstd": "spark",
    "eventlog_4nodes_8cores_dynamic_alloc.zstd": "spark",
    "spark2-eventlog.zstd": "spark",  # of tasks that take milliseconds
    "sleep.jhist.gz": "jhist",
    "trace_1m.json.gz": "rumen",
    "inputsls.json": "sls",
    "helloworld-forkjoin-10-chameleon.json": "wfformat",
    "srasearch-chameleon-10a-001.json": "wfformat",
}


def imported(tmp_path: Path, log_format: str, *files: Path, copies: str = "host-aware") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(imports.run(log_format, str(tmp_path / "t"), copies, [str(file) for file in files], True))
    return found


def rows(tmp_path: Path, ending: str) -> list[dict[str, str]]:
    with (tmp_path / f"t{ending}").open(newline="") as file:
        return list(csv.DictReader(file))


def ontime(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("ontime")
    assert program
    environment = {**os.environ, "ONTIME_PYTHON": sys.executable}
    return subprocess.run([program, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("name", "log_format"), NEAR.items())
def test_simulated_whole_under_the_policy_that_ran_jobs_end_as_recorded(tmp_path: Path, name: str, log_format: str) -> None:
    done = ontime(tmp_path, "import", log_format, str(LOGS / name), "-o", "t", "--check", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["compared"] == found["jobs"] > 0
    assert found["median_apart"] <= 0.05, found


@pytest.mark.parametrize("copies", ["host-aware", "resampled", "pareto", "lognormal"])
def test_is_replayed_under_other_policies_however_copies_are_drawn(tmp_path: Path, copies: str) -> None:
    imported(tmp_path, "spark", LOGS / "xgboost_eventlog.zstd", copies=copies)
    policies = [word for policy in ("none", "late", "mantri", "split-resume", "shed+") for word in ("--policy", policy)]
    done = ontime(tmp_path, "simulate", "t.yaml", "--json", *policies)
    assert done.returncode == 0, done.stderr
    assert [policy["jobs"] for policy in json.loads(done.stdout)["policies"]] == [12] * 5


def test_a_speculative_attempt_and_what_became_of_it(tmp_path: Path) -> None:
    found = imported(tmp_path, "spark", SPECULATING)
    assert (found["jobs"], found["tasks"], found["attempts"], found["copies"], found["won"]) == (1, 4, 5, 1, 0)
    copy = next(row for row in rows(tmp_path, "-attempts.csv") if row["speculative"] == "yes")
    assert (copy["task"], copy["outcome"], copy["won"], copy["duration_s"]) == ("3", "killed", "no", "53.201")
    assert rows(tmp_path, ".csv")[0]["durations_s"] == "2.234 2.647 5.124 63.773"
    assert "policies: [hadoop]" in (tmp_path / "t.yaml").read_text()


def test_copies_of_hadoop_are_told_by_an_earlier_attempt_that_runs(tmp_path: Path) -> None:
    found = imported(tmp_path, "rumen", LOGS / "job-tracker-logs-trace-output.gz")
    assert (found["attempts"], found["copies"], found["won"]) == (276, 37, 7)


def test_a_bad_line_is_counted_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = imported(tmp_path, "spark", LOGS / "malformed_json_eventlog.zstd")
    assert (found["left_out"], found["attempts"]) == (1, 217)
    told = capsys.readouterr().err
    assert "malformed_json_eventlog.zstd, line 4: it is not JSON\nleft out: 1 line\n" in told


def test_what_ends_in_the_middle_is_read_so_far(tmp_path: Path) -> None:
    cut = tmp_path / "cut.zstd"
    cut.write_bytes((LOGS / "xgboost_eventlog.zstd").read_bytes()[:60_000])
    found = imported(tmp_path, "spark", cut)
    assert found["left_out"] == 1 and 0 < found["attempts"] < 155


def test_a_rolled_log_is_one_and_begins_with_what_was_compacted(tmp_path: Path) -> None:
    lines = SPECULATING.read_bytes().splitlines(keepends=True)
    rolled = tmp_path / "eventlog_v2_a"
    rolled.mkdir()
    (rolled / "appstatus_a").touch()
    (rolled / "events_1_a").write_bytes(b"".join(lines[:30]))
    (rolled / "events_2_a.compact").write_bytes(b"".join(lines[:40]))
    (rolled / "events_10_a").write_bytes(b"".join(lines[40:]))
    assert imported(tmp_path, "spark", rolled)["attempts"] == 5


def test_blocks_of_lz4_as_spark_writes_them(tmp_path: Path) -> None:
    data = SPECULATING.read_bytes()
    packed = tmp_path / "log.lz4"
    blocks = [data[at : at + 32768] for at in range(0, len(data), 32768)] + [b""]
    packed.write_bytes(b"".join(struct.pack("<8sBiiI", b"LZ4Block", 0x15, len(b), len(b), 0) + b for b in blocks))
    assert imported(tmp_path, "spark", packed)["attempts"] == 5
    packed.write_bytes(struct.pack("<8sBiiI", b"LZ4Block", 0x25, 4, 4, 0) + b"....")
    if sources._module("lz4.block") is None:
        with pytest.raises(ValueError, match="install the Python package lz4"):
            list(sources.lines(packed, sources.LeftOut()))


def test_other_bytes_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="begins with the line Avro-Json"):
        imported(tmp_path, "jhist", SPECULATING)
    with pytest.raises(ValueError, match="is 'rumen' their format"):
        imported(tmp_path, "rumen", LOGS / "inputsls.json")
    done = ontime(tmp_path, "import", "spark", "nowhere", "-o", "t")
    assert done.returncode == 1 and done.stderr == "ontime: nowhere: No such file or directory\n"
    assert not list(tmp_path.glob("*t*.csv")) and not list(tmp_path.glob(".ontime-import-*"))


def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("mine")
    done = ontime(tmp_path, "import", "sls", str(LOGS / "inputsls.json"), "-o", "t")
    assert done.returncode == 2 and "'t.csv' is there already" in done.stderr
    assert (tmp_path / "t.csv").read_text() == "mine"


def test_alibaba_by_the_published_schema(tmp_path: Path) -> None:
    (tmp_path / "batch_task.csv").write_text("M1,2,j_1,1,Terminated,100,160,100,0.2\nM2,1,j_1,1,Running,170,0,100,0.2\n")
    (tmp_path / "batch_instance.csv").write_text(
        "i_1,M1,j_1,1,Terminated,110,130,m_1,1,1,,,,\n"
        "i_2,M1,j_1,1,Failed,110,120,m_2,1,2,,,,\n"
        "i_2,M1,j_1,1,Terminated,120,160,m_1,2,2,,,,\n"
        "i_3,M2,j_1,1,Running,170,0,m_1,1,1,,,,\n"
        "i_4,M1\n"
    )
    found = imported(tmp_path, "alibaba2018", tmp_path / "batch_task.csv", tmp_path / "batch_instance.csv")
    assert (found["jobs"], found["tasks"], found["attempts"], found["left_out"]) == (1, 2, 3, 1)
    job = rows(tmp_path, ".csv")[0]
    assert (job["stage"], job["ended_s"], job["durations_s"]) == ("j_1/M1", "60", "20 50")


def test_google_by_the_published_schema_in_any_order(tmp_path: Path) -> None:
    events = [
        ("7", 0, 1_000_000, "SUBMIT", ""), ("7", 0, 3_000_000, "3", "41"), ("7", 0, 9_000_000, "FINISH", "41"),
        ("7", 1, 9_000_000, "SCHEDULE", "42"), ("7", 1, 4_000_000, "EVICT", "42"), ("7", 1, 2_000_000, "3", "42"),
        ("7", 1, 19_000_000, "6", "42"), ("8", 0, 0, "SCHEDULE", "42"), ("8", 0, 5_000_000, "FINISH", "42"),
    ]  # fmt: skip
    titles = ("collection_id", "instance_index", "time", "type", "machine_id")
    as_json, as_csv = tmp_path / "e.json", tmp_path / "e.csv"
    as_json.write_text("".join(json.dumps(dict(zip(titles, map(str, event), strict=True))) + "\n" for event in events))
    with as_csv.open("w", newline="") as file:
        csv.writer(file).writerows([titles, *events])
    written = []
    for path in (as_json, as_csv):
        found = imported(tmp_path, "google2019", path)
        assert (found["jobs"], found["tasks"], found["attempts"]) == (1, 2, 3)
        written.append((tmp_path / "t-attempts.csv").read_text())
        for ending in (".csv", "-attempts.csv", ".yaml"):
            (tmp_path / f"t{ending}").unlink()
    assert written[0] == written[1] and "7,0,0,1,2,42,0,no,killed,no" in written[0]


def test_a_parallel_workload_gives_arrivals_and_sizes(tmp_path: Path) -> None:
    log = tmp_path / "a.swf"
    log.write_text(
        "; Version: 2.2\n; MaxProcs: 8\n1 0 5 30 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n"
        "2 10 0 -1 -1 -1 -1 2 60 -1 5 1 1 1 1 1 -1 -1\n3 20 15 9 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n4 5\n"
    )
    found = imported(tmp_path, "swf", log)
    assert (found["jobs"], found["tasks"], found["nodes"], found["slots"], found["left_out"]) == (2, 6, 8, 8, 1)
    assert [(row["submit_s"], row["tasks"]) for row in rows(tmp_path, ".csv")] == [("0", "4"), ("20", "2")]


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    whole = gzip.decompress((LOGS / "trace_1m.json.gz").read_bytes()).decode()
    many = tmp_path / "many.json"
    with many.open("w") as file:
        for copy in range(300):
            file.write(whole.replace('"job_', f'"job_{copy}').replace('"task_', f'"task_{copy}'))
    script = (
        "import resource, sys; from ontime.lab import imports; imports.run('rumen', sys.argv[1], 'resampled', [sys.argv[2]], True); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )

    def taken(log: Path, name: str) -> int:
        words = [sys.executable, "-c", script, str(tmp_path / name), str(log)]
        return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    least = taken(LOGS / "trace_1m.json.gz", "one")
    assert taken(many, "t") < least + many.stat().st_size / 1024 / 2  # KiB
    assert len(rows(tmp_path, ".csv")) == 3000

"""Records that are no lines, compared with what other readers make of the same bytes, such as Python's csv and json, and warcio."""

import bz2
import csv
import gzip
import io
import json
import lzma
import random
import subprocess
from collections import Counter
from pathlib import Path

import ontime
import pytest

TEXTS = ["a", "b,c", 'say "x"', "two\nlines", "", '","', "1\r\n2", "é"]


def whole(record):
    """Each record as a key, so that all of them are compared, and how often they come."""
    yield json.dumps(record, sort_keys=True), 1


def counted(job):
    return Counter(dict(job))


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_rows_are_those_of_csv(cluster: ontime.LocalCluster, tmp_path: Path, delimiter: str) -> None:
    chosen = random.Random(1)
    rows = [[chosen.choice(TEXTS) for _ in range(1 + chosen.randrange(4))] for _ in range(3000)]
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    name = "csv" if delimiter == "," else "csv:delimiter=\\t"
    with path.open(newline="") as file:
        expected = Counter(json.dumps(row) for row in csv.reader(file, delimiter=delimiter))
    for splits in (1, 7, 40):
        job = cluster.map(whole, path, merge="sum", records=name, splits=splits, output=tmp_path / f"out-{splits}")
        assert counted(job) == expected


def test_a_header_makes_dicts(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('id,"the\ntext"\n' + "".join(f'{i},"{i} ""x"",\n"\n' for i in range(500)))
    with path.open(newline="") as file:
        expected = Counter(json.dumps(row, sort_keys=True) for row in csv.DictReader(file))
    job = cluster.map(whole, path, merge="sum", records="csv:header=yes", splits=9, output=tmp_path / "out")
    assert counted(job) == expected


@pytest.mark.parametrize("is_array", [False, True])
def test_documents_are_those_of_json(cluster: ontime.LocalCluster, tmp_path: Path, is_array: bool) -> None:
    values = [{"id": i, "of": ["}{", {"x": [i, None]}]} if i % 3 else f'"{i}\n' for i in range(2000)]
    path = tmp_path / "documents.json"
    path.write_text(json.dumps(values, indent=1) if is_array else "\n".join(json.dumps(value, indent=2) for value in values))
    job = cluster.map(whole, path, merge="sum", records="json:array" if is_array else "json", output=tmp_path / "out")
    assert counted(job) == Counter(json.dumps(value, sort_keys=True) for value in values)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_elements_are_those_of_json_in_the_next_job_too(cluster: ontime.LocalCluster, tmp_path: Path, compress) -> None:
    """By then it is known where they begin, and all but xz in one block are divided."""
    chosen = random.Random(1)
    values = [{"id": i, "of": chosen.randbytes(200).hex(), "in": ["}, {", chosen.random()]} for i in range(12_000)]
    path = tmp_path / "elements.json"
    path.write_bytes(compress(json.dumps(values).encode()))
    expected = Counter(json.dumps(value, sort_keys=True) for value in values)
    tasks = []
    for run in ("first", "second"):
        job = cluster.map(whole, path, merge="sum", records="json:array", split_size="1MiB", output=tmp_path / run)
        assert counted(job) == expected
        tasks.append(job.status()["tasks"])
    assert tasks[0] == 1
    assert tasks[1] == 1 if compress is lzma.compress else tasks[1] > 2


def test_paragraphs_are_those_of_awk(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    chosen = random.Random(1)
    path = tmp_path / "text"
    path.write_text("".join(chosen.choices(["a line\n", "\n", "\n\n", "another\n", " x\n"], k=5000)))
    awk = ["awk", 'BEGIN { RS = ""; ORS = "\\0" } { print }', path]
    expected = Counter(json.dumps(text) for text in subprocess.run(awk, capture_output=True, check=True, text=True).stdout.split("\0")[:-1])
    for splits in (1, 13):
        job = cluster.map(whole, path, merge="sum", records="paragraph", splits=splits, output=tmp_path / f"out-{splits}")
        assert counted(job) == expected


def test_records_by_content_are_refused(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    with pytest.raises(ontime.BadRequest, match="say which records"):
        cluster.map(whole, tmp_path, records="auto")


def test_a_document_that_is_none_is_named(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    path = tmp_path / "documents.json"
    path.write_text('{"a": 1}\n{"b": }\n')
    with pytest.raises(ontime.MapperError, match="Expecting value"):
        cluster.map(whole, path, records="json", output=tmp_path / "out").wait()


def test_records_of_warc_files_are_those_of_warcio(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    warcio = pytest.importorskip("warcio")
    from warcio.archiveiterator import ArchiveIterator

    def summary(record):
        yield json.dumps([record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), len(record.content_stream().read())]), 1

    for is_gzip in (False, True):
        path = tmp_path / ("pages.warc.gz" if is_gzip else "pages.warc")
        with path.open("wb") as file:
            writer = warcio.WARCWriter(file, gzip=is_gzip)
            for i in range(300):
                content = io.BytesIO(b"WARC/1.0\r\n\r\n" * (i % 4) + b"x" * i)
                writer.write_record(writer.create_warc_record(f"http://example.org/{i}", "resource", payload=content))
        with path.open("rb") as file:
            expected = Counter(next(iter(summary(record)))[0] for record in ArchiveIterator(file))
        job = cluster.map(summary, path, merge="sum", records="warc", output=tmp_path / f"out-{is_gzip}")
        assert counted(job) == expected


@pytest.mark.parametrize("splits", [1, 9])
def test_reads_of_fastq_are_those_of_dnaio(cluster: ontime.LocalCluster, tmp_path: Path, splits: int) -> None:
    dnaio = pytest.importorskip("dnaio")
    chosen = random.Random(1)
    path = tmp_path / "reads.fastq"
    with path.open("w") as file:
        for i in range(3000):
            size = 1 + chosen.randrange(60)
            letters, quality = ("".join(chosen.choices(of, k=size)) for of in ("ACGTN", "@+!I5"))
            file.write(f"@read {i}\n{letters}\n+\n{quality}\n")

    def parts(record):
        name, letters, _, quality = record.split("\n")
        yield json.dumps([name[1:], letters, quality]), 1

    with dnaio.open(path) as reads:
        expected = Counter(json.dumps([read.name, read.sequence, read.qualities]) for read in reads)
    assert counted(cluster.map(parts, path, merge="sum", records="fastq", splits=splits, output=tmp_path / "out")) == expected


@pytest.mark.parametrize("splits", [1, 9])
def test_elements_of_xml_are_those_of_elementtree(cluster: ontime.LocalCluster, tmp_path: Path, splits: int) -> None:
    from xml.etree import ElementTree

    chosen = random.Random(1)
    path = tmp_path / "pages.xml"
    with path.open("w") as file:
        file.write('<?xml version="1.0"?>\n<mediawiki>\n  <siteinfo>&lt;page&gt;</siteinfo>\n')
        for i in range(2000):
            text = "".join(chosen.choices(["é", "&lt;/page>", "\n", "<pages/>", "[[x]]"], k=chosen.randrange(9)))
            file.write(f'  <page id="{i}"><title>{i}</title><text>{text}</text></page>\n')
        file.write("</mediawiki>\n")

    def parts(element):
        yield json.dumps([element.get("id"), "".join(element.itertext())]), 1

    def parsed(record):
        yield from parts(ElementTree.fromstring(record))

    expected = Counter(key for _, page in ElementTree.iterparse(path) if page.tag == "page" for key, _ in parts(page))
    job = cluster.map(parsed, path, merge="sum", records="xml:page", splits=splits, output=tmp_path / "out")
    assert counted(job) == expected


def test_other_records_are_text_or_bytes(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("a\nb;c;;d")
    options = {"merge": "sum", "records": "delimiter:;", "text": True}
    assert counted(cluster.map(whole, path, output=tmp_path / "out", **options)) == Counter(
        json.dumps(text) for text in ["a\nb", "c", "", "d"]
    )
    lengths = cluster.map(lambda record: [(len(record), 1)], path, merge="sum", records="delimiter:;", text=False, output=tmp_path / "n")
    assert dict(lengths) == {3: 1, 1: 2, 0: 1}


def tables(directory: Path) -> list[tuple[int, str]]:
    """Files of several row groups, one of them in a directory below, and what they hold."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (directory / "below").mkdir(parents=True)
    rows = [(i, f"text {i % 97}") for i in range(5000)]
    for name, part in (("a.parquet", rows[:3000]), ("below/b.parquet", rows[3000:])):
        columns = {"id": [id for id, _ in part], "text": [text for _, text in part], "other": [0.5] * len(part)}
        parquet.write_table(arrow.table(columns), directory / name, row_group_size=450)
    (directory / "_metadata").write_text("none of them")
    return rows


def rows_of(table):
    """Its rows, and how it came."""
    for row in zip(*(table.column(name).to_pylist() for name in table.column_names)):
        yield json.dumps(row), 1
    yield f"{table.num_rows} of {','.join(table.column_names)}", 1


@pytest.mark.parametrize("splits", [None, 1, 4])
def test_row_groups_of_parquet_are_tables(cluster: ontime.LocalCluster, tmp_path: Path, splits: int | None) -> None:
    rows = tables(tmp_path / "in")
    output = tmp_path / "out"
    job = cluster.map(rows_of, tmp_path / "in", merge="sum", records="parquet:columns=id,text", splits=splits, output=output)
    expected = Counter(json.dumps(row) for row in rows)
    expected.update(f"{count} of id,text" for count in 6 * [450] + [300] + 4 * [450] + [200])
    assert counted(job) == expected
    assert (tmp_path / "out.row-groups").read_text().count("\n") == 12


def test_a_parquet_file_that_changed_is_named(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    tables(tmp_path / "in")
    path = tmp_path / "in" / "a.parquet"

    def changing(table):
        path.touch()
        return rows_of(table)

    with pytest.raises(ontime.MapperError, match="row group 1 of .*a.parquet cannot be read: it changed"):
        cluster.map(changing, path, records="parquet", splits=1, max_attempts=1, output=tmp_path / "out").wait()


def test_what_is_no_parquet_is_refused(cluster: ontime.LocalCluster, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "text").write_text("text")
    for inputs, why in ((tmp_path / "text", "cannot be read as Parquet"), (tmp_path / "none", "there is no input"), ("s3://b/k", "files of")):
        with pytest.raises(ontime.BadRequest, match=why):
            cluster.map(rows_of, inputs, records="parquet", output=tmp_path / "out")

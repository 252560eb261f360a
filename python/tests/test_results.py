"""How an answer is read, whatever stands in it: many lines at once, or one by one where they are not alike."""

import math

import ontime
import ontime.results
import pytest


@pytest.fixture(params=[1, 7, 1 << 18])
def read(request, tmp_path, monkeypatch):
    """Reads these bytes as an answer, so many at a time."""
    program = tmp_path / "ontime"
    program.write_text('#!/bin/sh\nexec cat "$3"/answer\n')
    program.chmod(0o755)
    monkeypatch.setenv("ONTIME_PROGRAMS", str(tmp_path))
    monkeypatch.setattr(ontime.results, "_BLOCK", request.param)

    def of(answer, *how):
        (tmp_path / "answer").write_bytes(answer)
        return ontime.Results(tmp_path, *how)

    return of


def test_lines_are_as_they_were_written(read):
    for answer in (b"", b"\n", b"a\tb\n", b"a\n\n\r\nlong line without an end"):
        assert list(read(answer).lines()) == (answer.removesuffix(b"\n").split(b"\n") if answer else [])


def test_pairs_of_all_kinds(read):
    assert list(read(b'"a\\tb"\t1\n["c",[1]]\t[1,2]\n\n"d"\n"e"\tinf\n')) == [
        ("a\tb", 1), (("c", (1,)), [1, 2]), ("d", None), ("e", math.inf)
    ]
    assert list(read(b"a\tb\nc\td\te\nf\n\xff\t\n", "text")) == [("a", "b"), ("c", "d\te"), ("f", None), ("\udcff", "")]
    assert list(read(b"a\t1\nb\t20\n", "counts")) == [("a", 1), ("b", 20)]


def test_lists_and_functions_of_values(read):
    answer = b'"a"\t1\n"b"\t2\t[3]\n["c"]\n'
    assert list(read(answer, "json", "list")) == [("a", [1]), ("b", [2, [3]]), (("c",), [])]
    assert read(answer, "json", lambda key, values: (key, len(values))).to_dict() == {"a": ("a", 1), "b": ("b", 2), ("c",): (("c",), 0)}
    assert read(b"a\tb\n", "text", "list").to_dict() == {"a": ["b"]}
    with pytest.raises(ontime.BadRequest, match="have lists of values"):
        list(read(answer))


@pytest.mark.parametrize("merge", [None, "list"])
@pytest.mark.parametrize("line", [b"1,2\t3", b"word\t1", b"1\t"])
def test_what_another_wrote_is_refused_with_its_line(read, line, merge):
    for others in (b"", b'"a"\t1\n', b'"a"\t1\t2\n' if merge else b""):
        with pytest.raises(ontime.BadRequest) as refused:
            list(read(others + line + b"\n", "json", merge))
        assert f"the line {line!r} of the answer" in str(refused.value)


def test_keys_that_are_one_in_a_dict(read):
    answer = b'"a"\t1\n1\t2\ntrue\t3\n'
    assert read(answer).to_dict() == {"a": 1, 1: 3}
    with pytest.raises(ontime.BadRequest, match="the keys 1 and True are one in a dict"):
        read(answer, "json", "sum").to_dict()
    with pytest.raises(ontime.BadRequest, match="the keys nan and nan are one in a dict"):
        read(b"NaN\t1\nNaN\t2\n", "json", "sum").to_dict()
    with pytest.raises(ontime.BadRequest, match="the key {'b': 1} cannot be one of a dict"):
        read(b'"a"\t1\n{"b":1}\t2\n').to_dict()

"""The answer of a job, read as it is merged."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import BadRequest, OntimeError
from .programs import complaint, program

if TYPE_CHECKING:
    import pandas
    import pyarrow

Merge = Callable[[Any, "list[Any]"], Any]

Columns = tuple["list[Any]", "list[Any]"]  # keys, and the values of each

_ROWS = 65_536  # of an Arrow batch
_BLOCK = 1 << 18  # bytes that are decoded at once
_NO_SEPARATORS = bytes(set(range(256)) - set(b"\t\n"))


def _json(line: bytes) -> tuple[Any, list[Any]]:
    key, *values = line.decode("utf-8", "surrogateescape").split("\t")
    return _hashable(json.loads(key)), [_value(value) for value in values]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return float(text)  # a sum that is "inf" or "nan", which JSON does not know


def _hashable(key: Any) -> Any:
    return tuple(_hashable(part) for part in key) if isinstance(key, list) else key


def _text(line: bytes) -> tuple[str, list[Any]]:
    key, *values = line.decode("utf-8", "surrogateescape").split("\t", 1)
    return key, values


def _counts(line: bytes) -> tuple[str, list[Any]]:
    key, value = line.decode("utf-8", "surrogateescape").rsplit("\t", 1)
    return key, [int(value)]


# Of lines with one tab each, keys and values in turn: a line at a time takes ten times as long.


def _json_in_turn(lines: str) -> list[Any]:
    found: list[Any] = json.loads("[" + lines.replace("\t", ",").replace("\n", ",") + "]")
    if "[" in lines:
        found[::2] = map(_hashable, found[::2])
    return found


def _json_rows(lines: str) -> list[list[Any]]:
    found: list[list[Any]] = json.loads("[[" + lines.replace("\t", ",").replace("\n", "],[") + "]]")
    return found


def _text_in_turn(lines: str) -> list[Any]:
    return lines.replace("\n", "\t").split("\t")


def _counts_in_turn(lines: str) -> list[Any]:
    found = _text_in_turn(lines)
    found[1::2] = map(int, found[1::2])
    return found


class _Decoder(NamedTuple):
    line: Callable[[bytes], tuple[Any, list[Any]]]
    in_turn: Callable[[str], list[Any]]


_DECODERS = {
    "json": _Decoder(_json, _json_in_turn),
    "text": _Decoder(_text, _text_in_turn),
    "counts": _Decoder(_counts, _counts_in_turn),
}


class Results:
    """The pairs of key and value in the output directory of a job; if they were merged, in the byte order of their keys
    as they are written, so 10 comes before 9.

    Every use reads the output again, in bounded memory except for ``to_*``.

    ``decode`` is "json" for what ``Client.map`` wrote, "text" for lines with a tab, "counts" for ``wordcount``.
    ``merge`` is "list" if each key has a list of values, or a function of key and list that makes one value of it. For an
    answer that was merged by "list" or a function it has to be given.
    """

    def __init__(self, output: str | os.PathLike[str], decode: str = "json", merge: str | Merge | None = None) -> None:
        self.output = os.fspath(output)
        self._decode = decode
        self._decoder = _DECODERS[decode]
        self._merge = merge

    def _ready(self) -> None:
        """Comes before the output is read."""

    def _environment(self) -> dict[str, str]:
        return {}

    def lines(self) -> Iterator[bytes]:
        """The lines of the answer as they are, without their ends."""
        for block in self._blocks():
            yield from block.split(b"\n")

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines of it, many at a time; the last one's end is left out."""
        self._ready()
        with tempfile.TemporaryFile() as errors:
            reader = subprocess.Popen(
                [program("ontime"), "result", "--", self.output],
                env={**os.environ, **self._environment()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            try:
                assert reader.stdout is not None
                begun: list[bytes] = []
                while chunk := reader.stdout.read(_BLOCK):
                    lines, end, rest = chunk.rpartition(b"\n")
                    if end:
                        yield b"".join([*begun, lines])
                        begun = []
                    begun += [rest] if rest else []
                if begun:
                    yield b"".join(begun)
                if reader.wait() != 0:
                    errors.seek(0)
                    raise OntimeError(complaint(errors.read().decode("utf-8", "replace")))
            finally:
                if reader.poll() is None:
                    reader.kill()
                reader.wait()
                if reader.stdout is not None:
                    reader.stdout.close()

    def _is_list(self) -> bool:
        """Whether the manifest says that keys have lists of values; False if it is in a store."""
        try:
            with open(Path(self.output) / "_manifest.json", encoding="utf-8") as manifest:
                for line in manifest:
                    if line.startswith('"parameters":'):  # a line of its own, before those of inputs and tasks
                        return bool(json.loads("{" + line.rstrip(",\n") + "}")["parameters"].get("merge") == "list")
        except (OSError, ValueError):  # reading the answer says what is wrong with it
            pass
        return False

    def _refuse_lists(self) -> BadRequest:
        return BadRequest(f'the keys in {self.output} have lists of values: say merge="list", or merge= the function')

    def _refuse_column(self, error: Exception) -> BadRequest:
        """What is said of pairs that a table has no room for."""
        if isinstance(error, UnicodeEncodeError):
            wrong = f"the text {error.object[:80]!r} has bytes that are not UTF-8"
            remedy = 'let the mapper decode them, as line.encode("utf-8", "surrogateescape").decode("latin-1") does'
        else:
            wrong, remedy = str(error), "let the mapper yield keys of one type and values of one type, as str(key) is"
        return BadRequest(f"a table cannot hold the pairs in {self.output}: {wrong}; {remedy}, or go through the job's pairs")

    def _decoded(self, line: bytes) -> tuple[Any, list[Any]]:
        try:
            return self._decoder.line(line)
        except ValueError as error:
            raise BadRequest(
                f"the line {line[:80]!r} of the answer in {self.output} is not what decode={self._decode!r} reads; "
                'give decode="counts" for wordcount, decode="text" for lines with a tab, decode="json" for Client.map'
            ) from error

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for keys, values in self._columns():
            yield from zip(keys, values)

    def _columns(self) -> Iterator[Columns]:
        """The pairs, those of a block at a time."""
        has_lists = self._merge == "list" or callable(self._merge)
        if self._decode == "json" and not has_lists and self._is_list():
            raise self._refuse_lists()
        for block in self._blocks():
            keys, values = self._columns_of(block, has_lists)
            yield keys, list(map(self._merge, keys, values)) if callable(self._merge) else values

    def _columns_of(self, block: bytes, has_lists: bool) -> Columns:
        lines = block.count(b"\n") + 1
        if block.translate(None, _NO_SEPARATORS) == (b"\t\n" * lines)[:-1]:
            with contextlib.suppress(ValueError):  # a line is to blame, or a sum that JSON does not know
                found = self._decoder.in_turn(block.decode("utf-8", "surrogateescape"))
                if len(found) == 2 * lines:
                    return found[::2], [[value] for value in found[1::2]] if has_lists else found[1::2]
        elif self._decode == "json" and has_lists:
            with contextlib.suppress(ValueError):
                rows = _json_rows(block.decode("utf-8", "surrogateescape"))
                if len(rows) == lines and all(rows) and sum(map(len, rows)) == lines + block.count(b"\t"):
                    return [_hashable(row[0]) for row in rows], [row[1:] for row in rows]
        pairs = [self._decoded(line) for line in block.split(b"\n") if line]
        if has_lists:
            return [key for key, _ in pairs], [values for _, values in pairs]
        if any(len(values) > 1 for _, values in pairs):
            raise self._refuse_lists()
        return [key for key, _ in pairs], [values[0] if values else None for _, values in pairs]

    def to_dict(self) -> dict[Any, Any]:
        """All of it. Without a merge, the last value of a key counts. With one, keys that are equal in Python alone, as 1
        and 1.0 or True, are refused: one of their values would be lost. So are keys that are or contain dicts."""
        found: dict[Any, Any] = {}
        for keys, values in self._columns():
            before = len(found)
            try:
                found.update(zip(keys, values))
            except TypeError as error:
                raise self._refuse_key(keys) from error
            if self._merge is not None and len(found) < before + len(keys):
                raise self._refuse_equal(list(islice(found, before)), keys)
        return found

    @staticmethod
    def _refuse_key(keys: Iterable[Any]) -> BadRequest:
        for key in keys:
            try:
                hash(key)
            except TypeError:
                break
        return BadRequest(f"the key {key!r:.80} cannot be one of a dict; go through the job's pairs instead")

    @staticmethod
    def _refuse_equal(known: Iterable[Any], keys: Iterable[Any]) -> BadRequest:
        same = {key: key for key in known}
        for key in keys:
            if key in same:
                break
            same[key] = key
        return BadRequest(f"the keys {same[key]!r} and {key!r} are one in a dict; go through the job's pairs instead")

    def to_arrow(self, columns: Sequence[str] = ("key", "value")) -> pyarrow.Table:
        """A table of two columns; needs pyarrow, and keys and values of one type each, text without bytes that are not UTF-8."""
        import pyarrow

        refused = (TypeError, ValueError, OverflowError)  # pyarrow's own exceptions are among them
        batches = []
        keys: list[Any] = []
        values: list[Any] = []

        def add_batch() -> None:
            try:
                arrays = [pyarrow.array(keys), pyarrow.array(values)]
            except refused as error:
                raise self._refuse_column(error) from error
            batches.append(pyarrow.table(arrays, names=list(columns)))

        for some_keys, some_values in self._columns():
            keys += some_keys
            values += some_values
            if len(keys) >= _ROWS:
                add_batch()
                keys, values = [], []
        if keys or not batches:
            add_batch()
        try:
            return pyarrow.concat_tables(batches, promote_options="permissive")
        except refused as error:
            raise self._refuse_column(error) from error

    def to_pandas(self, columns: Sequence[str] = ("key", "value")) -> pandas.DataFrame:
        """A data frame of two columns; needs pandas."""
        import pandas

        keys: list[Any] = []
        values: list[Any] = []
        for some_keys, some_values in self._columns():
            keys += some_keys
            values += some_values
        try:
            frame = pandas.DataFrame({0: keys, 1: values}, dtype=None if keys else object)
        except UnicodeEncodeError as error:
            raise self._refuse_column(error) from error
        frame.columns = list(columns)
        return frame

"""The answer of a job, read as it is merged."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BadRequest, OntimeError
from .programs import complaint, program

if TYPE_CHECKING:
    import pandas
    import pyarrow

Merge = Callable[[Any, "list[Any]"], Any]

_ROWS = 65_536  # of an Arrow batch


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


_DECODERS: dict[str, Callable[[bytes], tuple[Any, list[Any]]]] = {"json": _json, "text": _text, "counts": _counts}


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
        self._decode = _DECODERS[decode]
        self._decode_name = decode
        self._merge = merge

    def _ready(self) -> None:
        """Comes before the output is read."""

    def _environment(self) -> dict[str, str]:
        return {}

    def lines(self) -> Iterator[bytes]:
        """The lines of the answer as they are, without their ends."""
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
                for line in reader.stdout:
                    yield line[:-1] if line.endswith(b"\n") else line
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
            return self._decode(line)
        except ValueError as error:
            raise BadRequest(
                f"the line {line[:80]!r} of the answer in {self.output} is not what decode={self._decode_name!r} reads; "
                'give decode="counts" for wordcount, decode="text" for lines with a tab, decode="json" for Client.map'
            ) from error

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        merge = self._merge
        if self._decode is _json and merge != "list" and not callable(merge) and self._is_list():
            raise self._refuse_lists()
        for line in self.lines():
            if not line:
                continue
            key, values = self._decoded(line)
            if callable(merge):
                yield key, merge(key, values)
            elif merge == "list":
                yield key, values
            elif len(values) > 1:
                raise self._refuse_lists()
            else:
                yield key, values[0] if values else None

    def to_dict(self) -> dict[Any, Any]:
        """All of it. Without a merge, the last value of a key counts. With one, keys that are equal in Python alone, as 1
        and 1.0 or True, are refused: one of their values would be lost. So are keys that are or contain dicts."""
        found: dict[Any, Any] = {}
        for key, value in self:
            try:
                is_known = key in found
            except TypeError:
                raise BadRequest(f"the key {key!r:.80} cannot be one of a dict; go through the job's pairs instead") from None
            if is_known and self._merge is not None:
                same = next(other for other in found if other == key)
                raise BadRequest(f"the keys {same!r} and {key!r} are one in a dict; go through the job's pairs instead")
            found[key] = value
        return found

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

        for key, value in self:
            keys.append(key)
            values.append(value)
            if len(keys) == _ROWS:
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

        pairs = list(self)
        try:
            return pandas.DataFrame(pairs, columns=list(columns))
        except UnicodeEncodeError as error:
            raise self._refuse_column(error) from error

"""Logs as lines and as JSON values, compressed or not, and what of them is left out."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

LINE_MAX = 64 << 20  # bytes; longer ones are left out
VALUE_MAX = 256 << 20  # of a JSON value over many lines
_NAMED = 20  # sentences about what is left out
_LZ4_HEADER = struct.Struct("<8sBiiI")  # of a block as lz4-java writes it: magic, method, packed, unpacked, checksum
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]')


class LeftOut:
    """Lines that could not be read: all are counted, the first are named."""

    def __init__(self) -> None:
        self.count = 0
        self.sentences: list[str] = []

    def add(self, path: Path, line: int, why: str) -> None:
        self.count += 1
        if self.count <= _NAMED:
            self.sentences.append(f"{path}, line {line}: {why}")

    def tell(self, to: TextIO) -> None:
        for sentence in self.sentences:
            print(sentence, file=to)
        if self.count > _NAMED:
            print(f"... and {self.count - _NAMED} lines more", file=to)
        if self.count:
            print(f"left out: {self.count} line{'s' if self.count > 1 else ''}", file=to)


def files_of(paths: Iterable[Path], skipped: Iterable[str] = ()) -> Iterator[Path]:
    """The paths, and instead of a directory the files in it by name."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", *skipped)))
        if not inside:
            raise ValueError(f"there is no file in the directory '{path}'")
        yield from inside


def lines(path: Path, left_out: LeftOut) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers."""
    number = 0
    with _open(path) as file:
        while True:
            try:
                line = file.readline(LINE_MAX + 1)
                number += 1
                if len(line) > LINE_MAX:
                    left_out.add(path, number, f"it is longer than {LINE_MAX >> 20} MiB")
                    while line and not line.endswith(b"\n"):
                        line = file.readline(LINE_MAX)
                    continue
            except _broken() as error:
                left_out.add(path, number + 1, f"the rest cannot be unpacked ({error})")
                return
            if not line:
                return
            if not line.isspace():
                yield number, line


def json_lines(path: Path, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    """A JSON object on each line."""
    for number, line in lines(path, left_out):
        try:
            value = json.loads(line)
        except ValueError:  # of bytes that are no text, too
            left_out.add(path, number, "it is not JSON")
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            left_out.add(path, number, "it is no JSON object")


def json_objects(path: Path, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects one after the other or in a list, over any number of lines, with the numbers of their first lines."""
    pieces: list[bytes] = []
    depth = size = first = 0
    for number, line in lines(path, left_out):
        begin = 0
        for token in _TOKENS.finditer(line):
            text = token.group()
            if text in b"{[" and (depth > 0 or text == b"{"):
                if depth == 0:
                    begin, first = token.start(), number
                depth += 1
            elif text in b"}]" and depth > 0:
                depth -= 1
                if depth == 0:
                    yield from _object(path, first, b"".join([*pieces, line[begin : token.end()]]), left_out)
                    pieces, size, begin = [], 0, token.end()
        if depth == 0:
            if line[begin:].strip(b" \t\r\n,[]"):
                left_out.add(path, number, "it is not JSON")
            continue
        pieces.append(line[begin:])
        size += len(line) - begin
        if size > VALUE_MAX:
            raise ValueError(f"{path}, line {first}: the object that begins here is longer than {VALUE_MAX >> 20} MiB")
    if depth > 0:
        left_out.add(path, first, "the object that begins here does not end")


def _object(path: Path, number: int, text: bytes, left_out: LeftOut) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        yield number, json.loads(text)
    except ValueError:
        left_out.add(path, number, "the object that begins here is not JSON")


def _broken() -> tuple[type[BaseException], ...]:
    errors: list[type[BaseException]] = [EOFError, zlib.error, gzip.BadGzipFile, _Broken]
    module = _module("compression.zstd", "backports.zstd")
    return (*errors, module.ZstdError) if module else tuple(errors)


class _Broken(Exception):
    """Compressed data that is not whole."""


def _module(*names: str) -> Any:
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    return None


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        magic = file.read(8)
    if magic.startswith(b"\x1f\x8b"):
        return cast(BinaryIO, gzip.open(path))
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return _open_zstd(path)
    if magic == b"LZ4Block":
        return io.BufferedReader(_Blocks(path))
    if magic.startswith(b"\x04\x22\x4d\x18"):
        return _open_by_program(path, "lz4")
    if magic.startswith((b"\x82SNAPPY", b"ZV\x01", b"ZV\x00")):
        raise ValueError(f"'{path}' is compressed in a way that is not read here (snappy or lzf); unpack it first")
    return path.open("rb")


def _open_zstd(path: Path) -> BinaryIO:
    module = _module("compression.zstd", "backports.zstd")
    if module is not None:
        return cast(BinaryIO, module.ZstdFile(path))
    module = _module("zstandard")
    if module is not None:
        reader = module.ZstdDecompressor().stream_reader(path.open("rb"), read_across_frames=True)
        return io.BufferedReader(reader)
    return _open_by_program(path, "zstd")


class _Unpacked(io.RawIOBase):
    """What a program writes; it has to end well."""

    def __init__(self, program: str, path: Path) -> None:
        self._program = program
        self._child = subprocess.Popen([program, "-dc", "--", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._out = cast(IO[bytes], self._child.stdout)

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        read = self._out.read(len(into))
        into[: len(read)] = read
        if not read and self._child.wait() != 0:
            raise _Broken(f"{self._program} fails")
        return len(read)

    def close(self) -> None:
        if not self.closed:
            self._out.close()
            self._child.wait()
        super().close()


def _open_by_program(path: Path, program: str) -> BinaryIO:
    if shutil.which(program) is None:
        package = {"zstd": "zstandard", "lz4": "lz4"}[program]
        raise ValueError(
            f"'{path}' is compressed as {program}; install the program {program} (or, for logs of Spark, the Python package "
            f"{package}), or unpack it first"
        )
    return io.BufferedReader(_Unpacked(program, path))


class _Blocks(io.RawIOBase):
    """The stream of blocks that lz4-java writes, which Spark takes for its logs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb")
        self._lz4 = _module("lz4.block")
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while not self._rest:
            header = self._file.read(_LZ4_HEADER.size)
            if not header:
                return 0
            self._rest = self._block(header)
        given = self._rest[: len(into)]
        into[: len(given)] = given
        self._rest = self._rest[len(given) :]
        return len(given)

    def _block(self, header: bytes) -> bytes:
        if len(header) < _LZ4_HEADER.size:
            raise _Broken("a block ends early")
        magic, method, packed, unpacked, _ = _LZ4_HEADER.unpack(header)
        if magic != b"LZ4Block" or not 0 <= packed <= LINE_MAX or not 0 <= unpacked <= LINE_MAX:
            raise _Broken("a block is damaged")
        data = self._file.read(packed)
        if len(data) < packed:
            raise _Broken("a block ends early")
        if unpacked == 0 or method & 0xF0 == 0x10:
            return data
        if self._lz4 is None:
            raise ValueError(f"'{self._path}' is compressed as lz4; install the Python package lz4, or unpack it first")
        try:
            return cast(bytes, self._lz4.decompress(data, uncompressed_size=unpacked))
        except self._lz4.LZ4BlockError as error:
            raise _Broken("a block is damaged") from error

    def close(self) -> None:
        self._file.close()
        super().close()

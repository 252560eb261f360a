"""Row groups of Parquet files as a job's input: a list of them, a line each, which ``_records.py`` reads on the workers."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from .errors import BadRequest

SPLITS_MOST = 256  # unless somebody says so; slots that are free divide them again


def row_groups(inputs: Iterable[str | os.PathLike[str]]) -> list[str]:
    """A line for each, in the order of the inputs."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise BadRequest("records='parquet' needs pyarrow, here and on the workers: pip install pyarrow") from error
    lines = []
    for path in files(inputs):
        try:
            status = os.stat(path)
            with ParquetFile(path) as file:
                count = file.num_row_groups
        except (ArrowException, OSError) as error:
            raise BadRequest(f"the input {path} cannot be read as Parquet: {error}") from error
        lines += [json.dumps([path, group, status.st_size, status.st_mtime_ns]) + "\n" for group in range(count)]
    return lines


def files(inputs: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    """As a job lists them: directories with all below, but for names that begin with a dot or an underscore; patterns."""
    for given in inputs:
        argument = os.fspath(given)
        if "://" in argument:
            raise BadRequest(f"row groups are read from files of the workers, not from {argument}")
        path = os.path.abspath(argument)
        found = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
        if not found:
            raise BadRequest(f"there is no input {path}")
        for one in found:
            if not os.path.isdir(one):
                yield one
                continue
            below = (file.relative_to(one) for file in sorted(Path(one).rglob("*")) if file.is_file())
            yield from (os.path.join(one, name) for name in below if not any(part[0] in "._" for part in name.parts))


def write_list(lines: list[str], output: str) -> str:
    """Beside the output, where master and workers can read it."""
    if "://" in output:
        raise BadRequest("records='parquet' needs an output that is a directory: the list of row groups goes beside it")
    path = f"{output.rstrip('/')}.row-groups"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path).write_text("".join(lines), encoding="ascii")
    return path

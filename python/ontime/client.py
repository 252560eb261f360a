"""The client of a master."""

from __future__ import annotations

import datetime
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import Any, Literal, TypedDict, Unpack, get_type_hints

from ._parquet import SPLITS_MOST, row_groups, write_list
from .errors import BadRequest
from .job import Job
from .programs import call
from .results import Merge
from .shipping import ship

Path_ = str | os.PathLike[str]
Time = str | float | datetime.timedelta
Size = str | int

_MERGES = (None, "sum", "max", "min", "list")
_FILES_MOST = 4 << 20  # as the master takes them
# `ontime` would take the files that these name in the user's environment rather than what is given here.
NO_TOKEN_FILE = {"ONTIME_TOKEN_FILE": ""}
NO_TLS_FILES = {"ONTIME_TLS_CA": "", "ONTIME_TLS_CERT": "", "ONTIME_TLS_KEY": ""}


class Options(TypedDict, total=False):
    """What every job may be given; as the flags of ``ontime submit``. None is as good as nothing."""

    output: Path_
    """A directory, s3:// prefix or hdfs:// directory that master and workers can reach; must be missing or empty."""
    name: str
    deadline: Time | datetime.datetime
    """Seconds, or a text such as "90s" or "06:00", or when the job must be done."""
    on_miss: Literal["finish", "kill"]
    policy: str
    estimator: str
    priority: int
    splits: int
    split_size: Size
    checkpoint: Time
    attempt_timeout: Time
    max_attempts: int
    max_record: Size
    max_window: Size
    records: str
    compress: str
    """Of part files: "zstd" or "gzip", with a level as "zstd:9"."""
    parts_suffix: str
    """What names of part files end in: ".jsonl"."""
    skip: str
    """Kinds of inputs that are left out instead of failing the job: "unreadable,vanished,archived"."""
    files_from: Path_
    """A file that names more inputs, one a line or each ended by a NUL."""
    exclude: str | Sequence[str]
    """Patterns of inputs that are left out."""
    growing: bool
    """Plain files are read up to the length they have now, though more is appended meanwhile."""
    notify: str | Sequence[str]
    """Each WHEN:WHAT, such as "pocd<0.5:mail -s soon-late ops" or "failed:https://hooks.example/T0"."""
    files: Path_ | Sequence[Path_]
    """Sent along; attempts find them in their directory. Mappers can import modules that are sent along."""


def _time(value: Time | datetime.datetime) -> str:
    if isinstance(value, datetime.datetime):  # local, if it has no zone
        return value.astimezone().isoformat(timespec="seconds")
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    return value if isinstance(value, str) else f"{value:.9f}s"


def _paths(one_or_more: Path_ | Iterable[Path_]) -> list[Path_]:
    return [one_or_more] if isinstance(one_or_more, (str, os.PathLike)) else list(one_or_more)


# How the flag of an option is written that has one of its name.
_LISTS = {"files": "--file", "exclude": "--exclude", "notify": "--notify"}  # repeatable flags
_FLAGS: dict[str, Callable[[Any], str]] = {
    name: _time if hint in (Time, Time | datetime.datetime) else str for name, hint in get_type_hints(Options).items() if name not in ("output", *_LISTS)
}


class Client:
    """Submits jobs to a running master.

    ``master`` is its address, HOST:PORT; without it, ``$ONTIME_MASTER`` or 127.0.0.1:7400. ``outputs`` is where jobs
    without ``output=`` get a directory of their own. ``token`` and ``tls_dir`` are as for ``ontime``, from ``$ONTIME_TOKEN``
    and ``$ONTIME_TLS_DIR`` unless given. ``python`` is the interpreter of workers that runs mappers.
    """

    def __init__(
        self,
        master: str | None = None,
        *,
        outputs: Path_ | None = None,
        token: str | None = None,
        tls_dir: Path_ | None = None,
        python: str = "python3",
    ) -> None:
        directory = None if tls_dir is None else os.fspath(tls_dir)
        given = {"ONTIME_MASTER": master, "ONTIME_TOKEN": token, "ONTIME_TLS_DIR": directory}
        self._environment = {name: value for name, value in given.items() if value is not None}
        if token is not None:
            self._environment |= NO_TOKEN_FILE
        if directory is not None:
            self._environment |= NO_TLS_FILES
        self._outputs = None if outputs is None else os.fspath(outputs)
        self._python = python
        self._path: list[str] = []  # where modules are on the workers, if that is known

    def wordcount(self, inputs: Path_ | Iterable[Path_], **options: Unpack[Options]) -> Job:
        """Counts the words of the inputs. The job's pairs are words and counts."""
        return self.run("wordcount", inputs, decode="counts", **options)

    def run(
        self,
        application: str,
        inputs: Path_ | Iterable[Path_],
        settings: Mapping[str, str] | None = None,
        decode: Literal["text", "json", "counts"] = "text",
        **options: Unpack[Options],
    ) -> Job:
        """Runs one of the applications that ``ontime apps`` lists, with its parameters.

        ``Job.lines`` has its answer as it is. The job's pairs are what its lines have before and behind the first tab.
        """
        id, output = self._submit(application, inputs, settings or {}, options)
        return Job(self, id, output, decode)

    def map(
        self,
        mapper: str | ModuleType | Callable[..., Any],
        inputs: Path_ | Iterable[Path_],
        *,
        merge: Literal["sum", "max", "min", "list"] | Merge | None = None,
        combine: str | Merge | None = None,
        batches: bool = False,
        text: bool = True,
        write: Literal["pairs", "lines"] = "pairs",
        on_error: Literal["raise", "skip"] = "raise",
        python: str | None = None,
        **options: Unpack[Options],
    ) -> Job:
        """Calls a Python function for each line of the inputs, on the workers.

        ``mapper(line)`` returns or yields pairs of a key and a value, or returns None. The line has no line feed. Where
        ``records`` says that a record is something else, it is a list of fields for "csv", a dict with "csv:header=yes",
        the value for "json", an object like warcio's for "warc", and text for all others. With "parquet" or
        "parquet:columns=a,b" it is a row group of Parquet files, as a pyarrow.Table. With
        ``batches`` the mapper gets lists of lines, with ``text=False`` bytes instead of text. Keys and values are text, numbers,
        None, and lists, tuples and dicts of them. A mapper can also be a module with a function ``map``, "file.py:function"
        or "package.module:function"; the module ``ontime.shipping`` says how it gets to the workers.

        ``merge`` makes one value of all values of a key: "sum", "max" or "min" of numbers, "list", or a function of
        the key and a list of values. That function runs here, and gets its own results again, in any order and grouping.
        Numbers are merged on the workers too, others if there is a function ``combine`` of the key and a list of values.

        With ``write="lines"`` the mapper returns a line or yields lines instead of pairs: text and bytes as they are, other
        values as JSON. The part files hold these lines in the order of the input, and ``Job.lines`` reads them.

        A mapper that raises an exception fails the attempt. It is repeated, and after ``max_attempts`` the job fails.
        With ``on_error="skip"`` the line is left out instead, counted, and logged with its traceback.
        """
        how = "list" if callable(merge) else merge
        if how not in _MERGES:
            raise BadRequest(f"merge is one of sum, max, min and list, or a function, not {merge!r:.100}")
        if combine is not None and how is None:
            raise BadRequest("combine needs merge: what is combined on a worker is not yet one value of a key")
        if on_error not in ("raise", "skip"):
            raise BadRequest(f"on_error is raise or skip, not {on_error!r:.100}")
        if write not in ("pairs", "lines"):
            raise BadRequest(f"write is pairs or lines, not {write!r:.100}")
        if write == "lines" and how is not None:
            raise BadRequest("only pairs are merged: leave out merge or write=\"lines\"")
        if batches and on_error == "skip":
            raise BadRequest("a mapper of batches has to skip lines on its own")
        if options.get("records") == "auto":
            raise BadRequest("a mapper has to know what it gets: say which records, such as records=\"warc\"")
        is_parquet = (options.get("records") or "").partition(":")[0] == "parquet"
        if is_parquet and (batches or not text):
            raise BadRequest("a row group is a table: parquet has neither batches nor bytes")
        shipment = ship(mapper, combine, merges=how is not None)
        spec = {
            **shipment.spec,
            "merge": how,
            "batches": batches,
            "text": text,
            "lines": write == "lines",
            "skip": on_error == "skip",
            "path": self._path,
            "records": None if options.get("records") in (None, "lines") else options["records"],
        }
        contents = {
            **shipment.files,
            "ontime_mapper.py": (Path(__file__).parent / "_mapper.py").read_bytes(),
            "ontime_sinks.py": (Path(__file__).parent / "_sinks.py").read_bytes(),
            "ontime_job.json": json.dumps(spec).encode(),
        }
        if spec["records"] is not None:
            contents["ontime_records.py"] = (Path(__file__).parent / "_records.py").read_bytes()
        settings = {"command": f"exec {quote(python or self._python)} ontime_mapper.py", "frames": "yes"}
        if how is not None:
            settings["merge"] = how
        if is_parquet:
            inputs = self._list_row_groups(inputs, options)
        elif spec["records"] is not None:
            settings["framing"] = "netstring"
        if options.get("name") is None:
            options["name"] = getattr(mapper, "__name__", str(mapper))[:64]
        id, output = self._submit("exec", inputs, settings, options, contents)
        decode = "text" if write == "lines" else "json"
        return Job(self, id, output, decode, merge if callable(merge) else how, str(shipment))

    def _list_row_groups(self, inputs: Path_ | Iterable[Path_], options: Options) -> str:
        """The list, which is the input instead."""
        lines = row_groups(_paths(inputs))
        options["output"] = output = self._output(options)
        options["records"] = "lines"
        if options.get("splits") is None and options.get("split_size") is None:
            options["splits"] = max(1, min(len(lines), SPLITS_MOST))
        return write_list(lines, output)

    def nodes(self) -> list[dict[str, Any]]:
        """The workers that the master knows: name, state, slots and more."""
        return list(json.loads(self._call("nodes", "--json"))["nodes"])

    def _call(self, *arguments: str) -> str:
        self._check()
        return call(arguments, self._environment)

    def _check(self) -> None:
        """Raises ClusterError if it is known that nothing can be asked."""

    def _output(self, options: Options) -> str:
        if options.get("output") is not None:
            output = os.fspath(options["output"])
        elif self._outputs is not None:
            output = f"{self._outputs.rstrip('/')}/{uuid.uuid4().hex}"
        else:
            raise BadRequest("say where the output goes: output=... here, or outputs=... of the client for all jobs")
        return output if "://" in output else os.path.abspath(output)

    def _submit(
        self,
        application: str,
        inputs: Path_ | Iterable[Path_],
        settings: Mapping[str, str],
        options: Options,
        contents: Mapping[str, bytes] | None = None,
    ) -> tuple[str, str]:
        """The job's id and its output."""
        if unknown := set(options) - set(_FLAGS) - {"output", *_LISTS}:
            raise BadRequest(f"there is no option {', '.join(sorted(unknown))}")
        output = self._output(options)
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        arguments = ["submit", "--json", "--quiet", "--output", output]
        for name, text_of in _FLAGS.items():
            if given.get(name, False) is not False:
                arguments += ["--" + name.replace("_", "-"), *([] if given[name] is True else [text_of(given[name])])]
        for key, value in settings.items():
            arguments += ["--set", f"{key}={value}"]
        for name, flag in _LISTS.items():
            for item in _paths(given.get(name, ())):
                arguments += [flag, os.fspath(item)]
        paths = _paths(inputs)
        if not paths and "files_from" not in given:
            raise BadRequest("there is no input")
        if "-" in paths:
            raise BadRequest("a job has no standard input here: name files")
        with tempfile.TemporaryDirectory(prefix="ontime-") as directory:
            for name, content in (contents or {}).items():
                (Path(directory) / name).write_bytes(content)
                arguments += ["--file", f"{directory}/{name}"]
            if sum(map(len, (contents or {}).values())) > _FILES_MOST:
                raise BadRequest("the mapper with what it refers to has more than 4 MiB; let it read large data from a file")
            submitted = json.loads(self._call(*arguments, "--", application, *(os.fspath(path) for path in paths)))
        return str(submitted["job"]), output

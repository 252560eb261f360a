"""What runs beside a runner: it loads the mapper once, and maps the records of all segments that the runner gets.

This file is sent along with each job and uses nothing but the standard library, so workers need only Python.
``docs/applications.md`` describes the frames that it reads and writes (``exec`` with ``frames=yes``).
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback

if __package__:
    from . import _sinks as sinks
else:  # as it was sent
    import ontime_sinks as sinks

TRACEBACKS_MOST = 10  # of skipped lines, in the log


def pair(item):
    if not isinstance(item, tuple) or len(item) != 2:
        raise TypeError(f"a mapper yields pairs of a key and a value, as in `yield key, value`, not {item!r:.100}")
    return item


class BadLine(Exception):
    """Which line the exception that is its cause was about."""

    def __init__(self, index):
        self.index = index


def map_lines(mapper, lines, add):
    index = 0
    try:
        for index, line in enumerate(lines):
            found = mapper(line)
            if found is not None:
                for item in found:
                    if type(item) is tuple and len(item) == 2:
                        add(*item)
                    else:
                        add(*pair(item))
    except sinks.BadCombine:
        raise
    except Exception as error:
        raise BadLine(index) from error


def map_batch(mapper, lines, add):
    try:
        for item in mapper(lines) or ():
            add(*pair(item))
    except sinks.BadCombine:
        raise
    except Exception as error:
        raise BadLine(0) from error


def log(text):
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def log_cause(error):
    """The exception that it comes from, without what of this file is in its traceback."""
    cause = error.__cause__
    frames = cause.__traceback__
    ours = (load.__code__.co_filename, sinks.encode.__code__.co_filename)
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    log("".join(traceback.format_exception(type(cause), cause, frames)))


class Service:
    """Maps what the runner sends."""

    def __init__(self, spec, mapper, combine):
        self.mapper = sinks.lines_of(mapper) if spec["lines"] else mapper
        self.sink = sinks.sink_for(spec, combine)
        self.map = map_batch if spec["batches"] else map_lines
        self.is_text = spec["text"]
        self.skips = spec["skip"]
        self.tracebacks = 0
        self.path = ""
        self.parser = None  # of records that are no lines
        if spec["records"] is not None:
            self.parser = importlib.import_module("ontime_records").parser_of(spec["records"], spec["text"])

    def begin(self, path):
        self.path = path
        self.sink.drop()
        if self.parser:
            self.parser.begin(header=b"")

    def split(self, data):
        if self.parser:
            return self.parser.split(data)
        lines = data.decode("utf-8", "surrogateescape").split("\n") if self.is_text else data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        return lines

    def map_some(self, lines, add):
        try:
            parsed = self.parser.parse(lines) if self.parser else lines
        except ValueError as error:
            raise BadLine(self.parser.index) from error
        self.map(self.mapper, parsed, add)

    def records(self, offset, data) -> bytes:
        lines = self.split(data)
        try:
            if self.skips:
                self.map_one_by_one(offset, lines)
            else:
                self.map_some(lines, self.sink.add)
        except BadLine as error:
            self.report("mapper failed", error, offset, lines)
            sys.exit(1)
        return self.sink.take(is_last=False)

    def map_one_by_one(self, offset, lines):
        """A line counts as a whole or not at all."""
        skipped = 0
        for index in range(len(lines)):
            found = []
            try:
                self.map_some(lines[index : index + 1], lambda *item: self.sink.check(*item) or found.append(item))
            except BadLine as error:
                error.index = index
                skipped += 1
                self.tracebacks += 1
                if self.tracebacks <= TRACEBACKS_MOST:
                    self.report("line skipped", error, offset, lines)
                continue
            for key, value in found:
                self.sink.add(key, value)
        if skipped:
            log(f"reporter:counter:ontime,skipped lines,{skipped}")

    def report(self, what, error, offset, lines):
        def size(line):
            return len(line) if isinstance(line, bytes) else len(line.encode("utf-8", "surrogateescape"))

        log_cause(error)
        # Of others than lines it is known in which batch they are.
        at = offset if self.parser else offset + sum(size(line) + 1 for line in lines[: error.index])
        line = lines[error.index] if lines else ""
        log(f"ontime: {what}: " + json.dumps([self.path, at, f"{line!r:.200}"]))


def attribute(module, name):
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def load(spec):
    """The mapper and the function that combines, as they were shipped."""
    here = os.getcwd()
    sys.path[:1] = [here, os.path.join(here, "ontime_cloudpickle.zip"), *spec["path"]]
    if spec["how"] == "cloudpickle":
        version = list(sys.version_info[:2])
        if version != spec["version"]:
            raise RuntimeError(
                "the mapper was pickled by Python {}.{}, but {} on this worker is Python {}.{}; name another one with "
                "python=".format(*spec["version"], sys.executable, *version)
            )
        with open(os.path.join(here, "ontime_mapper.pickle"), "rb") as file:
            return importlib.import_module("cloudpickle").load(file)
    if spec["how"] == "file":
        found = importlib.util.spec_from_file_location(spec["module"], os.path.join(here, spec["file"]))
        module = importlib.util.module_from_spec(found)
        sys.modules[spec["module"]] = module
        found.loader.exec_module(module)
    else:
        module = importlib.import_module(spec["module"])
    combine = spec["combine"] and attribute(module, spec["combine"])
    return attribute(module, spec["name"]), combine


def serve(service, source, answers):
    process = os.getpid()
    for header in iter(source.readline, b""):
        kind, *numbers = header.split()
        body = source.read(int(numbers[-1])) if numbers else b""
        if kind == b"segment":
            service.begin(body.decode("utf-8", "surrogateescape"))
            continue
        if kind == b"header":
            service.parser.begin(body)
            continue
        output = service.records(int(numbers[0]), body) if kind == b"records" else service.sink.take(is_last=True)
        if os.getpid() != process:
            os._exit(0)  # a child that the mapper has forked, which has nothing to answer
        if output:
            answers.write(b"output %d\n" % len(output))
            answers.write(output)
        answers.write(b"done\n")
        sys.stdout.flush()
        answers.flush()


def main():
    # What the mapper prints goes to the attempt's log, not between the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        with open("ontime_job.json", encoding="utf-8") as file:
            spec = json.load(file)
        service = Service(spec, *load(spec))
    except Exception:
        log(traceback.format_exc())
        log("ontime: mapper failed: null")
        sys.exit(1)
    try:
        serve(service, source, answers)
    except sinks.BadCombine as error:
        log_cause(error)
        log("ontime: combine failed: " + json.dumps(f"{error.key!r:.200}"))
        sys.exit(1)
    except Exception:  # it was loaded, but no certain line is known
        log(traceback.format_exc())
        log("ontime: mapper failed: " + json.dumps([service.path, None, None]))
        sys.exit(1)


if __name__ == "__main__":
    main()

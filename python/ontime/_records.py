"""Records that are no lines, as a mapper gets them. Sent along with jobs that have such, beside ``_mapper.py``."""

import csv
import io
import json
import os
import sys

csv.field_size_limit(sys.maxsize)


class WarcRecord:
    """A record of a WARC file, with the names that warcio gives its parts."""

    def __init__(self, data):
        head, _, self.content = data.partition(b"\r\n\r\n")
        fields = (line.partition(":") for line in head.decode("utf-8", "surrogateescape").split("\r\n")[1:])
        self.rec_headers = Headers((name.strip().lower(), value.strip()) for name, _, value in fields)
        self.rec_type = self.rec_headers.get_header("WARC-Type")

    def content_stream(self):
        return io.BytesIO(self.content)


class Headers(dict):
    def get_header(self, name, default=None):
        return self.get(name.lower(), default)


class RowGroups:
    """Makes Arrow tables of the lines that name row groups of Parquet files."""

    index = 0

    def __init__(self, columns):
        self.columns = columns
        self.path = self.file = None

    def begin(self, header):
        pass

    @staticmethod
    def split(data):
        return data.decode("ascii").splitlines()

    def parse(self, lines):
        for self.index, line in enumerate(lines):
            yield self.read(*json.loads(line))

    def read(self, path, group, size, changed_at):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        try:
            status = os.stat(path)
            if (status.st_size, status.st_mtime_ns) != (size, changed_at):
                raise ValueError("it changed after the job was submitted; submit the job again")
            if path != self.path:
                self.file = ParquetFile(path)
                self.path = path
            return self.file.read_row_group(group, columns=self.columns)
        except (ArrowException, OSError, ValueError) as error:
            raise ValueError(f"row group {group} of {path} cannot be read: {error}") from error


def parser_of(records, is_text):
    name, _, options = records.partition(":columns=")
    return RowGroups(options.split(",") if options else None) if name == "parquet" else Parser(records, is_text)


class Parser:
    """Makes of records what a mapper gets: rows of CSV, values of JSON, records of WARC files, else text."""

    def __init__(self, records, is_text):
        self.is_text = is_text
        self.index = 0  # of the record that is being parsed
        self.name, _, options = records.partition(":")
        # As the option records of the command line: delimiter=; or delimiter=\\t, and header=yes.
        self.delimiter = "\t" if "delimiter=\\t" in options else (options.partition("delimiter=")[2] or ",")[0]
        self.header = None

    def begin(self, header):
        self.header = self.rows([header.decode("utf-8", "surrogateescape")])[0] if header and self.name == "csv" else None

    def rows(self, texts):
        return list(csv.reader(io.StringIO("\n".join(texts) + "\n", newline=""), delimiter=self.delimiter))

    @staticmethod
    def split(data):
        """The netstrings that exec sends."""
        found, at = [], 0
        while at < len(data):
            colon = data.index(b":", at)
            end = colon + 1 + int(data[at:colon])
            found.append(data[colon + 1 : end])
            at = end + 1
        return found

    def parse(self, found):
        """Of each record, in order. Raises ValueError."""
        self.index = 0
        if not self.is_text:
            return found
        if self.name == "warc":
            return [WarcRecord(record) for record in found]
        texts = [record.decode("utf-8", "surrogateescape") for record in found]
        if self.name == "json":
            return [self.value(index, text) for index, text in enumerate(texts)]
        if self.name != "csv":
            return texts
        rows = self.rows(texts)
        return rows if self.header is None else [dict(zip(self.header, row)) for row in rows]

    def value(self, index, text):
        self.index = index
        return json.loads(text)

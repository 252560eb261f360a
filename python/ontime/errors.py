"""What can go wrong, as exceptions."""

from __future__ import annotations


class OntimeError(Exception):
    """The base of all errors of this package."""


class BadRequest(OntimeError, ValueError):
    """An argument or an input cannot be used; nothing was submitted."""


class ClusterError(OntimeError):
    """The master cannot be reached, or a local cluster does not run."""


class JobFailed(OntimeError):
    """The job has ended without an answer."""

    def __init__(self, job: str, message: str) -> None:
        super().__init__(f"{job} failed: {message}")
        self.job = job
        self.message = message


class MapperError(JobFailed):
    """The mapper raised an exception in every attempt on some line, or yielded what cannot be written.

    ``traceback`` is the traceback of the last attempt, as text. ``input``, ``offset`` and ``line`` say which line it was;
    they are None if the mapper could not be loaded. ``offset`` and ``line`` alone are None if it was no certain line, as
    where a sum of many lines cannot be written.
    """

    def __init__(
        self, job: str, traceback: str, input: str | None = None, offset: int | None = None, line: str | None = None
    ) -> None:
        where = "the mapper could not be loaded"
        if input is not None:
            where = f"the mapper's process failed at {input}, at no certain line"
        if offset is not None:
            where = f"the mapper raised an exception at byte {offset} of {input}, line {line}"
        OntimeError.__init__(self, f"{job} failed: {where}\n\n{traceback}")
        self.job = job
        self.message = where
        self.traceback = traceback
        self.input = input
        self.offset = offset
        self.line = line


class CombineError(JobFailed):
    """The function that combines values raised an exception in every attempt.

    ``traceback`` is the traceback of the last attempt, as text, and ``key`` the key as text.
    """

    def __init__(self, job: str, traceback: str, key: str) -> None:
        super().__init__(job, f"combine raised an exception for the key {key}\n\n{traceback}")
        self.traceback = traceback
        self.key = key


class JobKilled(OntimeError):
    """The job was killed: by somebody, or at its deadline as ``on_miss="kill"`` asks for."""

    def __init__(self, job: str, message: str) -> None:
        super().__init__(f"{job} was killed{': ' if message else ''}{message}")
        self.job = job
        self.message = message


class DeadlineMissed(UserWarning):
    """The job is done, but later than its deadline. Its answer is complete."""

"""python3 -m ontime.lab.policy_process SOCKET: asks a policy in Python for plans, for the program that started this.

Messages on SOCKET, a descriptor: 8 bytes of length, then the bytes. First a greeting comes, then one look after the
other; each is answered, with ``{"problem": ...}`` where that cannot be done (master/policies/remote_policy.cpp). An empty
message ends the looks, and another greeting of the same file may come: a process of its own answers each, so that no run
sees what another has left behind.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import json
import os
import re
import select
import signal
import socket
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .policy import Kind, Plan, Policy, View

_NO_MORE_LOOKS = 111  # exit code; whatever else a process ends with, it was not asked to
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
_TRUTHS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}


class Unusable(Exception):
    """The sentence says why the file cannot be used."""


class Link:
    """Messages to and from the program that carries plans out."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._kinds: list[Kind] = []

    def greeting(self) -> dict[str, Any] | None:
        """None: there will be none."""
        message = self._receive()
        if message is None:
            return None
        greeting: dict[str, Any] = json.loads(message)
        self._kinds = [Kind(table) for table in greeting["tables"]]
        return greeting

    def welcome(self, order: str, has_shares: bool, plans_at_submission: bool) -> None:
        self._send({"order": order, "has_shares": has_shares, "plans_at_submission": plans_at_submission})

    def complain(self, problem: str) -> None:
        with contextlib.suppress(OSError):  # nobody is there any more
            self._send({"problem": problem})

    def next_view(self) -> View | None:
        """None: there will be no other."""
        message = self._receive()
        return View(self._kinds, message) if message else None

    def answer(self, plan: Plan) -> None:
        self._send({"next_check": plan.next_check, "shares": plan.shares, "decisions": plan.decisions})

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def _receive(self) -> bytearray | None:
        try:
            head = self._socket.recv(8, socket.MSG_WAITALL)
            message = bytearray(int.from_bytes(head, sys.byteorder))
            rest = memoryview(message)
            while rest and (got := self._socket.recv_into(rest, 0, socket.MSG_WAITALL)):
                rest = rest[got:]
        except ConnectionError:
            return None
        return message if len(head) == 8 and not rest else None

    def _send(self, answer: Mapping[str, Any]) -> None:
        text = json.dumps(answer, allow_nan=False, separators=(",", ":")).encode()
        self._socket.sendall(len(text).to_bytes(8, sys.byteorder) + text)


def converted(name: str, text: str, kind: Any) -> Any:
    """A parameter's text as what its annotation says."""
    try:
        if kind is bool:
            return _TRUTHS[text]
        if kind is float and (time := re.fullmatch(r"(.*\d)\s*(ns|us|ms|s|m|h)", text)):
            return float(time[1]) * _SECONDS[time[2]]
        return kind(text) if kind in (int, float) else text
    except (KeyError, ValueError):
        raise Unusable(f"the parameter {name}={text} is no {kind.__name__}") from None


def make(policy: type[Policy], texts: Mapping[str, str]) -> Policy:
    """An object of the class with these parameters. Unusable if it does not take them."""
    known = inspect.signature(policy, eval_str=True).parameters
    given = {}
    for name, text in texts.items():
        if name not in known:
            raise Unusable(f"there is no parameter '{name}'; there are: {', '.join(known) or 'none'}")
        default, kind = known[name].default, known[name].annotation
        given[name] = converted(name, text, type(default) if kind is inspect.Parameter.empty else kind)
    return policy(**given)


def load(file: str, wanted: str | None) -> type[Policy]:
    """The class of that name, or the only policy that the file defines."""
    sys.path.insert(0, str(Path(file).parent))
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise Unusable("it is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    own = {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, Policy) and thing.__module__ == spec.name
    }
    if wanted is None and len(own) > 1:
        raise Unusable(f"it has the policies {', '.join(own)}; choose one with class=NAME")
    if wanted is None and not own or wanted is not None and wanted not in own:
        raise Unusable(f"it has no class {wanted or ''} that derives from ontime.lab.Policy".replace("  ", " "))
    return own[wanted] if wanted is not None else next(iter(own.values()))


def _why(error: BaseException, file: str) -> str:
    """With the last line of the policy's own file that it came from."""
    if isinstance(error, Unusable):
        return str(error)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    text = f"it raises {type(error).__name__}: {error}" if str(error) else f"it raises {type(error).__name__}"
    return f"{text} (line {lines[-1]})" if lines else text


def serve(link: Link, policy: Policy) -> None:
    link.welcome(policy.order, bool(policy.has_shares), bool(policy.plans_at_submission))
    while (view := link.next_view()) is not None:
        plan = policy.plan(view)
        if not isinstance(plan, Plan):
            raise TypeError(f"plan() has returned {plan!r:.100}, which is no ontime.lab.Plan")
        link.answer(plan)


def serve_apart(link: Link, policy: type[Policy], greeting: Mapping[str, Any]) -> int:
    """In a process of its own; its exit code, or a negative signal."""
    child = os.fork()
    if child != 0:
        return _end_of(child, link)
    code = 0
    try:
        serve(link, make(policy, greeting["parameters"]))
        code = _NO_MORE_LOOKS
    except BaseException as error:  # noqa: BLE001 that it exits is a problem too
        link.complain(_why(error, greeting["file"]))
    finally:
        sys.stdout.flush()
        os._exit(code)


def _end_of(child: int, link: Link) -> int:
    """Waits for it, and ends it if the other side has gone: it may hang."""
    process = os.pidfd_open(child)
    poll = select.poll()
    poll.register(link.fileno(), 0)  # a hang-up is reported in any case
    poll.register(process, select.POLLIN)
    if process not in dict(poll.poll()):
        os.kill(child, signal.SIGKILL)
    os.close(process)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    link = Link(socket.socket(fileno=int(sys.argv[1])))
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what is printed is seen even if it is killed
    policies: dict[str | None, type[Policy]] = {}
    while (greeting := link.greeting()) is not None:
        file, wanted = greeting["file"], greeting["parameters"].pop("class", None)
        try:
            if wanted not in policies:
                policies[wanted] = load(file, wanted)
        except BaseException as error:  # noqa: BLE001 that it exits is a problem too
            link.complain(_why(error, file))
            return
        ended = serve_apart(link, policies[wanted], greeting)
        if ended < 0:
            os.kill(os.getpid(), -ended)
        if ended != _NO_MORE_LOOKS:
            sys.exit(ended)


if __name__ == "__main__":
    main()

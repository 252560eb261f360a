"""A simulated cluster as a Gymnasium environment, to learn policies in (PyPI: gymnasium).

An observation is a ``View``, an action is a ``Plan``. A step's reward is the number of deadlines that were met since the
one before, less ``price`` for each second that a slot was held; over an episode they add up to the value of all jobs.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import os
import select
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import gymnasium

from ..errors import BadRequest, ClusterError
from ..programs import complaint, program
from .policy import Plan, View
from .policy_process import Link


class _Of(gymnasium.spaces.Space[Any]):  # type: ignore[misc]
    """All objects of a class. They are not drawn at random: the fewest would make sense."""

    def __init__(self, kind: type):
        super().__init__()
        self._kind = kind

    def contains(self, x: Any) -> bool:
        return isinstance(x, self._kind)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        raise NotImplementedError(f"a {self._kind.__name__} is not drawn at random")

    @property
    def is_np_flattenable(self) -> bool:
        return False


class Cluster(gymnasium.Env[View, Plan]):  # type: ignore[misc]
    """Runs a scenario's jobs once in each episode, with the seed that ``reset`` is given, else one after the other from
    1 on. ``order``: in which jobs get slots. ``period``: seconds of the cluster from one step to the next; a plan with a
    ``next_check`` has its own. ``BadRequest``: the scenario, or a plan, cannot be used."""

    def __init__(self, scenario: str | Path, *, price: float = 0.0, order: str = "deadline", period: float = 1.0):
        self.observation_space, self.action_space = _Of(View), _Of(Plan)
        self._scenario, self._price, self._order, self._period = str(scenario), price, order, period
        self._seed = 0
        self._run: _Run | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[View, dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        self._seed = self._seed + 1 if seed is None else seed
        self._run = _Run(self._scenario, self._order, self._seed)
        self._paid = 0.0
        view = self._run.next_view()
        if view is None:
            self._end_run()
            raise BadRequest(f"{self._scenario} has no job")
        self._view = view
        return view, {}

    def step(self, action: Plan) -> tuple[View, float, bool, bool, dict[str, Any]]:
        if self._run is None:
            raise BadRequest("The episode is over; call reset().")
        answer = copy.copy(action)
        if answer.next_check is None:
            answer.next_check = self._view.after(self._period)
        self._run.answer(answer)
        view = self._run.next_view()
        if view is not None:
            self._view = view
            reward = sum(self._worth(met, held) for met, held in zip(view.ended.is_met, view.ended.machine_seconds))
            self._paid += reward
            return view, reward, False, False, {}
        jobs = self._end_run()
        whole = sum(self._worth(int(job["met"]), float(job["machine_s"])) for job in jobs)
        return self._view, whole - self._paid, True, False, {"jobs": jobs}

    def close(self) -> None:
        if self._run is not None:
            self._run.close()
        self._run = None

    def _end_run(self) -> list[dict[str, str]]:
        """Its jobs, or an exception that says why there are none."""
        assert self._run is not None
        try:
            return self._run.jobs()
        finally:
            self.close()

    def _worth(self, met: int, machine_seconds: float) -> float:
        return met - self._price * machine_seconds


class _Run:
    """One simulation, which asks here for its plans."""

    def __init__(self, scenario: str, order: str, seed: int):
        self._scratch = tempfile.TemporaryDirectory(prefix="ontime-")
        self._order = order
        self._links: list[Link] = []
        self._planning: Link  # that the last view came from
        address = f"{self._scratch.name}/policy"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen()
        command = [program("ontime"), "simulate", scenario, "--policy", address, "--runs", "1", "--seed", str(seed)]
        command += ["--output", f"{self._scratch.name}/results"]
        self._complaints = open(f"{self._scratch.name}/stderr", "w+", errors="replace")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._complaints
        )
        self._end = os.pidfd_open(self._process.pid)

    def next_view(self) -> View | None:
        """None: the jobs are done."""
        while True:
            # The program comes more than once: it also asks whether there is such a policy.
            sources: list[Any] = [self._listener, *self._links, self._end]
            ready = select.select(sources, [], [])[0]
            if self._listener in ready:
                link = Link(self._listener.accept()[0])
                self._links.append(link)
                with contextlib.suppress(OSError):  # it has died meanwhile, as next_view() finds
                    if link.greeting() is not None:
                        link.welcome(self._order, False, True)
            elif ready == [self._end]:
                return None
            else:
                self._planning = ready[0]
                view = self._planning.next_view()
                if view is not None:
                    return view
                self._links.remove(self._planning)
                self._planning.close()

    def answer(self, plan: Plan) -> None:
        try:
            self._planning.answer(plan)
        except (TypeError, ValueError) as error:
            raise BadRequest(f"the plan cannot be sent: {error}") from error
        except OSError:  # it has died, and next_view() will say so
            pass

    def jobs(self) -> list[dict[str, str]]:
        """Rows of its table of jobs."""
        status = self._process.wait()
        self._complaints.seek(0)
        said = self._complaints.read()
        if status != 0 or "is not asked any more" in said:
            raise (BadRequest if status in (0, 2) else ClusterError)(complaint(said))
        with open(f"{self._scratch.name}/results/jobs.csv", newline="") as rows:
            return list(csv.DictReader(rows))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for link in self._links:
            link.close()
        self._listener.close()
        self._complaints.close()
        os.close(self._end)
        self._scratch.cleanup()

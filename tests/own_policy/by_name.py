"""The policy of by_name.cpp: what it knows of names and of tasks that are done, it has from the view's tables."""

from ontime.lab import PeriodicCheck, Plan, Policy


class ByName(Policy):
    def __init__(self, period: float = 1):
        self._check = PeriodicCheck(period)
        self._took = {}  # seconds of a job's tasks

    def plan(self, view):
        for task in view.done:  # in each look, also where nothing is decided
            self._took.setdefault(view.jobs.id[task.job], []).append(task.seconds)
        plan = Plan()
        if not self._check.is_due(view, plan):
            return plan
        for job in view.jobs:
            took = sorted(self._took.get(job.id, ()))
            if len(took) < 3 or job.name == "patient":
                continue
            usual = took[len(took) // 2]
            plan.note(job, f"{job.name} of {job.owner}: {len(took)} tasks took {int(1000 * usual)} ms")
            for task in view.tasks_of(job):
                self._copy(view, job, task, usual, plan)
        return plan

    def _copy(self, view, job, task, usual, plan):
        if task.attempts != 1 or task.pending:
            return
        (attempt,) = view.attempts_of(task)
        *_, last = view.segments_of(task)
        host = view.nodes.host[attempt.node] if attempt.node >= 0 else ""
        is_slow = job.age - attempt.launched_at > 1.5 * usual
        if is_slow and host != "host-node-1" and not last.is_changing:
            plan.race(last, reason="slow", completion=task.completion)

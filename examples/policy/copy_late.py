"""Copies for tasks that will be done after their job's deadline, or without one long after the others, while slots are
spare: the policy of copy_late.cpp.

ontime simulate jobs.yaml --policy none --policy examples/policy/copy_late.py:period=500ms
"""

from math import inf, isfinite
from statistics import median

from ontime.lab import PeriodicCheck, Plan, Policy, View


class CopyLate(Policy):
    order = "deadline"

    def __init__(self, period: float = 1, copies: int = 1, slow: float = 1.5):
        self._check = PeriodicCheck(period)
        self._copies = copies
        self._slow = slow

    def plan(self, view: View) -> Plan:
        plan = Plan()
        if not self._check.is_due(view, plan):  # a job was submitted between two looks
            return plan
        slots = view.spare_slots
        for job in view.jobs:
            ends = view.tasks.completion[job.first_task : job.first_task + job.open_tasks]
            latest = self._latest(job, ends)
            # NaN, nothing is known, is not late.
            for row in (job.first_task + i for i, end in enumerate(ends) if end > latest):
                if slots < self._copies:
                    return plan
                task = view.tasks[row]
                *_, last = view.segments_of(task)
                if task.attempts + task.pending > 1 or last.is_changing or not last.racers:
                    continue
                plan.race(last, self._copies, reason="late", completion=last.completion)
                slots -= self._copies
        return plan

    def _latest(self, job, ends):
        if job.deadline < inf:
            return job.deadline
        known = [end for end in ends if isfinite(end)]
        return self._slow * median(known) if known else inf

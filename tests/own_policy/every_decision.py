"""Asks for one decision of each kind, at the second look."""

from ontime.lab import Plan, Policy


class Every(Policy):
    order = "workload"
    has_shares = True
    plans_at_submission = False
    _looks = 0

    def plan(self, view):
        plan = Plan(view.after(1))
        plan.share(view.jobs[0], 3)
        self._looks += 1
        if self._looks != 2:
            return plan
        job, segment = view.jobs[0], view.segments[0]
        task, attempt = view.tasks[segment.task], view.attempts[0]
        middle = (segment.begin + segment.end) // 2
        plan.race(segment, 2, reason="slow", completion=9.5, pocd_before=0.25, pocd_after=0.75, rate=2, usual_rate=3)
        plan.share_tail(segment, middle, handover="ready")
        plan.give_tail(segment, [(middle, 1), (middle + 1, 2)])
        plan.divide(segment, [middle])
        plan.clone(job, 2)
        plan.end(attempt)
        plan.decline(task, "too-young")
        plan.note(job, "Grüße", number=7)
        return plan

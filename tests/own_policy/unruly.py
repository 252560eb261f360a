"""A policy that misbehaves in the way its parameter says, from the second look on."""

import ctypes
import os
import time

from ontime.lab import Plan, Policy


class Unruly(Policy):
    def __init__(self, how: str = "not", mark: str = ""):
        if how == "at-once":
            raise RuntimeError("out of temper")
        if how == "order":
            self.order = "alphabet"
        self._how = how
        self._mark = mark
        self._looks = 0

    def plan(self, view):
        plan = Plan(view.after(0.1))
        self._looks += 1
        return plan if self._looks < 2 else getattr(self, f"do_{self._how}")(view, plan)

    def do_not(self, view, plan):
        return plan

    def do_raises(self, view, plan):
        raise RuntimeError("out of temper")

    def do_exits(self, view, plan):
        raise SystemExit(3)

    def do_dies(self, view, plan):
        os._exit(0)

    def do_crashes(self, view, plan):
        os.kill(os.getpid(), 11)

    def do_hangs(self, view, plan):
        with open(self._mark, "w") as mark:
            mark.write(str(os.getpid()))
        ctypes.PyDLL(None).sleep(1000)  # no other thread of Python runs meanwhile

    def do_nothing(self, view, plan):
        return None

    def do_nonsense(self, view, plan):
        os.write(3, (7).to_bytes(8, "little") + b"[1, 2]\n")
        time.sleep(1000)

    def do_boundless(self, view, plan):
        os.write(3, b"\xff" * 8)
        time.sleep(1000)

    def do_names(self, view, plan):
        plan.end(99)
        return plan

    def do_reason(self, view, plan):
        plan.decline(0, "bored")
        return plan

    def do_field(self, view, plan):
        plan.race(0, swiftness=2)
        return plan

    def do_decision(self, view, plan):
        plan.decisions.append({"do": "dance"})
        return plan

    def do_lacks(self, view, plan):
        plan.decisions.append({"do": "end"})
        return plan

    def do_negative(self, view, plan):
        plan.race(0, copies=-1)
        return plan

    def do_handover(self, view, plan):
        plan.share_tail(0, 1, handover="never")
        return plan

    def do_unknown(self, view, plan):
        nobody_knows, never, last = float("nan"), float("inf"), view.segments[0].end - 1
        plan.race(0, completion=never, pocd_before=nobody_knows, pocd_after=nobody_knows, rate=nobody_knows)
        plan.give_tail(0, [(last, 1)], completion=nobody_knows)
        plan.share_tail(0, last, completion=never)
        return plan

    def do_flawed(self, view, plan):
        plan.race(0, copies=100_000)
        return plan

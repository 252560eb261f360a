"""A task with 10,000 checkpoints costs a step as much as one with one: what happens at events looks at open segments.

Sealed ones pile up at the front of a task's list, one for each checkpoint. So nothing walks over Ledger::segments()
but what is listed here, with how often. Everything else uses find(), containing() and for_each_open_from_back().
"""

import re

import source_tree

FOLDERS = ("scheduler/", "master/")

# The number of a file's uses, and why the walk's length does not matter there.
ALLOWED = {
    "master/outputs/commit_plan.cpp": 3,  # at a job's end, on another thread
    "master/clients/views.cpp": 1,  # a client asks for the segments of one task
    "scheduler/core/account.cpp": 2,  # at an attempt's end and for a client: what this attempt has mapped
    "scheduler/core/application_master.cpp": 2,  # at a master's start; of a task that has sealed nothing
    "scheduler/core/cluster.cpp": 1,  # the last one only
    "scheduler/core/invariants.cpp": 1,  # checks of debug builds
    "scheduler/policies/open_segments.cpp": 1,  # from the back to the open one
    "scheduler/policies/open_segments.h": 1,  # their address only
    "scheduler/policies/split_resume/start.cpp": 1,  # their number only
}

_USES = re.compile(r"\bledger\s*\.\s*segments\s*\(")


def check(sources):
    wrong = []
    for source in sources:
        if not source.is_cpp or not source.path.startswith(FOLDERS):
            continue
        uses = list(_USES.finditer(source.code))
        allowed = ALLOWED.get(source.path, 0)
        if len(uses) > allowed:
            lines = ", ".join(str(source.line_of(use.start())) for use in uses)
            wrong.append(f"{source.path}: uses Ledger::segments() {len(uses)} times (lines {lines}), {allowed} may: sealed "
                         "segments are as many as checkpoints; use for_each_open_from_back()")
        elif len(uses) < allowed:
            wrong.append(f"{source.path}: has only {len(uses)} uses left; lower its number in check_walks.py")
    return wrong


def _planted(line, path="scheduler/core/x.cpp"):
    return (path, "namespace ontime::scheduler {\n" + line + "\n}\n")


BAD = [
    _planted("for (const Segment& segment : task.ledger.segments()) {}"),
    _planted("for (const Segment& segment : cluster.find_task(id)->ledger.segments()) {}"),
    _planted("const auto& all = task.ledger.segments();", "master/x.cpp"),
    _planted("f(task.ledger.segments());\n" * 2, "scheduler/core/cluster.cpp"),
    _planted("int x;", "scheduler/core/cluster.cpp"),
]

GOOD = [
    _planted("task.ledger.for_each_open_from_back(look);"),
    _planted("// task.ledger.segments()"),
    _planted("for (const OpenSegment& segment : open_segments(job, index)) {}"),
    _planted("f(task.ledger.segments());", "scheduler/core/cluster.cpp"),
    _planted("f(task.ledger.segments());", "lab/x.cpp"),
]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

"""The scheduler is a pure function: nothing in it may ask for the time, for randomness, for a thread or for the world.

The simulator is one too, or else it would not be the same everywhere.

Containers whose order depends on a hash are forbidden too: the same events must give the same steps, bit for bit.
"""

import re

import source_tree

PURE_FOLDERS = ("scheduler/", "lab/", "tests/faults/")
# Programs print what a simulation has found; experiments run on processes too.
PROGRAMS = ("tests/faults/program/", "tests/faults/app/", "tests/faults/planted/", "lab/experiment/", "lab/verbs/")

FORBIDDEN = {
    "asks a clock": r"::now\s*\(|\b(?:clock_gettime|gettimeofday)\b|\bstd::time\s*\(",
    "is random": r"\brandom_device\b|\bs?rand\s*\(",
    "has an order that depends on hashes": r"\bunordered_",
    "depends on the environment": r"\bgetenv\b",
    "starts or joins threads": r"<thread>|\bstd::j?thread\b|\bstd::async\b|\bthread_local\b",
    "waits for threads": r"<mutex>|<condition_variable>|<atomic>|<future>|\bstd::mutex\b",
    "reads or writes": r"<iostream>|<fstream>|<filesystem>|<cstdio>|\bprintf\s*\(|\bstd::c(?:out|err|log)\b",
}


def check(sources):
    wrong = []
    for source in sources:
        if not source.is_cpp or not source.path.startswith(PURE_FOLDERS) or source.path.startswith(PROGRAMS) or source.path.endswith("_test.cpp"):
            continue
        for fault, pattern in FORBIDDEN.items():
            for match in re.finditer(pattern, source.code):
                wrong.append(f"{source.path}:{source.line_of(match.start())}: '{match[0]}' {fault}")
    return wrong


def _planted(line):
    return ("scheduler/x.cpp", "namespace ontime::scheduler {\n" + line + "\n}\n")


BAD = [_planted(line) for line in (
    "auto t = std::chrono::steady_clock::now();",
    "const auto now = Clock::now ();",
    "std::random_device seed;",
    "int x = rand() % 6;",
    "int x = std::rand();",
    "#include <thread>",
    "#include <mutex>",
    "#include <iostream>",
    "#include <atomic>",
    "#include <unordered_map>",
    "std::unordered_set<int> seen;",
    'const char* home = std::getenv("HOME");',
    'void f() { printf("here"); }',
    "thread_local int depth;",
)]

GOOD = [_planted(line) for line in (
    "// std::chrono::steady_clock::now() is the caller's",
    "/* no <thread>, no\n <mutex> */",
    'const char* text = "rand() and getenv";',
    "Step step(const Event& event, TimePoint now);",
    "int operand(int brand);",
    "std::map<JobId, Job> jobs;",
)] + [("master/x.cpp", "auto t = std::chrono::steady_clock::now();\n")]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

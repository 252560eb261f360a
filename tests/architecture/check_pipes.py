"""Under `pipefail` nothing is piped into a reader that leaves early, as `grep -q` and `head` do.

Who still writes then dies of SIGPIPE, and the script fails with it: only now and then, on a busy machine. A reader that
reads on does the same: `grep WORD >/dev/null`, `sed -n 1p`.
"""

import re

import source_tree

_STRICT = re.compile(r"^\s*set -\S*o pipefail|bash -\S*o pipefail", re.MULTILINE)
_LEAVES = re.compile(r"\|\s*(?:grep\s+(?:-\S+\s+)*-[A-Za-z]*[qm]|head\b)")


def check(sources):
    wrong = []
    for source in sources:
        if not source.path.endswith(".sh") or not _STRICT.search(source.text):
            continue
        for number, line in enumerate(source.text.splitlines(), 1):
            if _LEAVES.search(line.split(" #")[0]):
                wrong.append(f"{source.path}:{number}: this reader leaves before its writer is done, which pipefail "
                             "takes for a failure; use `grep WORD >/dev/null` or `sed -n 1p`")
    return wrong


def _planted(line, options="set -euo pipefail"):
    return ("tests/x.sh", f"#!/usr/bin/env bash\n{options}\n{line}\n")


BAD = [
    _planted("ontime apps | grep -q wordcount"),
    _planted("ontime apps | grep -i -qx wordcount"),
    _planted("ontime apps | head -n 1"),
]

GOOD = [
    _planted("ontime apps | grep wordcount >/dev/null"),
    _planted("ontime apps | grep -c wordcount"),
    _planted("grep -q wordcount file"),
    _planted("ontime apps | grep -q wordcount", options="set -eu"),
    _planted("ontime apps >apps # | head"),
]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

"""No file is longer than a reader's patience."""

import source_tree

LINES_MAX = 400


def check(sources):
    wrong = []
    for source in sources:
        lines = len(source.text.splitlines())
        if lines > LINES_MAX:
            wrong.append(f"{source.path}: {lines} lines, more than {LINES_MAX}; it is more than one thing")
    return wrong


BAD = [("worker/x.cpp", "int x;\n" * 401), ("tests/x/x.py", "x = 1\n" * 5000), ("cli/x.h", "\n" * 400 + "end")]
GOOD = [("worker/x.cpp", "int x;\n" * 400), ("worker/y.cpp", "")]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

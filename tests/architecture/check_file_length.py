"""No file is longer than a reader's patience."""

import source_tree

LINES_MAX = 600


def check(sources):
    wrong = []
    for source in sources:
        lines = len(source.text.splitlines())
        if lines > LINES_MAX:
            wrong.append(f"{source.path}: {lines} lines, more than {LINES_MAX}; it is more than one thing")
    return wrong


BAD = [("worker/x.cpp", "int x;\n" * 601), ("tests/x/x.py", "x = 1\n" * 5000), ("cli/x.h", "\n" * 600 + "end")]
GOOD = [("worker/x.cpp", "int x;\n" * 600), ("worker/y.cpp", "")]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

"""No file is longer than a reader's patience, and no line of what ships is wider than a page."""

import source_tree

LINES_MAX = 400
COLUMNS_MAX = 120


def check(sources):
    wrong = []
    for source in sources:
        lines = source.text.splitlines()
        if len(lines) > LINES_MAX:
            wrong.append(f"{source.path}: {len(lines)} lines, more than {LINES_MAX}; it is more than one thing")
        if source.path.startswith("tests/") or not source.path.endswith((".h", ".cpp", ".proto")):
            continue
        wrong += [f"{source.path}:{number}: {len(line)} columns, more than {COLUMNS_MAX}; break the line"
                  for number, line in enumerate(lines, 1) if len(line) > COLUMNS_MAX]
    return wrong


BAD = [("worker/x.cpp", "int x;\n" * 401), ("cli/x.js", "f();\n" * 401), ("tests/x/x.py", "x = 1\n" * 5000), ("cli/x.h", "\n" * 400 + "end"),
       ("lab/x.h", "int x;\n//" + "-" * 119 + "\n"), ("common/x.proto", "/" * 121)]
GOOD = [("worker/x.cpp", "int x;\n" * 400), ("worker/y.cpp", ""), ("worker/z.cpp", "/" * 120 + "\nint x;"),
        ("tests/x.cpp", "/" * 121), ("lab/x.py", "#" * 121)]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

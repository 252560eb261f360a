"""No function is longer than a screen."""

import pathlib
import subprocess
import tempfile

import source_tree

LINES_MAX = 60
FORMAT = "--_xformat=%{line} %{end} %{name}\t%{input}"


def functions(sources):
    """Of all C++ sources (first line, last line, name, path), as universal-ctags finds them."""
    with tempfile.TemporaryDirectory() as copy:
        for source in sources:
            path = pathlib.Path(copy, source.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source.text, encoding="utf-8")
        found = subprocess.run(["ctags", "-x", "--fields=+e", "--kinds-C++=f", FORMAT, "-L", "-"], cwd=copy, check=True,
                               input="\n".join(source.path for source in sources), capture_output=True, text=True)
    for line in found.stdout.splitlines():
        place, _, path = line.partition("\t")
        first, last, name = place.split(" ", 2)
        yield int(first), int(last), name, path


def check(sources):
    wrong = []
    for first, last, name, path in functions([source for source in sources if source.is_cpp]):
        lines = last - first + 1
        if lines > LINES_MAX:
            wrong.append(f"{path}:{first}: {name} has {lines} lines, more than {LINES_MAX}; divide it")
    return wrong


def of_lines(lines):
    return "int f() {\n" + "  work();\n" * (lines - 2) + "}\n"


BAD = [("worker/x.cpp", of_lines(61)), ("tests/x.h", "struct A {\n" + of_lines(70) + "};\n"),
       ("cli/x.cpp", "TEST(A, B) {\n" + "  f();\n" * 60 + "}\n")]
GOOD = [("worker/x.cpp", of_lines(60) + of_lines(60)), ("cli/x.py", of_lines(99))]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

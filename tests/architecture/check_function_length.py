"""No function is longer than a screen."""

import pathlib
import re
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


# A function or a method, as the pages' scripts are laid out.
_SCRIPT_FUNCTION = re.compile(r"^( *)(?:static )?(?:async )?(?:function )?(?!(?:if|for|while|switch|catch)\b)(\w+)\(.*\{$")


def script_functions(sources):
    """Likewise of all scripts: each ends where its first line's indentation comes back with a brace."""
    for source in sources:
        lines = source.text.splitlines()
        for first, line in enumerate(lines, 1):
            begun = _SCRIPT_FUNCTION.match(line)
            if not begun:
                continue
            ends = (number for number in range(first, len(lines)) if lines[number].startswith(begun[1] + "}"))
            yield first, next(ends, len(lines) - 1) + 1, begun[2], source.path


def check(sources):
    wrong = []
    found = list(functions([source for source in sources if source.is_cpp]))
    found += script_functions(source for source in sources if source.path.endswith(".js"))
    for first, last, name, path in found:
        lines = last - first + 1
        if lines > LINES_MAX:
            wrong.append(f"{path}:{first}: {name} has {lines} lines, more than {LINES_MAX}; divide it")
    return wrong


def of_lines(lines):
    return "int f() {\n" + "  work();\n" * (lines - 2) + "}\n"


BAD = [("worker/x.cpp", of_lines(61)), ("tests/x.h", "struct A {\n" + of_lines(70) + "};\n"),
       ("cli/x.cpp", "TEST(A, B) {\n" + "  f();\n" * 60 + "}\n"),
       ("cli/x.js", "function f() {\n" + "  g();\n" * 60 + "}\n"),
       ("cli/x.js", "class A {\n  async f(x) {\n" + "    g();\n" * 60 + "  }\n}\n")]
GOOD = [("worker/x.cpp", of_lines(60) + of_lines(60)), ("cli/x.py", of_lines(99)),
        ("cli/x.js", "function f() {\n" + "  g();\n" * 50 + "}\n" + "  g();\n" * 50)]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)

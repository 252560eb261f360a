"""The sources of the project as the checks of this folder see them, and how such a check is run.

A check is a function that takes sources and returns violations, one sentence each. Every check carries planted
samples: some it must object to, some it must accept, so that it cannot pass because it has gone blind.
"""

import pathlib
import re
import sys

FOLDERS = ("apps", "cli", "common", "lab", "master", "python", "scheduler", "tests", "worker")
SUFFIXES = (".h", ".cpp", ".proto", ".py", ".sh", ".js")

# Comments, then literals; a quote between two digits is a separator and neither.
_TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
      |(?P<separator>(?<=[0-9a-fA-F])'(?=[0-9a-fA-F]))
      |(?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.VERBOSE)


def _blank(text, keep_literals):
    """`text` without comments and, if wanted, without what stands in literals; lines keep their numbers."""

    def replace(match):
        if match["separator"] or (keep_literals and not match["comment"]):
            return match[0]
        lines = "\n" * match[0].count("\n")
        return " " + lines if match["comment"] else match[0][0] + lines + match[0][-1] if match["literal"] else '""' + lines

    return _TOKENS.sub(replace, text)


class Source:
    """One file: `path` from the root with slashes, `text` as it is, `code` without comments and literals."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.is_cpp = path.endswith((".h", ".cpp"))
        self.uncommented = _blank(text, keep_literals=True) if self.is_cpp else text
        self.code = _blank(text, keep_literals=False) if self.is_cpp else text

    def line_of(self, offset):
        return self.code.count("\n", 0, offset) + 1


def read_sources(root):
    sources = []
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(root, folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                sources.append(Source(path.relative_to(root).as_posix(), text))
    return sources


def _self_test(check, bad, good):
    """What the check got wrong about its planted samples, each a (path, text) or a list of them."""
    wrong = []
    for samples, is_bad in ((bad, True), (good, False)):
        for sample in samples:
            files = sample if isinstance(sample, list) else [sample]
            told = check([Source(path, text) for path, text in files])
            shown = "\n".join(f"{path}\n{text}" for path, text in files)
            if is_bad and not told:
                wrong.append(f"is not objected to: {shown}")
            wrong += [f"is objected to without need: {shown}\n  {sentence}" for sentence in told if not is_bad]
    return wrong


def main(check, bad, good):
    """`check_x.py ROOT` looks at the project, `check_x.py --self-test` at the planted samples."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT | --self-test")
    if sys.argv[1] == "--self-test":
        wrong = _self_test(check, bad, good)
        looked_at = len(bad) + len(good)
        enough = len(bad) > 0 and len(good) > 0
    else:
        sources = read_sources(sys.argv[1])
        wrong = check(sources)
        looked_at = len(sources)
        enough = looked_at >= 50  # fewer: this is not the project's root
    for sentence in wrong:
        print(sentence)
    print(f"{looked_at} looked at, {len(wrong)} wrong" + ("" if enough else "; too few to mean anything"))
    sys.exit(0 if enough and not wrong else 1)

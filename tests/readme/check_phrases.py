"""check_phrases.py SOURCE_DIR, or --self-test

The pages, and the comments and messages of the code, contain no phrase of phrases.txt, which names a better one for each.
"""
import glob
import os
import re
import sys


def phrases_of(path):
    """Pairs of a pattern and what to write instead."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                phrase, _, better = (part.strip() for part in line.partition("|"))
                words = r"\s+".join(re.escape(word) for word in phrase.split())
                yield phrase, re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE), better


def found_in(text, phrases):
    # Inline code keeps its length, so that line numbers stay right.
    plain = re.sub(r"`[^`\n]+`", lambda code: "`" * len(code.group()), text)
    lower = plain.lower()
    for phrase, pattern, better in phrases:
        if max(phrase.lower().split(), key=len) not in lower:  # much quicker than the pattern
            continue
        for match in pattern.finditer(plain):
            yield plain.count("\n", 0, match.start()) + 1, phrase, better


FOLDERS = ("apps", "cli", "cmake", "common", "docker", "docs", "examples", "lab", "master", "python", "scheduler", "scripts",
           "tests", "worker")
TEXTS = (".cmake", ".cpp", ".css", ".h", ".html", ".js", ".md", ".proto", ".py", ".sh", ".txt", ".yaml", ".yml")
HERE = os.path.dirname(os.path.abspath(__file__))


def is_read(name):
    """Scripts have no ending. The bundled books are not ours."""
    return name.endswith(TEXTS) or "." not in name


def texts_of(source):
    yield from sorted(glob.glob(os.path.join(source, "*.md")))
    yield os.path.join(source, "CMakeLists.txt")
    for folder in FOLDERS:
        for directory, _, names in os.walk(os.path.join(source, folder)):
            if directory in (HERE, os.path.join(source, "examples", "text")) or "corpus" in directory:
                continue
            yield from (os.path.join(directory, name) for name in sorted(names) if is_read(name))


def self_test(phrases):
    """Phrases are found across lines and in any case, and not in code or as parts of words."""
    text = "It waits.\nFor\n  ever, `whoever` said, is untold;\nWhoever asks."
    found = sorted((line, phrase) for line, phrase, _ in found_in(text, phrases))
    print(found)
    return 0 if found == [(2, "for ever"), (4, "whoever")] else 1


def main(source):
    phrases = list(phrases_of(os.path.join(HERE, "phrases.txt")))
    if source == "--self-test":
        return self_test(phrases)
    source = os.path.abspath(source)
    count = 0
    for path in texts_of(source):
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, phrase, better in sorted(found_in(file.read(), phrases)):
                print(f"{os.path.relpath(path, source)}:{number}: '{phrase}'; better: {better}")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""check_phrases.py SOURCE_DIR, or --self-test

README.md and docs/*.md contain no phrase of phrases.txt, which names a better one for each.
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
    for phrase, pattern, better in phrases:
        for match in pattern.finditer(plain):
            yield plain.count("\n", 0, match.start()) + 1, phrase, better


def self_test(phrases):
    """Phrases are found across lines and in any case, and not in code or as parts of words."""
    text = "It waits.\nFor\n  ever, `whoever` said, is untold;\nWhoever asks."
    found = sorted((line, phrase) for line, phrase, _ in found_in(text, phrases))
    print(found)
    return 0 if found == [(2, "for ever"), (4, "whoever")] else 1


def main(source):
    phrases = list(phrases_of(os.path.join(os.path.dirname(os.path.abspath(__file__)), "phrases.txt")))
    if source == "--self-test":
        return self_test(phrases)
    count = 0
    for page in [os.path.join(source, "README.md")] + sorted(glob.glob(os.path.join(source, "docs/*.md"))):
        with open(page, encoding="utf-8") as file:
            for number, phrase, better in sorted(found_in(file.read(), phrases)):
                print(f"{os.path.relpath(page, source)}:{number}: '{phrase}'; better: {better}")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""check_links.py SOURCE_DIR, or --self-test

Every relative link in *.md, docs/**/*.md, reproduction/README.md and examples/*.md leads to a file of the tree,
and its anchor to a heading of that page. Every header that docs/contributing.md names exists, and docs/README.md lists
every page of docs/. Each row of a table has as many cells as its first. README.md stays short.
"""
import glob
import os
import re
import sys
import tempfile

README_LINES = 130
FENCE = re.compile(r"^(```|~~~)")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADER = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.h)`")


def lines_outside_code(text):
    """The lines of a page with their numbers, without fenced blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor_of(heading):
    """The anchor that GitHub gives a heading: lower case, without punctuation, blanks as hyphens."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors_of(text):
    seen = {}
    anchors = set()
    for _, line in lines_outside_code(text):
        if match := re.match(r"#{1,6} +(.*?) *#*$", line):
            anchor = anchor_of(match.group(1))
            count = seen.get(anchor, 0)
            seen[anchor] = count + 1
            anchors.add(anchor if count == 0 else f"{anchor}-{count}")
    return anchors


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def wrong_links(page, source):
    for number, line in lines_outside_code(read(os.path.join(source, page))):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(source, file)):
                yield f"{page}:{number}: {target} leads nowhere"
            elif anchor and anchor not in anchors_of(read(os.path.join(source, file))):
                yield f"{page}:{number}: {file} has no heading for #{anchor}"


def wrong_headers(page, source):
    for path in HEADER.findall(read(os.path.join(source, page))):
        if not os.path.exists(os.path.join(source, path)):
            yield f"{page}: there is no {path}"


def cells_of(row):
    """How many cells a table's row has; 0 if no `|` closes it. A `|` behind a backslash is text."""
    plain = row.strip().replace("\\|", "")
    return plain.count("|") - 1 if plain.endswith("|") else 0


def torn_tables(page, source):
    width = None
    for number, line in lines_outside_code(read(os.path.join(source, page))):
        if not line.startswith("|"):
            width = None
            continue
        width = width or cells_of(line)
        if cells_of(line) != width:
            yield f"{page}:{number}: this row has not {width} cells as the first of its table has"


def unlisted_pages(source):
    index = read(os.path.join(source, "docs/README.md"))
    for path in sorted(glob.glob(os.path.join(source, "docs/**/*.md"), recursive=True)):
        name = os.path.relpath(path, os.path.join(source, "docs"))
        if name != "README.md" and f"]({name})" not in index:
            yield f"docs/README.md does not list {name}"


def wrong_in(source):
    """What is wrong in the tree, and how many pages were read."""
    pages = ["reproduction/README.md"]
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md"):
        pages += [os.path.relpath(path, source) for path in sorted(glob.glob(os.path.join(source, pattern), recursive=True))]
    wrong = [error for page in pages for error in wrong_links(page, source)]
    wrong += [error for page in pages for error in torn_tables(page, source)]
    wrong += wrong_headers("docs/contributing.md", source)
    wrong += unlisted_pages(source)
    length = len(read(os.path.join(source, "README.md")).splitlines())
    if length > README_LINES:
        wrong.append(f"README.md has {length} lines; at most {README_LINES} are allowed: move some to a page of docs/")
    return wrong, len(pages)


def self_test():
    """A planted violation of each kind is found, and nothing else."""
    tree = {
        "README.md": "[a](docs/a.md#right-heading) [b](docs/none.md)\n" + "\n" * README_LINES,
        "docs/README.md": "[a](a.md) [contributing](contributing.md) [web](https://example.org/none)\n",
        "docs/a.md": "## Right: *heading*\n| `a\\|b` | c |\n|---|---|\n| d | e | f \n```\n## in code\n[not](a-link.md)\n```\n[own](#in-code)\n",
        "docs/contributing.md": "`docs/none.h`\n",
        "docs/unlisted.md": "",
        "docs/sub/unlisted.md": "[a](a.md)\n",
        "reproduction/README.md": "[up](../docs/a.md#right-heading)\n",
    }
    with tempfile.TemporaryDirectory() as source:
        for path, text in tree.items():
            os.makedirs(os.path.dirname(os.path.join(source, path)), exist_ok=True)
            with open(os.path.join(source, path), "w", encoding="utf-8") as file:
                file.write(text)
        wrong, _ = wrong_in(source)
    expected = ["docs/none.md leads nowhere", "no heading for #in-code", "docs/a.md:4: this row has not 2 cells", "there is no docs/none.h",
                "does not list unlisted.md", "does not list sub/unlisted.md", "a.md leads nowhere", "at most 130 are allowed"]
    found = [any(part in error for error in wrong) for part in expected]
    print("\n".join(wrong))
    return 0 if all(found) and len(wrong) == len(expected) else 1


def main(argument):
    if argument == "--self-test":
        return self_test()
    wrong, pages = wrong_in(argument)
    print("\n".join(wrong) or f"All links of {pages} pages lead somewhere.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

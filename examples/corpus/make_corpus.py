"""Makes a corpus of documents out of texts, the same bytes for the same arguments on every machine.

    make_corpus.py TEXTS SIZE DIRECTORY [--files N] [--format jsonl|warc] [--seed N]

SIZE is of the documents before compression, such as 64MB or 4GB. A document is some paragraphs of the texts; one in ten is
junk. ``warc`` writes WARC 1.1 with a gzip member for each record, as Common Crawl does.
"""

import argparse
import gzip
import json
import pathlib
import random
import uuid

UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def size_of(text):
    unit = text[-2:].upper()
    return int(float(text[:-2]) * UNITS[unit]) if unit in UNITS else int(text)


def junk(dice):
    return " ".join(dice.choice(("buy", "now", "cheap@spam.example", "http://x.example/", "!!!")) for _ in range(dice.randrange(5, 200)))


def documents(texts, dice):
    """Endless pairs of an address and a text."""
    for number in range(1 << 62):
        if dice.random() < 0.1:
            text = junk(dice)
        else:
            begin = dice.randrange(len(texts))
            text = texts[begin : begin + int(dice.lognormvariate(8.1, 0.9))] + f"\nwritten by author{number}@mail.example"
        yield f"https://site{dice.randrange(100000)}.example/{number}", text


def json_line(url, text, dice):
    return json.dumps({"url": url, "text": text}, ensure_ascii=False).encode() + b"\n"


def warc_member(url, text, dice):
    content = text.encode()
    head = (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.UUID(int=dice.getrandbits(128), version=4)}>\r\n"
            f"WARC-Date: 2026-11-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(content)}\r\n\r\n")
    return gzip.compress(head.encode() + content + b"\r\n\r\n", 1, mtime=0)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("texts", type=pathlib.Path)
    arguments.add_argument("size", type=size_of)
    arguments.add_argument("directory", type=pathlib.Path)
    arguments.add_argument("--files", type=int, help="one for each 64 MB and at least 16 unless given")
    arguments.add_argument("--format", choices=("jsonl", "warc"), default="jsonl")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    files = given.files or max(16, given.size // 64_000_000)
    texts = "\n".join(path.read_text("utf-8", "replace") for path in sorted(given.texts.glob("*.txt")))
    given.directory.mkdir(parents=True)
    write, suffix = {"jsonl": (json_line, "jsonl"), "warc": (warc_member, "warc.gz")}[given.format]
    for number in range(files):
        dice = random.Random(f"{given.seed}/{number}")
        room = given.size // files
        with open(given.directory / f"{number:05}.{suffix}", "wb") as file:
            for url, text in documents(texts, dice):
                file.write(write(url, text, dice))
                room -= len(text)
                if room <= 0:
                    break


if __name__ == "__main__":
    main()

"""What the mapper makes of a corpus in one pass without Ontime: expected.py CORPUS OUTPUT. Prints the characters mapped."""

import multiprocessing
import pathlib
import sys

import clean
from ontime._sinks import encode


def map_file(paths):
    source, target = paths
    mapped = 0

    def counted(url, text, cleaned=clean.cleaned):
        nonlocal mapped
        mapped += len(text)
        return cleaned(url, text)

    clean.cleaned = counted
    if source.suffix == ".gz":
        from warcio.archiveiterator import ArchiveIterator

        with open(source, "rb") as file, open(target, "wb") as answer:
            for record in ArchiveIterator(file):
                if (kept := clean.of_warc(record)) is not None:
                    answer.write(encode(kept) + b"\n")
    else:
        with open(source, "rb") as lines, open(target, "wb") as answer:
            for line in lines:
                if (kept := clean.of_json(line)) is not None:
                    answer.write(encode(kept) + b"\n")
    return mapped


def main():
    corpus, output = map(pathlib.Path, sys.argv[1:])
    output.mkdir()
    pairs = [(path, output / path.name) for path in sorted(corpus.iterdir())]
    with multiprocessing.Pool(2, maxtasksperchild=1) as pool:
        print(sum(pool.map(map_file, pairs, chunksize=1)))


if __name__ == "__main__":
    main()

"""Filters, hashes and rewrites the documents of a web corpus: a mapper for ``ontime.Client.map(..., write="lines")``.

A document is a line of JSON with ``url`` and ``text``, or a response in a WARC file. The heuristics are those of the
Gopher paper (Rae and others, 2021, appendix A1.1), the sketch is for finding near-duplicates (Broder, 1997).
"""

import hashlib
import heapq
import json
import re
import zlib

MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w+")
SPACES = re.compile(r"[ \t\r\n]+")
STOP_WORDS = frozenset("the be to of and that have with".split())
SHINGLE = 5  # words
SKETCH = 8  # smallest hashes of a document's shingles


def is_prose(words):
    if not 50 <= len(words) <= 100_000 or len(STOP_WORDS.intersection(words)) < 2:
        return False
    return 3 <= sum(map(len, words)) / len(words) <= 10


def sketch(words):
    shingles = (" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1))
    return heapq.nsmallest(SKETCH, {zlib.crc32(shingle.encode()) for shingle in shingles})


def cleaned(url, text):
    """The document as it is kept, or None."""
    text = SPACES.sub(" ", MAIL.sub("<mail>", text)).strip()
    words = text.split(" ")
    if not is_prose(words):
        return None
    digest = hashlib.blake2b(text.lower().encode(), digest_size=16).hexdigest()
    return {"id": digest, "url": url, "sketch": sketch(words), "text": text}


def of_json(line):
    document = json.loads(line)
    return cleaned(document["url"], document["text"])


def of_warc(record):
    if record.rec_type != "response":
        return None
    text = record.content_stream().read().decode("utf-8", "replace")
    return cleaned(record.rec_headers.get_header("WARC-Target-URI"), text)

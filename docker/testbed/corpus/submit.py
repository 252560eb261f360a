"""Submits the corpus job: submit.py CORPUS OUTPUT json|warc. Prints the job's id."""

import sys

import ontime

corpus, output, kind = sys.argv[1:]
records = {"json": "lines", "warc": "warc"}[kind]
job = ontime.Client().map(f"/corpus/counted.py:of_{kind}", corpus, write="lines", records=records, output=output, compress="zstd",
                          parts_suffix=".jsonl", checkpoint="250ms", split_size="64MiB", files=["/corpus/clean.py"])
print(job.id)

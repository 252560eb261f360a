"""The same in datatrove's local executor, which begins a file again that it has not finished: trove.py CORPUS OUTPUT json|warc."""

import os
import sys

import clean
import counted  # noqa: F401  counts what clean maps
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.readers import JsonlReader, WarcReader
from datatrove.pipeline.writers import JsonlWriter

PROCESSES = 2


class Clean(PipelineStep):
    name = "clean"

    def run(self, data, rank=0, world_size=1):
        for document in data:
            kept = clean.cleaned(document.metadata.get("url"), document.text)
            if kept is not None:
                document.id, document.text = kept["id"], kept["text"]
                document.metadata = {"url": kept["url"], "sketch": kept["sketch"]}
                yield document


def main():
    corpus, output, kind = sys.argv[1:]
    reader = {"json": JsonlReader, "warc": WarcReader}[kind](corpus)
    LocalPipelineExecutor(
        pipeline=[reader, Clean(), JsonlWriter(output, compression="zstd")],
        tasks=len(os.listdir(corpus)), workers=PROCESSES, logging_dir=f"{output}-logs",
    ).run()


if __name__ == "__main__":
    main()

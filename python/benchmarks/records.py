"""How many records a second go through mappers of one line each, with one worker that has one slot.

python records.py [MEGABYTES]
"""

import os
import sys
import tempfile
from pathlib import Path

import ontime
from ontime.programs import call

MAPPERS = {
    "pairs, no merge": (lambda line: [(line, 1)], {}),
    "sum of one key": (lambda line: [("lines", 1)], {"merge": "sum"}),
    "sum, generator of words": (lambda line: ((word, 1) for word in line.split()), {"merge": "sum"}),
    "batches": (lambda lines: [("lines", len(lines))], {"merge": "sum", "batches": True}),
}


def main() -> None:
    size = sys.argv[1] if len(sys.argv) > 1 else "64"
    with tempfile.TemporaryDirectory() as directory:
        text = Path(directory) / "text"
        call(["gen", "text", f"{size}MiB", "--output", str(text)], {})
        with ontime.LocalCluster(workers=1) as cluster:
            for name, (mapper, options) in MAPPERS.items():
                status = cluster.map(mapper, text, **options).wait(progress=False).status()
                seconds = status["elapsed_seconds"]
                print(f"{name:24} {status['records'] / seconds:10,.0f} records/s  {seconds:6.2f} s  on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()

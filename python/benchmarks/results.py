"""What reading an answer costs Python, as a ratio to what `ontime result` itself takes of the CPU.

python results.py [KEYS]
"""

import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import ontime
from ontime.programs import program


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main() -> None:
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        numbers, output = Path(directory) / "numbers", Path(directory) / "answer"
        numbers.write_text("".join(f"key{number}\n" for number in range(keys)))
        with ontime.LocalCluster() as cluster:
            job = cluster.map(lambda line: [(line, 1)], numbers, merge="sum", output=output)
            job.wait(progress=False)
            before = cpu(resource.RUSAGE_CHILDREN)
            with open(os.devnull, "wb") as nowhere:
                subprocess.run([program("ontime"), "result", output], stdout=nowhere, check=True)
            alone = cpu(resource.RUSAGE_CHILDREN) - before
            print(f"{'ontime result':14} {alone:6.2f} s of CPU for {keys:,} keys")
            ways = {"pairs": lambda: sum(1 for _ in job), "dict(job)": lambda: dict(job), "to_dict": job.to_dict}
            for module in ("pyarrow", "pandas"):
                if find_spec(module) is not None:
                    __import__(module)
                    ways[f"to_{module.removeprefix('py')}"] = getattr(job, f"to_{module.removeprefix('py')}")
            for name, read in ways.items():
                before = cpu(resource.RUSAGE_SELF)
                read()
                taken = cpu(resource.RUSAGE_SELF) - before
                print(f"{name:14} {taken:6.2f} s of CPU in Python, {taken / alone:5.2f} times the program's")


if __name__ == "__main__":
    main()

"""A corpus is cleaned while every worker is killed again and again and the whole cluster is lost twice; then by datatrove.

    scripts/testbed up --built build/release && scripts/testbed corpus [--size 4GB] [--every 60] [--format json|warc] [--output DIR]

Every worker is killed (-9) and started again each EVERY seconds, and at a third and at two thirds of the work all containers
at once, the master too. Then the output is compared, byte for byte, with one pass over the corpus without Ontime. datatrove's
local executor maps the same files in the same image and is killed as often; it goes on with the files that it has not
finished. Each mapped document is noted in a file, so what was mapped twice is counted and not reported. DIR gets `corpus.csv`
(seconds, system, share of the corpus mapped, what happened) and `summary.json`.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from cluster import Cluster, Failed, eventually, run, say, testbed

IMAGE = "ontime-corpus"
PACKAGES = ("datatrove>=0.6", "zstandard", "orjson", "warcio")
WORKERS = 2


class Run:
    """What one system has mapped, over time."""

    def __init__(self, cluster, system, total):
        self.cluster, self.system, self.total = cluster, system, total
        self.rows = []
        self.began = time.monotonic()
        cluster.shell(": > /data/read.log; chmod 666 /data/read.log")

    def mapped(self):
        """The share of the corpus, with what was mapped again."""
        return int(self.cluster.shell("python3 /corpus/total.py /data/read.log")) / self.total

    def note(self, event=""):
        share = self.mapped()
        self.rows.append({"seconds": round(time.monotonic() - self.began, 2), "system": self.system, "mapped": share, "event": event})
        return share

    def follow(self, ended, every, kill_one, kill_all):
        """Until it has ended; kills in between. `kill_all` is called at a third and at two thirds, None never."""
        next_kill, gone = self.began + every, [1 / 3, 2 / 3] if kill_all else []
        while not ended():
            share = self.note()
            if gone and share >= gone[0]:
                self.note("all killed")
                kill_all()
                gone.pop(0)
            elif time.monotonic() >= next_kill:
                self.note("killed")
                kill_one()
                next_kill += every
            time.sleep(1)
        return self.note("done")


def kill_and_start(*containers):
    run("docker", "kill", "--signal", "KILL", *containers)
    run("docker", "start", *containers)


def by_ontime(cluster, total, every, kind):
    workers = cluster.containers("worker")
    part = Run(cluster, "Ontime", total)
    job = cluster.shell(f"rm -rf /data/out && python3 /corpus/submit.py /data/corpus /data/out {kind}").strip()
    share = part.follow(lambda: cluster.job(job).get("ended_unix_ns"), every, lambda: kill_and_start(*workers),
                        lambda: kill_and_start(cluster.master, *workers))
    cluster.wait(job)
    cluster.expect_whole("/data/out")
    cluster.shell("cat /data/expected/* | cmp - <(ontime result /data/out)")
    return part, share


def by_datatrove(cluster, total, every, kind):
    part = Run(cluster, "datatrove", total)
    cluster.shell("rm -rf /data/trove /data/trove-logs")
    container = run("docker", "run", "--detach", "--network", "none", "--volumes-from", cluster.client, IMAGE, "python3",
                    "/corpus/trove.py", "/data/corpus", "/data/trove", kind).strip()

    def ended():
        state = json.loads(run("docker", "inspect", "--format", "{{json .State}}", container))
        if not state["Running"] and state["ExitCode"] not in (0, 137):
            raise Failed("datatrove: " + run("docker", "logs", "--tail", "5", container))
        return not state["Running"] and state["ExitCode"] == 0

    try:
        share = part.follow(ended, every, lambda: kill_and_start(container), lambda: kill_and_start(container))
    finally:
        run("docker", "rm", "--force", container, check=False)
    return part, share


def make_image():
    """Packages come from PyPI on this machine, which has to have the image's version of Python."""
    with tempfile.TemporaryDirectory() as context:
        packages, corpus = f"{context}/packages", f"{context}/corpus"
        run(sys.executable, "-m", "pip", "install", "--quiet", "--target", packages, *PACKAGES)
        shutil.copytree("python/ontime", f"{packages}/ontime", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree("examples/corpus", corpus)
        shutil.copytree("docker/testbed/corpus", corpus, dirs_exist_ok=True)
        shutil.copytree("examples/text", f"{corpus}/text")
        run("docker", "build", "--network=host", "-t", IMAGE, "-f", "docker/testbed/corpus.Dockerfile", context)


def prepare(arguments):
    """The cluster, and how many characters the corpus has."""
    make_image()
    os.environ["ONTIME_IMAGE"] = IMAGE
    testbed("up", "--workers", str(WORKERS), "--slots", "1", "--master", "--node-timeout 5s")
    cluster = Cluster()
    say(f"Making {arguments.size} of documents")
    formats = {"json": "jsonl", "warc": "warc"}
    cluster.shell("rm -rf /data/corpus /data/expected && python3 /corpus/make_corpus.py /corpus/text "
                  f"{arguments.size} /data/corpus --format {formats[arguments.format]}")
    say("Mapping them once without Ontime")
    total = int(cluster.shell("READ_LOG=/dev/null python3 /corpus/expected.py /data/corpus /data/expected"))
    return cluster, total


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--size", default="4GB")
    arguments.add_argument("--every", type=float, default=60)
    arguments.add_argument("--format", choices=("json", "warc"), default="json")
    arguments.add_argument("--output", type=pathlib.Path, default=pathlib.Path("corpus"))
    given = arguments.parse_args()
    cluster, total = prepare(given)
    eventually("all workers are there", lambda: len(cluster.live_hosts()) == WORKERS)
    rows, summary = [], {"size": given.size, "every": given.every, "format": given.format}
    for name, system in {"ontime": by_ontime, "datatrove": by_datatrove}.items():
        if name == "datatrove" and given.format == "warc":
            continue  # it takes the text out of HTML, which ours is not
        say(f"{name} maps them")
        part, share = system(cluster, total, given.every, given.format)
        kills = sum(row["event"] != "" for row in part.rows) - 1
        summary[name] = {"seconds": part.rows[-1]["seconds"], "mapped": share, "kills": kills}
        say(f"    {part.rows[-1]['seconds']:.0f} s, {kills} times killed, mapped {share:.4f} times")
        rows += part.rows
    given.output.mkdir(parents=True, exist_ok=True)
    with open(given.output / "corpus.csv", "w", newline="") as file:
        table = csv.DictWriter(file, ["seconds", "system", "mapped", "event"])
        table.writeheader()
        table.writerows(rows)
    (given.output / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main()

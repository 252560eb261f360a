"""The testbed's cluster as Python sees it: containers, and `ontime` in the one that is for commands.

From the environment that `scripts/testbed env` prints. All times are seconds.
"""

import json
import os
import subprocess
import sys
import time


class Failed(Exception):
    """What was expected did not happen; the message says what."""


def run(*command, check=True):
    """Its stdout; Failed with its stderr unless it ends with 0."""
    done = subprocess.run(command, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def testbed(*arguments):
    return run("scripts/testbed", *arguments)


def say(text):
    print(text, flush=True)


def eventually(what, holds, limit=60):
    """Polls until `holds()` gives something true, and gives that."""
    end = time.monotonic() + limit
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"not within {limit} s: {what}")
        time.sleep(0.1)


class Cluster:
    def __init__(self):
        self.project = os.environ["ONTIME_PROJECT"]
        self.client = self.containers("client")[0]
        self.master = self.containers("master")[0]

    def containers(self, service):
        """Ids of the service's containers that run."""
        return run("docker", "ps", "-q", "--filter", f"label=com.docker.compose.project={self.project}", "--filter",
                   f"label=com.docker.compose.service={service}").split()

    def shell(self, command, check=True):
        return run("docker", "exec", self.client, "bash", "-c", command, check=check)

    def ontime(self, *arguments, check=True):
        return run("docker", "exec", self.client, "ontime", *arguments, check=check)

    def put_text(self, folder="/data/text"):
        """The bundled text, once."""
        if self.shell(f"test -d {folder} || echo missing"):
            run("docker", "cp", "examples/text", f"{self.client}:{folder}")
        return folder

    def submit(self, application, inputs, output, *options):
        """The id of the job, its output removed first."""
        self.shell(f"rm -rf {output}")
        return self.ontime("submit", application, inputs, "--output", output, *options).strip()

    def job(self, job):
        """As `ontime job` describes it, tasks and all; {} while the master is away."""
        try:
            return json.loads(self.ontime("job", job, "--json", check=False))
        except json.JSONDecodeError:  # nothing, or what came before the master ended
            return {}

    def end_of(self, job, limit=60):
        """The description of the job once it has ended."""
        def ended():
            description = self.job(job)
            return description if description.get("ended_unix_ns") else None
        return eventually(f"the end of {job}", ended, limit)

    def wait(self, job, limit=60):
        """The same of a job that has to succeed."""
        done = self.end_of(job, limit)
        if done["state"] != "succeeded":
            raise Failed(f"{job} {done['state']}: {done.get('message', '')}")
        return done

    def live_hosts(self):
        """Host names of live workers; of a container that is the short form of its id."""
        text = self.ontime("nodes", "--json", check=False)
        nodes = json.loads(text)["nodes"] if text.startswith("{") else []
        return [node["host"] for node in nodes if node["state"] == "live"]

    def host_of(self, name):
        """Of the live node that is called `name`."""
        nodes = json.loads(self.ontime("nodes", "--json"))["nodes"]
        return next(node["host"] for node in nodes if node["name"] == name)

    def expect_whole(self, output):
        """Every byte of the input is in the answer once."""
        self.ontime("verify", output)


def main_of(parts, chosen):
    """Runs the parts that are named, all if none is; the exit code."""
    unknown = [name for name in chosen if name not in parts]
    if unknown:
        print(f"there is no {unknown[0]}; there is {', '.join(parts)}", file=sys.stderr)
        return 2
    for name in chosen or parts:
        started = time.monotonic()
        try:
            parts[name](Cluster())
        except Failed as why:
            say(f"    {name}: FAILED: {why}")
            return 1
        say(f"    {name}: passed ({time.monotonic() - started:.1f} s)")
    return 0

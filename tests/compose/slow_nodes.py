"""A node with a fifth of a core is slow for real: nothing is injected, the kernel gives it a fifth of a core at most."""

import sys
import time

sys.path.insert(0, "docker/testbed")
from cluster import Failed, main_of, run, say, testbed  # noqa: E402

SHARE = 0.2  # of a core, as docker/slow-nodes.yml has it
LEFT_OVER = 0.1  # seconds of CPU: a period's share, and what the kernel's groups lend to each core
BURN = "i=0; while [ $i -lt 800000 ]; do i=$((i+1)); done; wc -l"  # a second of a core or so


def cpu_of(container):
    """Seconds of CPU it has used, and how often its quota held it back; by version 1 or 2 of the kernel's groups."""
    text = run("docker", "exec", container, "sh", "-c",
               "cd /sys/fs/cgroup; cat cpu.stat cpu/cpu.stat cpuacct/cpuacct.usage 2>/dev/null; true")
    values = dict(line.split() for line in text.splitlines() if " " in line)
    used = int(values["usage_usec"]) / 1e6 if "usage_usec" in values else int(text.split()[-1]) / 1e9
    return used, int(values.get("nr_throttled", 0))


def by_cpus(cluster):
    cluster.put_text()
    slow = cluster.containers("slow-worker")[0]
    began = time.monotonic()
    used_before, _ = cpu_of(slow)
    job = cluster.wait(cluster.submit("exec", "/data/text/austen_persuasion.txt", "/data/slow-nodes", "--splits", "3",
                                      "--set", f"command={BURN}"))
    used, throttled = cpu_of(slow)
    used -= used_before
    allowed = SHARE * (time.monotonic() - began) + LEFT_OVER
    seconds = {attempt["node_name"]: (attempt["ended_unix_ns"] - attempt["launched_unix_ns"]) / 1e9
               for task in job["task_list"] for attempt in task["attempts"]}
    say("    " + ", ".join(f"{name} {took:.1f} s" for name, took in seconds.items()))
    say(f"    the slow one used {used:.2f} s of CPU, may use {allowed:.2f} s, and was held back {throttled} times")
    if len(seconds) != 3:
        raise Failed("not every node got one task")
    if used > allowed:  # true on any machine: on a busy one it gets less than its share, and may never be held back
        raise Failed("the node with a fifth of a core is not slow")
    if any(cpu_of(container)[1] for container in cluster.containers("worker")):
        raise Failed("the other nodes are held back, too")


if __name__ == "__main__":
    testbed("up", "--workers", "2", "--slow", "1", "--slots", "1", "--master", "--placement apart")
    sys.exit(main_of({"by-cpus": by_cpus}, sys.argv[1:]))

"""Faults of whole containers in the middle of a job, and the answer is the same to the byte.

    scripts/testbed faults [worker-killed|worker-paused|worker-cut-off|master-killed]...

Each job is paced (its master's flags say so), so that the fault strikes while attempts run, and nothing waits for CPU.
"""

import sys

from cluster import Cluster, Failed, eventually, main_of, run, say, testbed

INPUT = "/data/text/bible_kjv_1_genesis_to_esther.txt"
OUTPUT = "/data/faults"
FLAGS = "--heartbeat 100ms --node-timeout 4s --inject pace=4s"


def expected_answer(cluster):
    """The words of the text with their counts, by coreutils."""
    return cluster.shell(f"cat {INPUT} | LC_ALL=C tr -s ' \\t\\n\\v\\f\\r' '\\n' | grep . | LC_ALL=C sort | uniq -c"
                         " | sed -E 's/^ *([0-9]+) (.*)/\\2\\t\\1/' | LC_ALL=C sort")


def answer(cluster):
    cluster.expect_whole(OUTPUT)
    return cluster.shell(f"ontime result {OUTPUT} | LC_ALL=C sort")


def running_attempts(job):
    """(task, attempt) of those that have mapped something and run."""
    return [(task, attempt) for task in job.get("task_list", []) for attempt in task["attempts"]
            if attempt["state"] == "running"]


def start(cluster):
    """A job of as many tasks as slots, checkpoints twice in a task, in the middle of its first attempts."""
    cluster.put_text()
    job = cluster.submit("wordcount", INPUT, OUTPUT, "--splits", "8", "--checkpoint", "1s")
    eventually("attempts that run and have sealed something", lambda: any(
        segment["state"] == "sealed" for task, _ in running_attempts(cluster.job(job)) for segment in task["segments"]))
    return job


def victim(cluster, job):
    """A worker's container with attempts of the job."""
    task, attempt = running_attempts(cluster.job(job))[0]
    say(f"    {job}, task {task['task']} runs on {attempt['node_name']}")
    return cluster.host_of(attempt["node_name"])


def expect_answer(cluster, job, worker=None):
    """The job succeeds, its answer is exact, and the worker did lose attempts."""
    done = cluster.wait(job)
    if answer(cluster) != expected_answer(cluster):
        raise Failed(f"the answer of {job} is wrong")
    lost = [attempt for task in done["task_list"] for attempt in task["attempts"] if attempt["state"] == "lost"]
    say(f"    {job} took {done['elapsed_seconds']:.1f} s; {len(lost)} attempts were lost; the answer is exact")
    if worker and not any(attempt["node_name"].startswith(worker) for attempt in lost):
        raise Failed(f"{job} lost no attempt on {worker}: the fault came too late")
    return done


def expect_back(cluster, worker):
    eventually(f"{worker} is registered again", lambda: worker in cluster.live_hosts())


def expect_gone(cluster, worker):
    eventually(f"{worker} is counted as lost", lambda: worker not in cluster.live_hosts())


def worker_killed(cluster):
    job = start(cluster)
    worker = victim(cluster, job)
    run("docker", "kill", "--signal", "KILL", worker)
    expect_gone(cluster, worker)
    expect_answer(cluster, job, worker)
    run("docker", "start", worker)
    expect_back(cluster, worker)


def worker_paused(cluster):
    """It comes back with attempts that others have done meanwhile; what it says about them does no harm."""
    job = start(cluster)
    worker = victim(cluster, job)
    run("docker", "pause", worker)
    expect_gone(cluster, worker)
    run("docker", "unpause", worker)
    expect_back(cluster, worker)
    expect_answer(cluster, job, worker)


def worker_cut_off(cluster):
    """Both sides live and write to the shared volume; only one of them counts."""
    job = start(cluster)
    worker = victim(cluster, job)
    network = f"{cluster.project}_cluster"
    run("docker", "network", "disconnect", network, worker)
    expect_gone(cluster, worker)
    expect_answer(cluster, job, worker)
    run("docker", "network", "connect", network, worker)
    expect_back(cluster, worker)


def master_killed(cluster):
    """Attempts run on without it, and the next one on the journal takes them over."""
    job = start(cluster)
    before = {(task["task"], attempt["attempt"]) for task, attempt in running_attempts(cluster.job(job))}
    run("docker", "kill", "--signal", "KILL", cluster.master)
    if cluster.ontime("jobs", check=False):
        raise Failed("a master that is killed still answers")
    run("docker", "start", cluster.master)
    done = expect_answer(cluster, job)
    kept = [attempt for task in done["task_list"] for attempt in task["attempts"]
            if (task["task"], attempt["attempt"]) in before and attempt["state"] == "succeeded"]
    say(f"    {len(before)} attempts ran when the master was killed, {len(kept)} of them went on to their end")
    if not kept:
        raise Failed(f"no attempt of {job} outlived the master")


PARTS = {"worker-killed": worker_killed, "worker-paused": worker_paused, "worker-cut-off": worker_cut_off,
         "master-killed": master_killed}

if __name__ == "__main__":
    testbed("up", "--workers", "4", "--slots", "2", "--master", FLAGS)
    sys.exit(main_of(PARTS, sys.argv[1:]))

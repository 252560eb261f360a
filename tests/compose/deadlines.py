"""A slow node and a deadline, ten times: shed+ and split-resume make it, `none` and `hadoop` do not.

One of five nodes takes eight times as long, as its master injects; a job of ten tasks has two of them there. A task takes
2 s elsewhere and the deadline is 1.8 times that, so a policy that starts late tasks again from their begin, once others are
done, cannot make it; one that cuts what is left of them can. The four jobs of a round run at the same time.
"""

import sys

sys.path.insert(0, "docker/testbed")
from cluster import Failed, main_of, say, testbed  # noqa: E402

ROUNDS = 10
DEADLINE = "3.6s"
FLAGS = "--heartbeat 100ms --placement apart --inject pace=2s --inject node=slow-*:8x"
# Hadoop's pauses of 1 s and 15 s belong to tasks of a minute or two.
POLICIES = {"none": (), "hadoop": ("--policy-set", "retry_after_no_speculate=50ms", "--policy-set",
                                   "retry_after_speculate=250ms"), "shed+": (), "split-resume": ()}
MISSED_BY = ("none", "hadoop")


def submit(cluster, policy, index):
    output = f"/data/deadlines/{policy}-{index}"
    return cluster.submit("wordcount", "/data/text/austen_persuasion.txt", output, "--splits", "10", "--deadline", DEADLINE,
                          "--policy", policy, "--on-miss", "kill", *POLICIES[policy]), output


def ran_on_slow_node(job):
    return any(attempt["node_name"].startswith("slow-") for task in job["task_list"] for attempt in task["attempts"])


def race(cluster, index, met):
    """One round: who makes the deadline is counted in `met`."""
    jobs = {policy: submit(cluster, policy, index) for policy in POLICIES}
    for policy, (job, output) in jobs.items():
        done = cluster.end_of(job)
        if not ran_on_slow_node(done):
            raise Failed(f"{job} had no task on the slow node")
        if done["state"] == "succeeded" and done["deadline_met"]:
            met[policy] += 1
            cluster.expect_whole(output)


def slow_node_injected(cluster):
    cluster.put_text()
    met = dict.fromkeys(POLICIES, 0)
    for index in range(ROUNDS):
        race(cluster, index, met)
    say("    deadline met: " + ", ".join(f"{policy} {count} of {ROUNDS}" for policy, count in met.items()))
    for policy, count in met.items():
        if policy in MISSED_BY and count > ROUNDS // 10:
            raise Failed(f"{policy} made {count} of {ROUNDS} deadlines: too easy to show anything")
        if policy not in MISSED_BY and count < ROUNDS - ROUNDS // 10:
            raise Failed(f"{policy} made only {count} of {ROUNDS} deadlines")


if __name__ == "__main__":
    testbed("up", "--workers", "4", "--slow", "1", "--slots", "16", "--master", FLAGS)
    sys.exit(main_of({"slow-node-injected": slow_node_injected}, sys.argv[1:]))

"""Learns which tasks to copy, in a minute at most, and compares that with doing nothing on seeds it has not seen.

    python3 examples/policy/learn.py [SECONDS]

needs gymnasium and numpy (PyPI), and `ontime` on $PATH. It is the cross-entropy method on five weights: a task gets a
copy if the weighted sum of what is seen of it is above zero. At first all weights are zero, and nothing is copied.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from ontime.lab import Plan, View
from ontime.lab.environment import Cluster
from ontime.programs import call

SCENARIO = """
nodes:
  - {count: 40, slots: 1}
jobs:
  - {count: 20, tasks: 10, arrivals: {load: 0.5}, duration: {pareto: [10s, 1.5]}, deadline: 40s}
"""
PRICE = 0.001  # of a second of a slot; a met deadline is worth 1
TRIED, KEPT = 8, 2  # in a round


def features(view: View) -> np.ndarray:
    """A row for each task that is not done: one, how late it will be, how far it is, how many slots are spare, how many
    attempts it has. Columns of the view are arrays without copying."""
    tasks = view.tasks
    deadlines = np.asarray(view.jobs.deadline)[np.asarray(tasks.job)]
    late = np.clip(np.nan_to_num(np.asarray(tasks.completion) / deadlines - 1, nan=-1, posinf=2), -1, 2)
    spare = np.full(len(tasks), view.spare_slots / max(1, view.slots))
    attempts = np.asarray(tasks.attempts) + np.asarray(tasks.pending)
    return np.stack([np.ones(len(tasks)), late, np.asarray(tasks.progress), spare, attempts], axis=1)


def plan_of(view: View, weights: np.ndarray) -> Plan:
    plan = Plan()
    scores = features(view) @ weights
    spare = view.spare_slots
    for row in np.argsort(-scores):
        if scores[row] <= 0 or spare == 0:
            break
        *_, last = view.segments_of(view.tasks[row])
        if last.racers and not last.is_changing:
            plan.race(last)
            spare -= 1
    return plan


def episode(cluster: Cluster, weights: np.ndarray, seed: int) -> float:
    view, _ = cluster.reset(seed=seed)
    total, is_over = 0.0, False
    while not is_over:
        view, reward, is_over, _, _ = cluster.step(plan_of(view, weights))
        total += reward
    return total


def learn(cluster: Cluster, seconds: float) -> np.ndarray:
    random = np.random.default_rng(1)
    mean, spread = np.zeros(5), np.ones(5)
    end, seed = time.monotonic() + seconds, 1000
    while time.monotonic() < end:
        tried = mean + spread * random.standard_normal((TRIED, 5))
        seed += 1  # the same one for all of a round
        rewards = [episode(cluster, weights, seed) for weights in tried]
        best = tried[np.argsort(rewards)[-KEPT:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        print(f"seed {seed}: {np.mean(rewards):.2f}, the best {max(rewards):.2f}", flush=True)
    return mean


def reward_of(scenario: Path, policy: str, seeds: int) -> float:
    """Of one of our policies, in an episode of the seeds from 1 on."""
    rows = call(["simulate", str(scenario), "--policy", policy, "--runs", str(seeds), "--seed", "1", "--json"], {})
    row = json.loads(rows)["policies"][0]
    return row["jobs"] / seeds * (row["pocd"] - PRICE * row["machine_seconds_per_job"])


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 50.0
    with tempfile.TemporaryDirectory() as scratch:
        scenario, seeds = Path(scratch, "busy.yaml"), 5
        scenario.write_text(SCENARIO)
        cluster = Cluster(scenario, price=PRICE)
        weights = learn(cluster, seconds)
        learnt = np.mean([episode(cluster, weights, seed) for seed in range(1, seeds + 1)])
        nothing = reward_of(scenario, "none", seeds)
    print(f"weights {np.round(weights, 2)}")
    print(f"reward of an episode: {learnt:.2f} learnt, {nothing:.2f} none")


if __name__ == "__main__":
    main()

import contextlib
import io
import runpy
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import ontime
from ontime.lab import Plan, View
from ontime.lab.environment import Cluster

EXAMPLE = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "policy" / "learn.py"))
PRICE = EXAMPLE["PRICE"]


class Environment(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scenario = Path(scratch.name, "busy.yaml")
        self.scenario.write_text(EXAMPLE["SCENARIO"])

    def cluster(self, **more):
        cluster = Cluster(self.scenario, price=PRICE, **more)
        self.addCleanup(cluster.close)
        return cluster

    def test_rewards_of_who_does_nothing_add_up_to_those_of_none(self):
        cluster = self.cluster(order="fifo", period=2)
        total, steps, jobs = 0.0, 0, 0
        for seed in (1, 2):
            view, info = cluster.reset(seed=seed)
            self.assertIn(view, cluster.observation_space)
            is_over = False
            while not is_over:
                before = view.now
                view, reward, is_over, is_cut, info = cluster.step(Plan())
                self.assertLess(view.now - before, 2.001e9)
                self.assertFalse(is_cut)
                total, steps = total + reward, steps + 1
            jobs += len(info["jobs"])
        self.assertGreater(steps, jobs)
        self.assertAlmostEqual(total / 2, EXAMPLE["reward_of"](self.scenario, "none", 2), places=2)

    def test_an_episode_is_a_seed_and_begins_again_at_any_time(self):
        cluster = self.cluster()
        ends = []
        for _ in range(2):
            cluster.reset(seed=7)
            view, *_ = cluster.step(Plan())
            ends.append((view.now, list(view.jobs.tasks), list(view.attempts.offset)))
        self.assertEqual(*ends)
        other, _ = cluster.reset()
        self.assertIsInstance(other, View)
        self.assertEqual(cluster.step(Plan())[0].jobs.id[0], 1)

    def test_a_plan_that_cannot_be_carried_out_is_an_exception(self):
        cluster = self.cluster()
        view, _ = cluster.reset(seed=1)
        plan = Plan()
        plan.race(0, copies=5000)
        with self.assertRaisesRegex(ontime.BadRequest, "asks for no copy of job-1/t00000, or for more than 1000"):
            while True:
                view, _, is_over, _, _ = cluster.step(plan)
                self.assertFalse(is_over)

    def test_a_plan_is_left_as_it_was(self):
        cluster = self.cluster()
        cluster.reset(seed=1)
        plan = Plan()
        cluster.step(plan)
        self.assertIsNone(plan.next_check)

    def test_a_plan_that_is_no_JSON_is_an_exception(self):
        cluster = self.cluster()
        cluster.reset(seed=1)
        with self.assertRaisesRegex(ontime.BadRequest, "the plan cannot be sent: Out of range float"):
            cluster.step(Plan(float("inf")))

    def test_a_simulation_that_has_died_is_an_exception(self):
        cluster = self.cluster()
        cluster.reset(seed=1)
        cluster._run._process.kill()
        cluster._run._process.wait()
        with self.assertRaises(ontime.ClusterError):
            cluster.step(Plan())
        self.assertIsInstance(cluster.reset(seed=1)[0], View)

    def test_a_scenario_that_there_is_not_is_an_exception(self):
        with self.assertRaisesRegex(ontime.BadRequest, "nonesuch.yaml. cannot be read"):
            Cluster("nonesuch.yaml").reset()

    def test_the_example_learns_to_beat_none(self):
        """Shortened: what is learnt from two rounds is not good, but much better than nothing is."""
        told = io.StringIO()
        with mock.patch.object(sys, "argv", ["learn.py", "0.01"]), contextlib.redirect_stdout(told):
            EXAMPLE["main"]()
        learnt, nothing = (float(text.split()[0]) for text in told.getvalue().split("episode: ")[1].split(","))
        self.assertGreater(learnt, nothing + 1, told.getvalue())

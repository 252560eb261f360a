import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import ontime
from ontime import lab

TEXT = str(Path(__file__).parents[3] / "examples" / "text")
SCENARIO = {
    "nodes": [{"count": 4, "slots": 1}],
    "jobs": [{"count": 3, "tasks": 4, "arrivals": {"every": "10s"}, "duration": {"pareto": ["2s", 1.5]}, "deadline": "9s"}],
}


class Frames(unittest.TestCase):
    def test_a_simulation_has_a_row_for_each_job(self):
        jobs = lab.simulate(SCENARIO, ["none", "split-resume"], runs=5, seed=3)
        self.assertEqual(len(jobs), 2 * 5 * 3)
        self.assertEqual(sorted(jobs.seed.unique()), [3, 4, 5, 6, 7])
        met = jobs.groupby("policy").met.mean()
        self.assertGreater(met["split-resume"], met["none"])
        self.assertTrue(((jobs.time_s <= 9) == jobs.met).all())

    def test_a_scenario_may_be_a_file(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch, "jobs.yaml")
            file.write_text("nodes: [{count: 4, slots: 1}]\njobs: [{tasks: 4, duration: {pareto: [2s, 3]}}]\n")
            jobs = lab.simulate(file)
        self.assertEqual(list(jobs.tasks), [4])

    def test_a_plan_has_a_row_for_each_policy(self):
        plan = lab.plan("wordcount", TEXT, ["none", "auto"], splits=4, slots=4, deadline="4s", t_min="1s", runs=20)
        self.assertEqual(list(plan.policy), ["none", "auto"])
        self.assertTrue(((plan.pocd > 0) & (plan.pocd <= 1)).all())
        self.assertEqual(plan.attrs["tasks"], 4)

    def test_a_replay_has_a_row_for_each_policy_or_recorded_job(self):
        with tempfile.TemporaryDirectory() as scratch:
            recording, output = f"{scratch}/run.otr", f"{scratch}/out"
            run = ["run", "wordcount", TEXT, "--splits", "4", "--workers", "2", "--output", output, "--record", recording]
            subprocess.run([os.environ["ONTIME_PROGRAMS"] + "/ontime", *run], check=True, capture_output=True)
            self.assertEqual(list(lab.replay(recording=recording).state), ["succeeded"])
            again = lab.replay(["none", "auto"], recording=recording, runs=3, alone=True)
        self.assertEqual(list(again.runs), [3, 3])
        self.assertTrue(again.attrs["replay_identical"])

    def test_what_is_wrong_is_an_exception_with_its_sentence(self):
        with self.assertRaisesRegex(ontime.BadRequest, "there is no policy 'nonesuch'"):
            lab.simulate(SCENARIO, ["nonesuch"])

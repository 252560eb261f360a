"""What scripts/readings.py says of forecasts that are known exactly."""

import math
import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "scripts"))
sys.dont_write_bytecode = True
import readings


def rows(pairs):
    return [{"pocd": pocd, "met": float(met)} for pocd, met in pairs]


class Scores(unittest.TestCase):
    def test_perfect_forecasts_have_all_the_skill(self):
        scores = readings.scores(rows([(1, True)] * 3 + [(0, False)] * 7))
        self.assertEqual((scores["brier"], scores["skill"], scores["reliability"]), (0, 1, 0))
        self.assertAlmostEqual(scores["resolution"], scores["uncertainty"])

    def test_saying_the_base_rate_has_none(self):
        scores = readings.scores(rows([(0.3, i < 3) for i in range(10)]))
        self.assertAlmostEqual(scores["brier"], 0.21)
        self.assertAlmostEqual(scores["skill"], 0)
        self.assertAlmostEqual(scores["bias"], 0)

    def test_silence_is_counted_and_not_scored(self):
        scores = readings.scores(rows([(math.nan, True), (0.5, True)]))
        self.assertEqual((scores["silent"], scores["forecasts"], scores["brier"]), (1, 1, 0.25))

    def test_the_score_is_the_sum_of_its_parts(self):
        """Murphy: Brier = reliability - resolution + uncertainty, but for what forecasts of one bin differ by."""
        seed = int(os.environ.get("ONTIME_TEST_SEED", "1"))
        generator = random.Random(seed)
        for _ in range(100):
            tenths = [generator.randrange(10) for _ in range(generator.randrange(1, 200))]
            scores = readings.scores(rows([(tenth / 10 + 0.05, generator.random() < tenth / 10) for tenth in tenths]))
            parts = scores["reliability"] - scores["resolution"] + scores["uncertainty"]
            self.assertAlmostEqual(scores["brier"], parts, msg=f"seed {seed}")


class Pages(unittest.TestCase):
    def test_blocks_are_replaced_and_the_rest_stays(self):
        with tempfile.NamedTemporaryFile("w+", suffix=".md") as page:
            page.write("a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\n")
            page.flush()
            readings.fill_in(page.name, {"one": ["new", "lines", ""]})
            with open(page.name) as file:
                self.assertEqual(file.read(), "a\n<!-- one -->\nnew\nlines\n<!-- end -->\nb\n<!-- two -->\nkept\n<!-- end -->\n")


if __name__ == "__main__":
    unittest.main()

"""Who is ahead of whom, over rows that are known."""

import tempfile
import unittest
from pathlib import Path

import pandas as pd
import yaml
from ontime.lab import league
from ontime.lab.league import Row, judge, page_of


def cell(met, machine_time=100.0, flow_time=10.0, jobs=10):
    """A line per seed."""
    rows = [
        {"seed": seed, "counted_jobs": jobs, "counted_met": one, "machine_time": machine_time, "flow_time": flow_time}
        for seed, one in enumerate(met)
    ]
    return pd.DataFrame(rows)


def row(**cells):
    return Row("study", "here", {**dict.fromkeys(league.LIMITS, cell([10, 10, 10])), **cells})


class League(unittest.TestCase):
    def test_the_best_other_is_found_at_any_and_at_no_more_machine_time(self):
        seen = judge(
            row(auto=cell([8, 8, 8]), dear=cell([9, 9, 9], 200), cheap=cell([5, 5, 5], 50), idle=cell([1, 1, 1], 10)),
            "auto",
            ["dear", "cheap", "idle"],
        )
        self.assertEqual((seen.measure, seen.best, seen.best_for_less), ("pocd", "dear", "cheap"))
        self.assertAlmostEqual(seen.ahead.value, -0.1)
        self.assertAlmostEqual(seen.ahead_for_less.value, 0.3)

    def test_what_auto_chooses_is_no_rival(self):
        ours = {"auto": cell([8, 8]), "split-resume": cell([8, 8])}
        seen = judge(row(other=cell([5, 5]), **ours), "auto", ["split-resume", "other"])
        self.assertEqual(seen.best, "other")

    def test_the_page_counts_rivals_only(self):
        ours = {"auto": cell([8, 8]), "split-resume": cell([8, 8])}
        names = ["split-resume", "other"]
        page = page_of([judge(row(other=cell([5, 5]), **ours), "auto", names)], "auto", names, "again")
        self.assertIn("`auto` beside 1 rivals in 1 rows: ahead of each in 1, level", page)
        self.assertIn("`split-resume` is no rival", page)

    def test_a_difference_is_paired_by_seed(self):
        """Seeds differ by far, the policies by one job in each: the interval knows that."""
        seen = judge(row(auto=cell([2, 9, 6]), other=cell([1, 8, 5])), "auto", ["other"])
        self.assertAlmostEqual(seen.ahead.value, 0.1)
        self.assertAlmostEqual(seen.ahead.low, 0.1)
        self.assertAlmostEqual(seen.ahead.high, 0.1)

    def test_the_interval_is_over_seeds_and_not_over_jobs(self):
        """All 1,000 jobs of a seed agree, so there are three observations and not 3,000."""
        seen = judge(row(auto=cell([1000, 0, 0], jobs=1000), other=cell([0, 0, 0], jobs=1000)), "auto", ["other"])
        self.assertAlmostEqual(seen.ahead.value, 1 / 3)
        self.assertEqual(seen.ahead.low, 0)
        self.assertEqual(seen.ahead.high, 1)

    def test_where_nobody_is_late_times_are_compared(self):
        all_met = [10, 10]
        seen = judge(row(auto=cell(all_met, flow_time=12), other=cell(all_met, flow_time=10)), "auto", ["other"])
        self.assertEqual(seen.measure, "flow_time")
        self.assertAlmostEqual(seen.ahead.value, -0.2)

    def test_losses_come_first(self):
        rows = [
            row(auto=cell([9, 9]), other=cell([1, 1]))._replace(where="won"),
            row(auto=cell([5, 5]), other=cell([6, 6]))._replace(where="lost a little"),
            row(auto=cell([1, 1]), other=cell([9, 9]))._replace(where="lost much"),
        ]
        page = page_of([judge(one, "auto", ["other"]) for one in rows], "auto", ["other"], "again")
        first, behind = page.split("| row | the bound is higher by")
        self.assertLess(first.index("lost much"), first.index("lost a little"))
        self.assertNotIn("won", first)
        self.assertIn("| won |", behind)

    def test_the_first_screen_says_where_the_bound_is_far(self):
        bound = {"bound": cell([10, 10])}
        rows = [
            row(auto=cell([3, 3]), other=cell([3, 3]), **bound)._replace(where="far"),
            row(auto=cell([10, 10]), other=cell([9, 9]), **bound)._replace(where="near"),
        ]
        first, behind = page_of([judge(one, "auto", ["other"]) for one in rows], "auto", ["other"], "again").split("![")
        self.assertIn("| far | 0.700 | 0.300 / 100 | 1.000 / 100 |", first)
        self.assertNotIn("| near |", first)
        self.assertIn("nowhere more than 0.03 below", page_of([judge(rows[1], "auto", ["other"])], "auto", ["other"], ""))

    def test_a_study_is_run_with_the_policies_of_the_league(self):
        study = {
            "jobs": [{"trace": {"file": "data/jobs.csv"}}],
            "study": {
                "title": "T",
                "policies": {"none": "none", "auto": "auto:$hints"},
                "vary": [{"name": "x", "values": [{"label": str(n), "set": {}} for n in range(13)]}],
                "measures": ["wasted"],
                "figure": {"kind": "bars"},
            },
        }
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "study.yaml"
            path.write_text(yaml.safe_dump(study))
            made = league._league_study(path, ["auto", "spark"], quick=True)
            self.assertEqual(made["jobs"][0]["trace"]["file"], str(Path(directory).resolve() / "data/jobs.csv"))
        of = made["study"]
        self.assertEqual(of["policies"], {"auto": "auto:$hints", "spark": "spark", **league.LIMITS})
        self.assertEqual([value["label"] for value in of["vary"][0]["values"]], ["0", "4", "8", "12"])
        self.assertEqual(of["seeds"], "3")
        self.assertNotIn("figure", of)
        self.assertEqual(of["measures"], ["pocd", "machine_time", "flow_time"])


if __name__ == "__main__":
    unittest.main()

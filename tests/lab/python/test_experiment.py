import json
import math
import re
import tempfile
import unittest
from pathlib import Path

import pandas as pd
from ontime.lab import compare, report
from ontime.lab.experiment import (
    Results,
    Span,
    json_text,
    summarise,
    summarise_groups,
    summary_csv,
    use_over_time,
    utilisation_csv,
)
from ontime.lab.experiment_figures import (
    PAIRED,
    cost_figure,
    differences_of,
    figures_of,
    in_time,
    paired_estimates,
    times_of,
)
from ontime.lab.timeline import Panel, interesting


def job(policy="none", number=1, time=10.0, **more):
    begin = more.pop("begin", 0)
    row = {
        "policy": policy,
        "repetition": 1,
        "job": number,
        "group": "g",
        "kind": "counted",
        "tasks": 2,
        "planned_s": 0,
        "submitted_s": begin,
        "ended_s": begin + time,
        "time_s": time,
        "deadline_s": 20.0,
        "state": "succeeded",
        "attempts": 3,
        "copies": 0,
        "input_bytes": 100,
        "mapped_bytes": 0,
        "duplicated_bytes": 20,
        "dropped_bytes": 0,
        "resumed_bytes": 5,
        "machine_s": 2 * time,
        "launch_s": 0,
        "records": 0,
    } | more
    return {"met": int(row["time_s"] <= row["deadline_s"] and row["state"] == "succeeded"), **row}


def unfinished(policy, number):
    return job(policy, number, state="unfinished", time_s=math.nan, ended_s=math.nan, met=0, machine_s=0.0)


def attempt(policy="none", number=1, begin=0.0, end=1.0, **more):
    return {
        "policy": policy,
        "repetition": 1,
        "job": number,
        "task": 0,
        "attempt": 0,
        "speculative": 0,
        "node": "worker-1",
        "state": "succeeded",
        "launched_s": begin,
        "started_s": begin,
        "ended_s": end,
        "from_offset_bytes": 0,
        "to_offset_bytes": 0,
        "sealed_bytes": 1,
    } | more


def results(jobs, attempts=(), copies=(), forecasts=(), slots=2):
    def table(rows, titles):
        return pd.DataFrame(list(rows), columns=titles)

    return Results(
        pd.DataFrame(jobs),
        table(attempts, list(attempt())),
        table(copies, ["policy", "repetition", "job", "reason", "decisions", "attempts"]),
        table(forecasts, ["policy", "repetition", "job", "share_of_deadline", "predicted_pocd", "met"]),
        slots,
    )


def two_jobs(*more):
    return results(
        [job(number=1, time=4, deadline_s=5), job(number=2, time=8, begin=6, deadline_s=5), *more],
        [attempt(end=4.0), attempt(number=2, begin=6.0, end=14.0), attempt(number=2, begin=6.0, end=10.0)],
        [("none", 1, 2, "late", 3, 3)],
        [("none", 1, 1, 0.5, 0.9, 1), ("none", 1, 2, 0.5, math.nan, 0)],
    )


class Summaries(unittest.TestCase):
    def test_the_counted_jobs_of_a_policy_are_added_up(self):
        [s] = summarise(two_jobs())
        self.assertEqual((s.jobs, s.met, s.pocd.value, s.time.value, s.p50, s.machine.value), (2, 1, 0.5, 6, 6, 12))
        self.assertEqual((s.attempts, s.duplicated, s.resumed, s.copies), (1.5, 0.2, 0.05, {"late": 3}))
        self.assertAlmostEqual(s.p90, 7.6)
        self.assertAlmostEqual(s.utilisation, (4 + 8 + 4) / (14 * 2))

    def test_noise_is_not_counted_and_what_has_not_ended_is_late(self):
        [s] = summarise(two_jobs(job(number=3, kind="noise"), unfinished("none", 4)))
        self.assertEqual((s.jobs, s.unfinished, s.met, s.time.value), (3, 1, 1, 6))

    def test_several_groups_are_told_apart(self):
        of_two = two_jobs(job(number=3, group="h", time=30))
        all_jobs = summarise(of_two)
        self.assertEqual(
            [(s.group, s.met, s.jobs) for s in summarise_groups(of_two, all_jobs)], [("g", 1, 2), ("h", 0, 1)]
        )
        self.assertEqual(summarise_groups(two_jobs(), all_jobs), [])

    def test_busy_slots_are_what_attempts_occupy(self):
        attempts = pd.DataFrame([attempt(begin=1.0, end=3.0), attempt(begin=2.0, end=math.nan)])
        self.assertEqual(use_over_time(attempts, Span(0, 4), 4), [(0, 0), (1, 1), (2, 2), (3, 1)])

    def test_they_are_written_for_programs(self):
        summaries = summarise(two_jobs())
        self.assertIn("\nnone,,1,2,1,0,0.5,", summary_csv(summaries))
        self.assertTrue(summary_csv(summaries).endswith(",late=3\n"))
        [row] = json.loads(json_text([s.row() for s in summaries]))["policies"]
        self.assertEqual((row["pocd"], row["copies_by_reason"]), (0.5, {"late": 3}))
        self.assertIn("\nnone,1,0,1,2\n", utilisation_csv(two_jobs()))


class Pairs(unittest.TestCase):
    def test_machine_time_is_paired_where_both_jobs_have_ended(self):
        base = [job("none", 1), job("none", 2)]
        machine = PAIRED[1]
        [found] = paired_estimates(
            pd.DataFrame([*base, job("shed", 1, 12.0), unfinished("shed", 2)]), ["none", "shed"], machine
        )
        self.assertEqual((found.value, found.runs), (4, 1))
        [none] = paired_estimates(pd.DataFrame([job("none", 1), unfinished("shed", 1)]), ["none", "shed"], machine)
        self.assertEqual(none.runs, 0)

    def test_shares_that_differ_in_every_pair_have_an_interval(self):
        jobs = pd.DataFrame(
            [job(policy, number, met=met) for number in range(1, 5) for policy, met in (("none", 0), ("shed", 1))]
        )
        self.assertEqual(differences_of(jobs, "none", "shed", in_time), [1, 1, 1, 1])
        [found] = paired_estimates(jobs, ["none", "shed"], PAIRED[0])
        self.assertEqual(found.value, 1)
        self.assertAlmostEqual(found.low, 0.0202, 4)  # (n - z^2) / (n + z^2)

    def test_a_policy_under_which_no_job_has_ended_has_no_cost(self):
        self.assertIsNone(cost_figure(summarise(results([unfinished("none", 1), unfinished("shed", 1)]))))
        self.assertIsNotNone(cost_figure(summarise(results([job("none", 1), unfinished("shed", 1)]))))

    def test_the_times_of_the_jobs_end_at_the_share_that_succeeded(self):
        jobs = pd.DataFrame(
            [job(), unfinished("none", 2), job(number=3, time=1.0, state="failed"), job(number=4, time=30.0)]
        )
        self.assertEqual(times_of(jobs, "none"), ([10, 10, 30], [0, 0.25, 0.5]))


class Timeline(unittest.TestCase):
    def test_it_says_where_a_copy_began(self):
        attempts = pd.DataFrame(
            [
                attempt(task=7, end=8.0),
                attempt(task=7, begin=3.0, end=8.0, node="worker-2", speculative=1, from_offset_bytes=2048 * 1024),
                attempt(task=8, begin=4.0, end=8.0, node="worker-2", speculative=1, sealed_bytes=0),
            ]
        )
        panel = Panel("shed+", job("shed+", time=8.0, deadline_s=6.0), attempts)
        self.assertEqual(panel.title, "shed+: done after 8 s, deadline 6 s")
        self.assertEqual(
            panel.bars,
            [
                ("original, in the answer", 0, 0.0, 8.0, "t7"),
                ("copy, in the answer", 1, 3.0, 8.0, "t7@2048k"),
                ("wasted", 1, 4.0, 8.0, "t8"),
            ],
        )


    def test_all_policies_are_compared_by_one_job(self):
        none = pd.DataFrame([job("none", 1, time=30.0), job("none", 2, time=10.0)])
        shed = pd.DataFrame([job("shed", 1, copies=1), job("shed", 2, copies=3)])
        self.assertEqual(interesting([none, shed]), 2)
        self.assertEqual(interesting([none]), 1)
        self.assertIsNone(interesting([pd.DataFrame([unfinished("none", 1)])]))
        attempts = [attempt(policy, number) for policy in ("none", "shed") for number in (1, 2)]
        found = results([*none.to_dict("records"), *shed.to_dict("records")], attempts)
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "x.svg"
            next(one for one in figures_of(found, summarise(found)) if one.title == "Attempts of one job").draw(path)
            self.assertEqual(sorted(re.findall(r"(\w+): done after", path.read_text())), ["none", "shed"])


class Report(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = Path(place.name)
        measured = results(
            [job(policy, number, 4.0 + number, copies=1) for policy in ("none", "shed+") for number in (1, 2)],
            [attempt(policy, number) for policy in ("none", "shed+") for number in (1, 2)],
            [("shed+", 1, 1, "late", 1, 1)],
            [("none", 1, 1, 0.5, 0.9, 1)],
        )
        for name in ("jobs", "attempts", "copies", "forecasts"):
            getattr(measured, name).to_csv(self.directory / f"{name}.csv", index=False)
        (self.directory / "scenario.yaml").write_text("title: a <b> & c\nprinted: {none: [0.2, 0.3]}\n")
        (self.directory / "experiment.json").write_text('{"host": "<here>", "cores": 2}')

    def test_it_has_the_figures_that_people_expect_and_needs_nothing_else(self):
        shown = report.run(self.directory, 2, False)
        self.assertIn("printed PoCD", shown)
        self.assertNotIn("resumed", shown)
        page = (self.directory / "report.html").read_text()
        for text in (
            "<h1>a &lt;b&gt; &amp; c</h1>",
            "&lt;here&gt;",
            "0.2 to 0.3",
            "shed+",
            "Why attempts were added",
            "<svg",
        ):
            self.assertIn(text, page)
        self.assertNotIn("src=", page)
        self.assertNotIn('href="http', page.replace('xlink:href="http', ""))
        self.assertEqual(
            {path.stem for path in (self.directory / "figures").iterdir()},
            {
                "jobs-in-time-pocd",
                "pocd-against-machine-time",
                "paired-differences-of-pocd",
                "paired-differences-of-machine-time",
                "times-of-the-jobs",
                "slots-in-use",
                "attempts-of-one-job",
                "were-the-predictions-right",
            },
        )
        before = {path: path.read_bytes() for path in self.directory.rglob("*.*")}
        report.run(self.directory, 2, True)
        self.assertEqual(before, {path: path.read_bytes() for path in self.directory.rglob("*.*")})

    def test_what_cannot_be_drawn_is_left_out(self):
        only = results([unfinished("none", 1)])
        self.assertEqual(
            [figure.title for figure in figures_of(only, summarise(only))], ["Jobs in time (PoCD)", "Slots in use"]
        )


class Compare(unittest.TestCase):
    def test_what_is_no_table_of_jobs_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            for text, told in (
                ("policy,job\nnone,1\n", "no column 'repetition'"),
                ("", "cannot be read"),
                ("policy,repetition,job\n1,2,3,4\n1\n1,2,3,4,5,6\n", "cannot be read"),
            ):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                with self.subTest(told), self.assertRaisesRegex(ValueError, f"{file.name} .*{told}"):
                    compare.run(Path(file.name), Path(file.name), False)

    def test_shares_differ_by_newcombes_interval(self):
        """Newcombe (1998), method 10: 56/70 against 48/80."""
        found = compare.of_shares(48, 80, 56, 70)
        self.assertAlmostEqual(found.change.low, 0.0524, 4)
        self.assertAlmostEqual(found.change.high, 0.3339, 4)
        self.assertTrue(found.is_clear())
        self.assertFalse(compare.of_shares(5, 10, 6, 10).is_clear())
        self.assertFalse(compare.of_shares(0, 0, 6, 10).change.has_interval())

    def test_means_differ_by_welchs_interval(self):
        """Variances 2.5 and 10, five each: t = 3 / sqrt(2.5) with 5.88 degrees of freedom, counted as 5."""
        found = compare.of_means([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
        self.assertAlmostEqual(found.change.high - found.change.value, 2.570582 * math.sqrt(2.5), 5)
        self.assertFalse(found.is_clear())
        self.assertFalse(compare.of_means([1], [2, 3]).change.has_interval())

    def test_only_policies_that_both_have_and_counted_jobs(self):
        noise = job(kind="noise")
        found = compare.compare(
            pd.DataFrame([job(), job(number=2), noise, job("hadoop")]), pd.DataFrame([job(), noise])
        )
        self.assertEqual(list(found), ["none"])
        self.assertEqual((found["none"]["pocd"].before.runs, found["none"]["time_s"].change.value), (2, 0))
        self.assertIn("time s", compare.grid_of(found).terminal())


if __name__ == "__main__":
    unittest.main()

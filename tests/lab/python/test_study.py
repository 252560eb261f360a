"""Tables and pages of studies: what is committed comes out again, to the digit."""

import math
import re
import tempfile
import unittest
from pathlib import Path

import pandas as pd
from ontime.lab import made_by, reproduced, study_results
from ontime.lab.intervals import Estimate, share
from ontime.lab.measures import MEASURES
from ontime.lab.page import cell_of, claims_in, index_of, page_of, tables_of, text_of
from ontime.lab.study import Study
from ontime.lab.table import Row, Table, curves_csv, mean_over_groups, read_csv, table_of

ROOT = Path(__file__).resolve().parents[3]
REPRODUCTION = ROOT / "reproduction"
STUDIES = sorted((ROOT / "lab" / "scenarios" / "papers").glob("*.yaml"))

SMALL = """
study:
  title: A small one
  source: nobody
  policies: {Hadoop: hadoop, Ours: shed+}
  vary:
    - name: tasks
      values: [{label: few}, {label: many}]
    - name: deadline
      values: [{label: 20}, {label: 40}]
  measures: [pocd, machine_time]
  printed:
    - {policy: Ours, pocd: [0.2, 1]}
    - {policy: Hadoop, tasks: few, deadline: 20, pocd: -1}
  assumptions: Nothing.
  findings: Less.
  figure: {kind: lines, x: deadline, y: pocd}
"""


class WithStudy(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = Path(place.name)

    def study(self, text=SMALL):
        path = self.directory / "small.yaml"
        path.write_text(text)
        return Study(path)

    def runs(self, study, groups=("",), pocd=lambda i: 0.1 * (i // 2 + 1)):
        """Two seeds of each place and policy, whose values can be told in advance."""
        rows, i = [], 0
        for tasks in ("few", "many"):
            for deadline in ("20", "40"):
                for policy in ("Hadoop", "Ours"):
                    for seed in (1, 2):
                        for group in groups:
                            rows.append(
                                {
                                    "tasks": tasks,
                                    "deadline": deadline,
                                    "group": group,
                                    "policy": policy,
                                    "seed": seed,
                                    "counted_jobs": 8,
                                    "counted_met": 4,
                                    "unfinished": 0,
                                    "pocd": pocd(i),
                                    "machine_time": 10.0 + seed,
                                }
                            )
                        i += 1
        return pd.DataFrame(rows)

    def table(self, text=SMALL, **more):
        study = self.study(text)
        return table_of(study, self.runs(study, **more), [])


class Committed(unittest.TestCase):
    def table_of_csv(self, study):
        """Of the six digits that are kept."""
        kept = read_csv(study, REPRODUCTION / f"{study.path.stem}.csv").astype(object)
        rows = []
        for line in kept.to_dict("records"):
            labels = {axis: line[axis] for axis in (*study.axes, "policy")}
            values = {m: Estimate(*(float(line[m + part]) for part in ("", "_low", "_high"))) for m in study.measures}
            rows.append(Row(labels, line["seeds"], values, {m: study.printed_of(labels, m) for m in study.measures}))
        return Table(study, study.axes, rows)

    def taken_apart(self, page):
        """The text without intervals and numbers, and the numbers."""
        page = re.sub(r" ± [\d.]+| \(-?[\d.]+ to -?[\d.]+\)", "", page)
        return re.sub(r"\d+\.\d+", "N", page), re.findall(r"\d+\.\d+", page)

    def test_tables_for_programs_come_out_again(self):
        for path in STUDIES:
            study = Study(path)
            self.assertEqual(self.table_of_csv(study).csv(), (REPRODUCTION / f"{path.stem}.csv").read_text(), path.stem)

    def test_pages_show_the_same_numbers_and_the_same_agreement(self):
        """But for what the table for programs does not have, and last digits that hang on more than six."""
        for path in STUDIES:
            study = Study(path)
            made = made_by.sentence(study, REPRODUCTION)
            page = page_of(study, self.table_of_csv(study), (REPRODUCTION / f"{path.stem}.svg").exists(), made)
            kept = (REPRODUCTION / f"{path.stem}.md").read_text()
            kept = re.sub(r"\nJobs that had not ended at the horizon[^\n]*\n", "", kept)
            kept = re.sub(r"\n## Measured first\n\n(\|[^\n]*\n)*", "", kept)
            (shown, numbers), (kept_shown, kept_numbers) = map(self.taken_apart, (page, kept))
            self.assertEqual(shown, kept_shown, path.stem)
            for ours, theirs in zip(numbers, kept_numbers, strict=True):
                unit = 10.0 ** -len(theirs.partition(".")[2])
                self.assertLess(abs(float(ours) - float(theirs)), 1.01 * unit, path.stem)

    def test_claims_have_no_number_that_their_page_has_not(self):
        claims = claims_in(REPRODUCTION)
        self.assertGreater(len(claims), 20)
        for one in claims:
            page = (REPRODUCTION / f"{one['page']}.md").read_text()
            numbers = set(re.findall(r"-?\d+(?:\.\d+)?", page))
            self.assertIn(one["holds"], ("yes", "in part", "no"))
            for number in re.findall(r"-?\d+(?:\.\d+)?", one["ours"]):
                self.assertIn(number, numbers, one["claim"])

    def test_the_index_names_every_page(self):
        self.assertEqual(index_of(REPRODUCTION), (REPRODUCTION / "README.md").read_text())


class Tables(WithStudy):
    def test_a_row_is_the_mean_over_its_seeds(self):
        table = self.table()
        self.assertEqual(len(table.rows), 8)
        row = table.rows[5]
        self.assertEqual(row.labels, {"tasks": "many", "deadline": "20", "policy": "Ours"})
        self.assertEqual((row.seeds, row.values["machine_time"].value), (2, 11.5))
        self.assertTrue(row.values["machine_time"].has_interval())

    def test_one_seed_and_seeds_that_agree_have_wilsons_interval(self):
        study = self.study()
        runs = self.runs(study)
        self.assertEqual(table_of(study, runs, []).rows[0].values["pocd"][1:3], share(8, 16)[1:3])
        one = table_of(study, runs[runs["seed"] == 1], []).rows[0].values
        self.assertEqual(one["pocd"][1:3], share(4, 8)[1:3])
        self.assertFalse(one["machine_time"].has_interval())

    def test_shares_have_intervals_between_0_and_1(self):
        pocd = self.table(pocd=lambda i: 0.9 + 0.1 * (i % 2)).rows[0].values["pocd"]
        self.assertEqual(pocd.high, 1)
        self.assertLess(pocd.low, 0.9)

    def test_printed_numbers_stand_where_their_labels_fit(self):
        table = self.table()
        self.assertEqual([row.printed["pocd"] for row in table.rows[:4]], [(-1, -1), (0.2, 1), None, (0.2, 1)])
        self.assertEqual(table.agreement(), (5, 4))

    def test_pooled_axes_make_one_row(self):
        table = self.table(SMALL.replace("name: tasks", "name: tasks\n      pooled: yes").replace("tasks: few, ", ""))
        self.assertEqual((len(table.rows), table.rows[0].seeds, table.rows[0].values["pocd"].runs), (4, 2, 4))
        self.assertEqual(table.axes, ["deadline"])

    def test_each_group_can_count_once(self):
        table = self.table(SMALL.replace("  measures:", "  by_group: mean\n  measures:"), groups=("quick", "slow"))
        self.assertEqual((len(table.rows), table.rows[1].labels["group"]), (16, "slow"))
        mean = mean_over_groups(table)
        self.assertEqual((len(mean.rows), mean.axes, mean.rows[0].values["pocd"].runs), (8, ["tasks", "deadline"], 2))

    def test_groups_can_be_told_apart(self):
        text = SMALL.replace("  measures:", "  by_group: yes\n  measures:").replace(
            "policy: Ours, pocd", "group: slow, pocd"
        )
        table = self.table(text, groups=("quick", "slow"))
        self.assertEqual([row.printed["pocd"] for row in table.rows[2:4]], [None, (0.2, 1)])

    def test_curves_are_times_by_quantile_or_samples_of_the_first_run(self):
        study = self.study(SMALL.replace("{kind: lines, x: deadline, y: pocd}", "{kind: cdf}"))
        times = self.runs(study).assign(time_s=[float(i) for i in range(16)])
        lines = curves_csv(study, times).splitlines()
        self.assertEqual(len(lines), 1 + 8 * 201)
        self.assertEqual(
            lines[:2] + lines[201:202],
            ["tasks,deadline,policy,flow_time,share", "few,20,Hadoop,0,0", "few,20,Hadoop,1,1"],
        )
        study = self.study(SMALL.replace("{kind: lines, x: deadline, y: pocd}", "{kind: over_time, y: busy}"))
        samples = self.runs(study).assign(at_s=0.0, busy=3, jobs=2, slots=12)
        self.assertEqual(
            curves_csv(study, samples).splitlines()[:2],
            ["tasks,deadline,policy,time,busy,jobs", "few,20,Hadoop,0,0.25,2"],
        )


class Pages(WithStudy):
    def test_the_printed_number_stands_beside_ours_and_what_differs_is_marked(self):
        table = self.table()
        for i, row in enumerate(table.rows):
            row.values["pocd"] = Estimate(0.1 * (i + 1), 0.1 * (i + 1) - 0.05, 0.1 * (i + 1) + 0.05, 2)
        page = page_of(table.study, table, True)
        for text in (
            "| tasks | policy | deadline 20 | deadline 40 |",
            "| few | Hadoop | **0.100 ± 0.050** [-1] | 0.300 ± 0.050 |",
            "| few | Ours | 0.200 ± 0.050 [0.2 to 1] | 0.400 ± 0.050 [0.2 to 1] |",
            "It holds 4 of 5",
            "ontime simulate small.yaml --output",
            "![A small one](small.svg)",
            "## What differs, and why\n\nLess.",
            "## What was assumed\n\nNothing.",
        ):
            self.assertIn(text, page)
        self.assertNotIn("svg", page_of(table.study, table, False))
        self.assertIn("\nfew,20,Hadoop,2,0.1,0.05,0.15,-1,-1,", table.csv())

    def test_without_an_x_axis_measures_stand_side_by_side(self):
        table = self.table(SMALL[: SMALL.index("  figure:")])
        self.assertIn("| tasks | deadline | policy | PoCD | machine time per job (s) |", tables_of(table))

    def test_what_has_not_ended_and_what_was_measured_first_is_told(self):
        table = self.table()
        table.rows[0].unfinished = 3
        table.measured = [{"what": "jobs.0.deadline", "where": "tasks few", "value": 12.34}]
        page = page_of(table.study, table, False)
        self.assertIn("(of all seeds): Hadoop, few, 20: 3.\n", page)
        self.assertIn(
            "## Measured first\n\n| what | where | value |\n| --- | --- | ---: |\n| jobs.0.deadline | tasks few | 12.3 |",
            page,
        )

    def test_numbers_are_fixed_and_say_what_is_missing(self):
        self.assertEqual(text_of(Estimate(1, 0.9, 1, 2), 2), "1.00 (0.90 to 1.00)")
        self.assertEqual(text_of(Estimate(-math.inf), 3), "-inf")
        self.assertEqual(cell_of(Row({}, 1, {"pocd": Estimate()}, {"pocd": (0.5, 0.5)}), "pocd"), "**-** [0.5]")

    def test_all_of_it_is_written_and_again_the_same(self):
        study = self.study()
        self.runs(study).drop(columns="group").to_csv(self.directory / "rows-runs.csv", index=False)
        (self.directory / "rows-measured.csv").write_text("what,where,value\njobs.0.deadline,,12.34\n")
        out = self.directory / "out"
        shown = study_results.run(study.path, str(self.directory / "rows"), out, False)
        self.assertTrue(shown.startswith("A small one\n\nPoCD\n\n| tasks |"), shown)
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        self.assertIn(b"| jobs.0.deadline |  | 12.3 |", before["small.md"])
        self.assertEqual(set(before), {"small.md", "small.csv", "small.svg", "README.md"})
        self.assertEqual(
            study_results.run(study.path, str(self.directory / "rows"), out, True).encode(), before["small.csv"]
        )
        self.assertEqual(before, {path.name: path.read_bytes() for path in out.iterdir()})


class Reproduced(WithStudy):
    def test_some_rows_are_looked_up_in_the_page_and_what_differs_is_told(self):
        study = self.study()
        table = table_of(study, self.runs(study), [])
        page, some = self.directory / "small.csv", self.directory / "some.csv"
        page.write_text(table.csv())
        del table.rows[:6]
        some.write_text(table.csv())
        self.assertEqual(reproduced.run(study.path, some, page), "small: 2 rows as on the page\n")
        text = page.read_text()
        self.assertEqual(text.count(",11.5,"), 8)
        page.write_text(text[: text.rindex(",11.5,")] + text[text.rindex(",11.5,") :].replace(",11.5,", ",11.6,"))
        told = "many, 40, Ours: machine_time is 11.5, on the page 11.6"
        with self.assertRaisesRegex(ValueError, "made by other code: " + told):
            reproduced.run(study.path, some, page)
        page.write_text("\n".join(text.splitlines()[:-1]) + "\n")
        with self.assertRaisesRegex(ValueError, "many, 40, Ours: the page has no such row"):
            reproduced.run(study.path, some, page)


class Files(WithStudy):
    def test_what_is_wrong_is_told_in_a_sentence(self):
        for before, after, told in (
            ("title: A small one", "title: ''", "a study has a title"),
            ("policy: Ours,", "policy: Theirs,", "'policy: Theirs' is no label"),
            ("policy: Ours,", "polisy: Ours,", "'polisy' is no measure and no axis"),
            ("[0.2, 1]", "[1, 0.2]", "[least, greatest]"),
            ("x: deadline", "x: nothing", "no axis 'nothing'"),
            ("y: pocd", "y: cost", "none of the measures"),
            ("kind: lines", "kind: pie", "cdf"),
            ("kind: lines", "colour: red, kind: lines", "no key 'colour'"),
            ("name: tasks", "name: pocd", "called 'pocd'"),
        ):
            with self.subTest(told), self.assertRaisesRegex(ValueError, re.escape(told)):
                self.study(SMALL.replace(before, after))

    def test_every_measure_is_shown_that_can_be_measured(self):
        text = (ROOT / "lab" / "study" / "measure.cpp").read_text()
        self.assertEqual(set(re.findall(r'Measure\{"(\w+)"', text)), set(MEASURES))


if __name__ == "__main__":
    unittest.main()

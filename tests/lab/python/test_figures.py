"""Figures of studies: the committed ones are what their tables draw, to the byte."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

import matplotlib
from ontime.lab import style
from ontime.lab.study import Study
from ontime.lab.study_figure import StudyFigure
from ontime.lab.study_results import draw
from ontime.lab.table import read_csv

ROOT = Path(__file__).resolve().parents[3]
REPRODUCTION = ROOT / "reproduction"
STUDIES = sorted((ROOT / "lab" / "scenarios" / "papers").glob("*.yaml"))


class Committed(unittest.TestCase):
    def test_each_is_what_its_table_draws(self):
        drawn = 0
        for study in STUDIES:
            kept = REPRODUCTION / f"{study.stem}.svg"
            if not kept.exists():
                continue
            text = kept.read_text()
            self.assertNotRegex(text, r"<dc:date>", kept.name)
            version = re.search(r"Matplotlib v([0-9.]+)", text).group(1)
            if version != matplotlib.__version__:
                self.skipTest(
                    f"drawn by Matplotlib {version}, whose bytes are not those of {matplotlib.__version__}"
                )
            with tempfile.TemporaryDirectory() as place:
                for table in REPRODUCTION.glob(f"{study.stem}*.csv"):
                    shutil.copy(table, place)
                draw(Study(study), Path(place))
                self.assertEqual((Path(place) / kept.name).read_text(), text, kept.name)
            drawn += 1
        self.assertGreater(drawn, 20)


class Saved(unittest.TestCase):
    def test_no_bit_of_the_layouts_solver_is_left(self):
        made = style.figure(300, 200)
        axes = made.subplots(3, 1)
        with tempfile.TemporaryDirectory() as place:
            style.save(made, Path(place) / "x.svg")
        for each in axes:
            for point in each.get_position().get_points().flatten():
                self.assertEqual(point, round(point, 5))


class Drawn(unittest.TestCase):
    def figure_of(self, name):
        study = Study(next(path for path in STUDIES if path.stem == name))
        return StudyFigure(study, read_csv(study, REPRODUCTION / f"{name}.csv"), None)

    def test_every_policy_is_named_once_for_all_panels(self):
        made = self.figure_of("shed-2")
        self.assertEqual(made.panels, ["tasks 5", "tasks 10", "tasks 20"])
        text = (REPRODUCTION / "shed-2.svg").read_text()
        for policy in made.policies:
            self.assertEqual(text.count(f">{policy}</text>"), 1, policy)
        self.assertIn("printed in the paper", text)

    def test_nobody_looks_like_another_without_colour(self):
        looks = {(style.of(style.DASHES, i), style.of(style.MARKS, i)) for i in range(12)}
        self.assertEqual(len(looks), 12)
        self.assertEqual(len(set(style.HATCHES)), len(style.HATCHES))

    def test_labels_that_are_no_numbers_stand_in_their_order(self):
        made = self.figure_of("shed-plus-table-2")
        self.assertTrue(made.in_places)
        self.assertEqual(made._place("10 %"), 1)

    def test_labels_that_would_touch_are_left_out(self):
        labels = self.figure_of("xu-lau-5")._tick_labels()
        self.assertIn("", labels)
        self.assertEqual(labels[0], "0")


if __name__ == "__main__":
    unittest.main()

"""Pages in reproduction/ were made by policies that still do what they did."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from ontime.lab import made_by
from ontime.lab.study import Study

ROOT = Path(__file__).resolve().parents[3]
REPRODUCTION = ROOT / "reproduction"
PAPERS = ROOT / "lab" / "scenarios" / "papers"


class Pages(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = Path(place.name)

    def test_policies_do_what_they_did(self):
        simulate = [os.environ["ONTIME_PROGRAMS"] + "/ontime", "simulate", str(ROOT / "lab" / "scenarios" / "policies.yaml")]
        subprocess.run([*simulate, "--output", str(self.directory)], check=True, capture_output=True)
        ours = made_by.prints_in(self.directory / "policies.csv")
        self.assertEqual(made_by.prints_in(REPRODUCTION / "policies.csv"), ours, "scripts/reproduce makes the pages again")

    def test_no_page_is_older_than_its_policies(self):
        self.assertEqual(made_by.outdated(REPRODUCTION), [])
        pages = {path.stem for path in PAPERS.glob("*.yaml")} | {"elastic", "policies"}
        self.assertLessEqual(set(made_by.lines_in(REPRODUCTION)), pages)

    def test_a_page_of_a_policy_that_has_changed_is_named(self):
        table = self.directory / "policies.csv"
        shutil.copy(REPRODUCTION / "policies.csv", table)
        study = Study(PAPERS / "xu-lau-5.yaml")
        made_by.note(study, self.directory)
        self.assertEqual(made_by.outdated(self.directory), [])
        self.assertRegex(made_by.sentence(study, self.directory), r"^Made at commit \S+ by ese=\w{8}, none=\w{8}\.$")
        rows = table.read_text().splitlines()
        table.write_text("\n".join(row.replace(",ese,3,", ",ese,3,1") for row in rows))
        (wrong,) = made_by.outdated(self.directory)
        self.assertEqual(wrong, "xu-lau-5 was made by an earlier ese: make it again with scripts/reproduce")

    def test_nothing_is_noted_where_it_is_not_known_what_policies_do(self):
        study = Study(PAPERS / "xu-lau-5.yaml")
        made_by.note(study, self.directory)
        self.assertEqual(made_by.sentence(study, self.directory), "")
        self.assertEqual(list(self.directory.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

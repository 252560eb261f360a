"""In which order scripts/lint checks, and that it begins nothing when its time is over."""

import importlib.machinery
import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("lint", str(Path(__file__).resolve().parents[2] / "scripts/lint"))
lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint", loader))
loader.exec_module(lint)


class Order(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        lint.TREE = Path(directory.name)
        self.clock = 1_700_000_000
        self.git("init", "-q")
        for name in ("old.h", "new.h", "old.cpp", "new.cpp", "edited.cpp"):
            self.commit(name, "first")

    def git(self, *arguments):
        times = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
                 (("DATE", f"{self.clock} +0000"), ("NAME", "n"), ("EMAIL", "e"))}
        subprocess.run(["git", "-C", lint.TREE, *arguments], check=True, env=os.environ | times)

    def commit(self, name, text):
        (lint.TREE / name).write_text(text)
        self.clock += 100
        self.git("add", name)
        self.git("commit", "-q", "-m", name)

    def test_what_changed_last_comes_first_with_what_it_includes(self):
        self.commit("new.h", "second")
        (lint.TREE / "edited.cpp").write_text("not committed")
        made_of = {name: [lint.TREE / file for file in files] for name, files in (
            ("old", ["old.cpp", "old.h"]), ("new", ["old.cpp", "new.h"]), ("edited", ["edited.cpp", "old.h"]))}
        entries = [{"output": name} for name in made_of]
        order = lint.latest_first(entries, made_of, lint.changed_at())
        self.assertEqual(["edited", "new", "old"], [entry["output"] for entry in order])

    def test_nothing_begins_when_the_time_is_over(self):
        self.assertIsNone(lint.check({"file": "any.cpp"}, "nowhere", ["common"], -math.inf))


if __name__ == "__main__":
    unittest.main()

"""The wheel holds programs, so it is for one platform, which scripts/package finds out, but for every Python 3."""

import os
from pathlib import Path
from shutil import copytree

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True


class ProgramsWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ["ONTIME_WHEEL_PLATFORM"]

    def egg2dist(self, egginfo_path, distinfo_path):
        super().egg2dist(egginfo_path, distinfo_path)
        copytree("sboms", Path(distinfo_path, "sboms"))  # where PEP 770 has bills of materials


setup(distclass=WithPrograms, cmdclass={"bdist_wheel": ProgramsWheel})

"""The wheel holds programs, so it is for one platform, which scripts/package finds out, but for every Python 3."""

import os

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class ProgramsWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ["ONTIME_WHEEL_PLATFORM"]


setup(cmdclass={"bdist_wheel": ProgramsWheel})

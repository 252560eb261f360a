"""Policies of one's own in Python, simulations and plans as data frames, and what is made of the rows that ``ontime-lab`` writes: means, intervals, tables,
figures and pages of studies and experiments.

``ontime simulate``, ``experiment`` and ``scripts/reproduce`` call it as ``python3 -m ontime.lab``. But for policies it
needs pandas, SciPy, Matplotlib and PyYAML (Debian: python3-pandas python3-scipy python3-matplotlib python3-yaml).
"""

from .frames import plan, replay, simulate
from .policy import PeriodicCheck, Plan, Policy, View

__all__ = ["PeriodicCheck", "Plan", "Policy", "View", "plan", "replay", "simulate"]

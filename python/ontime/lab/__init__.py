"""What is made of the rows that ``ontime-lab`` writes: means, intervals, tables, figures and pages of studies and
experiments.

``ontime simulate``, ``experiment`` and ``scripts/reproduce`` call it as ``python3 -m ontime.lab``. It needs pandas,
SciPy, Matplotlib and PyYAML (Debian: python3-pandas python3-scipy python3-matplotlib python3-yaml).
"""

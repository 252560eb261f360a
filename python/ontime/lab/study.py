"""A study's file, as far as its figure depends on it, and the table of its results: a row for each point and policy with
the axes' labels, `policy`, `seeds` and, for each measure M, the columns M, M_low, M_high, M_printed_low, M_printed_high."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import yaml


class Study:
    def __init__(self, path: Path):
        # Every value is a text: a label stays what it is in the file.
        document: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)["study"]
        self.axes = [axis["name"] for axis in document.get("vary", []) if axis.get("pooled", "no") not in ("yes", "true")]
        if document.get("by_group") in ("yes", "true"):
            self.axes.append("group")
        self.figure: dict[str, str] = document.get("figure", {})


def read_table(study: Study, path: Path) -> pd.DataFrame:
    """What `ontime simulate` wrote; labels are texts."""
    texts: dict[Any, Any] = {name: str for name in [*study.axes, "policy"]}
    return pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""], float_precision="round_trip")

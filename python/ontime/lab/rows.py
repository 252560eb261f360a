"""Tables as the lab writes them: comma-separated, with a line of titles, empty cells for what is not known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

# Before version 3 a number could come out as its neighbour.
_EXACTLY: dict[str, Any] = {"float_precision": "round_trip"} if pd.__version__.startswith(("1.", "2.")) else {}


def read(path: Path, texts: Iterable[str]) -> pd.DataFrame:
    """The columns `texts` as they are written, even where they look like numbers; all others numbers."""
    types: dict[Any, Any] = dict.fromkeys(texts, str)
    try:
        table = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""], **_EXACTLY)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    return table.fillna({name: "" for name in types if name in table})

from collections.abc import Iterator
from pathlib import Path

import ontime
import ontime.beside
import ontime.children
import ontime.cluster
import pytest

# Only what hangs takes so long, however slow the machine is. The engines' modules, which are imported later, derive theirs.
ontime.beside.DRAIN_MOST = ontime.children._START_MOST = ontime.cluster._REGISTER_MOST = 600.0


@pytest.fixture(scope="session")
def cluster() -> Iterator[ontime.LocalCluster]:
    with ontime.LocalCluster(workers=2) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def texts() -> Path:
    return Path(__file__).parents[2] / "examples" / "text"


@pytest.fixture(scope="session")
def lines(texts: Path) -> list[str]:
    """All lines of the bundled texts, as a mapper gets them."""
    found = []
    for file in sorted(texts.glob("*.txt")):
        found += file.read_bytes().decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    return found

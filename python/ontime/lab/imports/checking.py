"""How near a simulated trace comes to the recorded one."""

from __future__ import annotations

import csv
import json
import statistics
from pathlib import Path
from typing import Any

NEAR = 0.05  # of the recorded time, in the median over the jobs


def run(name: str, simulated: Path, as_json: bool) -> str:
    csv.field_size_limit(1 << 30)
    with open(name + ".csv", newline="", encoding="utf-8") as file:
        recorded = {row["stage"]: float(row["ended_s"]) - float(row["submit_s"]) for row in csv.DictReader(file)}
    with simulated.open(newline="", encoding="utf-8") as file:
        times = {row["group"]: float(row["time_s"]) for row in csv.DictReader(file) if row["time_s"]}
    errors = sorted(times[job] / time - 1 for job, time in recorded.items() if job in times and time > 0)
    if not errors:
        raise ValueError(f"no job of {name} has ended in the simulation")
    apart = sorted(abs(error) for error in errors)
    found: dict[str, Any] = {
        "jobs": len(recorded),
        "compared": len(errors),
        "median_error": statistics.median(errors),
        "median_apart": statistics.median(apart),
        "apart_90": apart[int(0.9 * (len(apart) - 1))],
        "is_near": statistics.median(apart) <= NEAR,
    }
    if as_json:
        return json.dumps(found, indent=2) + "\n"
    return (
        f"{found['compared']} of {found['jobs']} jobs: the simulated time is {found['median_apart']:.1%} off the recorded one in "
        f"the median ({found['median_error']:+.1%}), {found['apart_90']:.1%} in nine of ten; "
        f"{'near' if found['is_near'] else 'not near'} enough (5 %)\n"
    )

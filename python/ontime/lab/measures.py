"""What a study can measure. lab/study/measure.cpp computes them; here is how they are shown."""

from __future__ import annotations

from typing import NamedTuple


class Measure(NamedTuple):
    title: str  # with its unit
    digits: int  # behind the point
    is_share: bool = False  # between 0 and 1


MEASURES = {
    "pocd": Measure("PoCD", 3, True),
    "jobs": Measure("jobs", 1),
    "machine_time": Measure("machine time per job (s)", 1),
    "flow_time": Measure("mean time of a job (s)", 1),
    "flow_p10": Measure("10 % of the jobs are done after (s)", 1),
    "flow_p50": Measure("median time of a job (s)", 1),
    "flow_p80": Measure("80 % of the jobs are done after (s)", 1),
    "flow_p90": Measure("90 % of the jobs are done after (s)", 1),
    "flow_p95": Measure("95 % of the jobs are done after (s)", 1),
    "flow_p99": Measure("99 % of the jobs are done after (s)", 1),
    "flow_max": Measure("longest time of a job (s)", 1),
    "flow_censored": Measure("mean time of a job, ended or not, within the horizon (s)", 2),
    "cost_ended": Measure("cost per job that ended", 3),
    "cost_p80": Measure("80 % of the jobs cost less than", 3),
    "r_chosen": Measure("mean r", 2),
    "r_is_0": Measure("jobs with r = 0", 3, True),
    "r_is_1": Measure("jobs with r = 1", 3, True),
    "r_is_2": Measure("jobs with r = 2", 3, True),
    "r_is_3": Measure("jobs with r = 3", 3, True),
    "r_is_4": Measure("jobs with r = 4", 3, True),
    "r_is_5": Measure("jobs with r = 5", 3, True),
    "r_is_6": Measure("jobs with r = 6", 3, True),
    "utilisation": Measure("share of the slots that are busy", 3, True),
    "busy_p50": Measure("busy slots while jobs come, median", 3, True),
    "busy_p90": Measure("busy slots while jobs come, 90th percentile", 3, True),
    "active_jobs": Measure("jobs in the cluster while jobs come, mean", 2),
    "attempts_per_task": Measure("attempts per task", 3),
    "copies_share": Measure("copies per task", 3),
    "few_copies": Measure("share of the jobs with copies for at most 5 % of their tasks", 3, True),
    "wasted": Measure("wasted bytes, of the input", 3),
    "cost": Measure("cost per job", 1),
    "utility": Measure("net utility", 3),
    "finished": Measure("share of the jobs that ended", 3, True),
    "brier": Measure("Brier score of the PoCD that was expected", 3),
    "bias": Measure("expected PoCD less the share of jobs in time", 3),
    "held_back": Measure("node-seconds held back while tasks waited", 0),
    "paid": Measure("slot-seconds of nodes that were there", 0),
    "decisions": Measure("decisions carried out per job", 2),
}

"""Ontime: MapReduce jobs that meet their deadlines.

>>> import ontime
>>> with ontime.LocalCluster() as cluster:
...     job = cluster.map(lambda line: [(len(line), 1)], "book.txt", merge="sum", deadline="90s")
...     for length, lines in job:
...         print(length, lines)
"""

from .client import Client, Options
from .cluster import LocalCluster
from .errors import (
    BadRequest,
    ClusterError,
    CombineError,
    DeadlineMissed,
    JobFailed,
    JobKilled,
    MapperError,
    OntimeError,
)
from .job import Job
from .results import Results

__all__ = [
    "BadRequest",
    "Client",
    "ClusterError",
    "CombineError",
    "DeadlineMissed",
    "Job",
    "JobFailed",
    "JobKilled",
    "LocalCluster",
    "MapperError",
    "OntimeError",
    "Options",
    "Results",
]

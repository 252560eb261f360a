"""Forecasts of jobs beside what came true, as `ontime simulate` writes them of studies (NAME-forecasts.csv) and
scripts/forecast-real-jobs of real jobs; and the pages whose tables are made of them."""

import csv
import math
import os
import re
import statistics
import sys

NUMBERS = ("share", "pocd", "low", "median", "high", "end", "deadline", "met")
BINS = 10


def read(path, numbers=NUMBERS):
    """The rows; nothing is not a number."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in numbers:
            row[key] = float(row[key] or "nan")
    return rows


def names(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def bins(rows):
    """For each tenth of what was said: how many readings, the mean of what they said, and the share in time, or None."""
    found = []
    for i in range(BINS):
        inside = [row for row in rows if not math.isnan(row["pocd"]) and min(BINS - 1, int(row["pocd"] * BINS)) == i]
        found.append((len(inside), statistics.fmean(row["pocd"] for row in inside),
                      statistics.fmean(row["met"] for row in inside)) if inside else None)
    return found


def scores(rows):
    """How good the PoCDs were that were said. Reliability and resolution are Murphy's, by bins."""
    said = [row for row in rows if not math.isnan(row["pocd"])]
    base = statistics.fmean(row["met"] for row in said)
    brier = statistics.fmean((row["pocd"] - row["met"]) ** 2 for row in said)
    uncertainty = base * (1 - base)
    filled = list(filter(None, bins(said)))
    return {"forecasts": len(said), "silent": len(rows) - len(said), "base_rate": base,
            "bias": statistics.fmean(row["pocd"] for row in said) - base, "brier": brier,
            "reliability": sum(count * (mean - met) ** 2 for count, mean, met in filled) / len(said),
            "resolution": sum(count * (met - base) ** 2 for count, _, met in filled) / len(said),
            "uncertainty": uncertainty, "skill": 1 - brier / uncertainty if uncertainty else math.nan}


def lab_style():
    """How the figures of the lab look."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
    try:
        from ontime.lab import style
    except ModuleNotFoundError as error:
        sys.exit(f"figures need {error.name}; scripts/install-dependencies --lab installs what they are drawn with")
    return style


def draw_bins(series, title, path, least=10):
    """What was said and what came true, for names and their bins. Bins with fewer readings than `least` are left out."""
    style = lab_style()
    made = style.figure(760, 580, below=56)
    axes = made.add_subplot()
    axes.set(title=title, xlim=(0, 1), ylim=(0, 1), xlabel="predicted PoCD (mean of the bin)",
             ylabel="share of jobs that met their deadline")
    axes.plot([0, 1], [0, 1], color="#888888", linestyle=(0, (4, 4)), linewidth=1, label="perfect")
    for i, (name, found) in enumerate(series):
        points = [(said, met) for count, said, met in filter(None, found) if count >= least]
        axes.plot(*zip(*points), label=name, marker=style.of(style.MARKS, i), clip_on=False, **style.curve(i))
    made.legend(loc="lower center", ncol=3)
    style.save(made, path)


def fill_in(page, tables):
    """Replaces what stands between '<!-- NAME -->' and '<!-- end -->'."""
    with open(page) as file:
        text = file.read()
    for name, lines in tables.items():
        block = f"<!-- {name} -->\n" + "\n".join(lines).rstrip() + "\n<!-- end -->"
        text = re.sub(rf"<!-- {name} -->\n.*?<!-- end -->", lambda _: block, text, flags=re.S)
    with open(page, "w") as file:
        file.write(text)
